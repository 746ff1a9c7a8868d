// Owns what the audit stream is told of requests: tokens issued, refused and revoked, logins, and what
// ended them. Reads records and asks nothing else.

import { legibleJson } from '../lib/fault.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { Observer, RequestRecord } from '../oauth/request_record.ts';
import type { EventName } from './event.ts';
import { accountIdentifier, type Identify } from './identifiers.ts';
import { RefusalLimit } from './refusal_limit.ts';
import type { AuditStream } from './stream.ts';

export interface ObserverOptions {
  readonly stream: Pick<AuditStream, 'putText' | 'put'>;
  readonly identify: Identify;
  /** Whether refused questions of gateways are told. */
  readonly tellsVerification: boolean;
  /** Whether a text has the form of a programme's client identifiers: no other is told unproved. */
  readonly isIdentifier: (programme: ProgrammeId, text: string) => boolean;
}

export class AuditObserver implements Observer {
  readonly #options: ObserverOptions;
  readonly #limit: RefusalLimit;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#limit = new RefusalLimit((facts) =>
      options.stream.put('refusals_left_out', { ...facts }),
    );
  }

  answered(record: RequestRecord): void {
    const { failure } = record;
    switch (record.endpoint.kind) {
      case 'token':
        if (failure === undefined) this.#put('token_issued', record);
        else this.#refuse('token_refused', record);
        break;
      case 'revocation':
        if (failure !== undefined) this.#refuse('revocation_refused', record);
        else if (record.ended !== undefined) this.#put('token_revoked', record);
        return;
      case 'login_request':
        if (failure !== undefined) this.#refuse('login_refused', record);
        return;
      case 'login_page':
        this.#tellLogin(record);
        return;
      case 'verification':
      case 'introspection':
      case 'userinfo':
        if (failure !== undefined && this.#options.tellsVerification) {
          this.#refuse('verification_refused', record);
        }
        return;
      default:
        return;
    }
    // A reused refresh token, or a replayed code.
    if (record.ended !== undefined) this.#put('login_ended', record);
    if (record.attempt === 'locking') this.#put('account_locked', record);
  }

  #tellLogin(record: RequestRecord): void {
    const { failure, member, attempt } = record;
    // The password was right, whatever becomes of the login.
    if (member !== undefined) this.#put('login_succeeded', record);
    if (failure === undefined) {
      if (member !== undefined) this.#put('code_issued', record);
    } else if (attempt !== undefined && attempt !== 'matched') this.#refuse('login_failed', record);
    else if (!isForm(failure.reason)) this.#refuse('login_refused', record);
    if (attempt === 'locking') this.#put('account_locked', record);
  }

  #refuse(event: EventName, record: RequestRecord): void {
    const { client = '', failure, endpoint } = record;
    const { programme = '' } = endpoint;
    const reason = failure?.reason ?? '';
    if (this.#limit.allows({ programme, of: event, reason, client })) this.#put(event, record);
  }

  #put(event: EventName, record: RequestRecord): void {
    this.#options.stream.putText(this.#textOf(event, record));
  }

  /** By hand: the text of most events of a busy server. */
  #textOf(event: EventName, record: RequestRecord): string {
    const { identify, isIdentifier } = this.#options;
    const { endpoint, client, claimedClient: claimed, grant, member, failure } = record;
    const { programme } = endpoint;
    let text = `"time":"${timeNow()}","event":"${event}","request":"${record.id}"`;
    if (programme !== undefined) text += `,"programme":${quoted(programme)}`;
    if (client !== undefined) text += `,"client":${quoted(client)}`;
    else if (claimed !== undefined && programme !== undefined && isIdentifier(programme, claimed)) {
      text += `,"client":${quoted(claimed)},"proved":false`;
    }
    if (grant !== undefined) text += `,"grant":"${grant}"`;
    if (record.scope !== undefined) text += `,"scope":${quoted(record.scope)}`;
    if (member !== undefined) text += `,"member":"${identify('member', member)}"`;
    if (record.account !== undefined) text += `,"username":"${accountIdentifier(record.account)}"`;
    if (record.login !== undefined) text += `,"login":"${identify('login', record.login)}"`;
    if (record.ended !== undefined) text += `,"ended":"${record.ended}"`;
    if (record.isRetry) text += ',"retry":true';
    if (failure === undefined) return text;
    if (record.isForced) text += ',"forced":true';
    const address = record.address?.();
    if (address !== undefined) text += `,"address":"${identify('address', address)}"`;
    return `${text},"reason":${quoted(failure.reason)}`;
  }
}

/** Messages of the form that tell of no attempt. */
function isForm(reason: string): boolean {
  return reason.endsWith('_blank');
}

const plain = /^[\w .:/@-]*$/;

function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : legibleJson(text);
}

let lastMoment = 0;
let lastTime = '';

/** Events of one millisecond share a text. */
function timeNow(): string {
  const moment = Date.now();
  if (moment !== lastMoment) {
    lastMoment = moment;
    lastTime = new Date(moment).toISOString();
  }
  return lastTime;
}
