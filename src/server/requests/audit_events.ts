// Owns what the audit stream is told of requests: tokens issued, refused and revoked, logins, and what
// ended them. Reads records and asks nothing else.

import type { EventName } from '../../audit/event.ts';
import type { AuditStream } from '../../audit/stream.ts';
import type { Observer, RequestRecord } from '../../oauth/request_record.ts';
import { Bound, bounds } from '../bound.ts';
import { type AuditTerms, inAudit } from './facts.ts';
import { membersOf, timeText } from './json_text.ts';

export interface ObserverOptions extends AuditTerms {
  readonly stream: Pick<AuditStream, 'putText' | 'put'>;
  /** Whether refused questions of gateways are told. */
  readonly tellsVerification: boolean;
}

const request = membersOf(inAudit.request);
const refusal = membersOf(inAudit.refusal);

export class AuditObserver implements Observer {
  readonly #options: ObserverOptions;
  /** Of one programme, event, reason and proved client. */
  readonly #bound: Bound;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#bound = new Bound(bounds.refusals, (kind, count) =>
      options.stream.put('refusals_left_out', { ...(JSON.parse(kind) as object), count }),
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
    const kind = JSON.stringify({ programme, of: event, reason, client });
    if (this.#bound.allows(kind)) this.#put(event, record);
  }

  #put(event: EventName, record: RequestRecord): void {
    const why = record.failure === undefined ? '' : refusal(record, this.#options);
    const members = request(record, this.#options) + why;
    this.#options.stream.putText(`"time":"${timeText(Date.now())}","event":"${event}"${members}`);
  }
}

/** Messages of the form that tell of no attempt. */
function isForm(reason: string): boolean {
  return reason.endsWith('_blank');
}
