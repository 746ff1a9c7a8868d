// Owns the talk with a hook (docs/member-directory.md): its questions and their signature, reading its answers, strictly
// by the contract, and the connection: TLS, who asks, and how long it is waited for.

import { createHmac } from 'node:crypto';
import { Agent as HttpAgent, type ClientRequest, request } from 'node:http';
import { Agent as HttpsAgent, request as requestOverTls } from 'node:https';

import { type CallLimits, exchange } from '../lib/calls/exchange.ts';
import { type Instant, type Milliseconds, epochSeconds, milliseconds } from '../lib/clock.ts';
import { present } from '../lib/present.ts';
import { randomKey } from '../lib/random.ts';
import {
  MalformedMember,
  type MemberForm,
  type Members,
  isMembers,
  neededMember,
  optionalMember,
  parseStrictJson,
  text,
} from '../lib/strict_json.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import {
  type Member,
  type Subject,
  isPropertyValue,
  propertyLimits,
  propertyNameForm,
  subjectForm,
} from '../oauth/member.ts';

/** Version of the contract; `v` of every question. */
const hookVersion = 1;

export interface HookQuestion {
  /** Path below the hook's URL. */
  readonly path: 'verify' | 'status';
  readonly requestId: string;
  readonly body: string;
}

interface VerifyFacts {
  readonly username: string;
  readonly password: string;
  readonly clientId: string;
  /** The member's address, if known, and whether it is more than a partner's statement. */
  readonly customerIp: string | undefined;
  readonly ipVerified: boolean;
}

export function verifyQuestion(programme: ProgrammeId, facts: VerifyFacts): HookQuestion {
  return question('verify', programme, {
    username: facts.username,
    password: facts.password,
    client_id: facts.clientId,
    customer_ip: facts.customerIp ?? null,
    ip_verified: facts.ipVerified,
  });
}

export function statusQuestion(programme: ProgrammeId, subject: Subject): HookQuestion {
  return question('status', programme, { subject });
}

function question(
  path: HookQuestion['path'],
  programme: ProgrammeId,
  members: object,
): HookQuestion {
  const requestId = randomKey(16);
  const body = JSON.stringify({ v: hookVersion, request_id: requestId, programme, ...members });
  return { path, requestId, body };
}

type SignatureHeaders = Readonly<Record<string, string>>;

/**
 * `Jetway-Timestamp`, in seconds since the epoch, and `Jetway-Signature`: HMAC-SHA256 of timestamp,
 * dot and body. One `v1=` for each valid secret, so that a secret can be replaced without refused
 * questions. Without secrets there is no signature: the client certificate authenticates.
 */
export function signatureHeaders(
  secrets: readonly string[],
  body: string,
  now: Instant,
): SignatureHeaders {
  if (secrets.length === 0) return {};
  const timestamp = String(epochSeconds(now));
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    return `v1=${mac}`;
  });
  return { 'Jetway-Timestamp': timestamp, 'Jetway-Signature': signatures.join(',') };
}

type HookVerification =
  | { readonly outcome: 'match'; readonly member: Member }
  | { readonly outcome: 'no_match' }
  | { readonly outcome: 'blocked' };

type HookStatus = 'active' | 'inactive';

/** An answer that breaks the contract. The message names the fault and quotes nothing. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
}

/** Reads the body of an answer to /verify; throws `BrokenAnswer`. */
export function readVerification(body: Uint8Array): HookVerification {
  const answer = membersOf(parse(body), ['outcome'], ['member']);
  const { outcome, member } = answer;
  if (outcome === 'match') {
    if (!Object.hasOwn(answer, 'member')) throw new BrokenAnswer('a match without member');
    return { outcome, member: readMember(member) };
  }
  if (outcome !== 'no_match' && outcome !== 'blocked') {
    throw new BrokenAnswer('outcome is none of match, no_match and blocked');
  }
  if (Object.hasOwn(answer, 'member'))
    throw new BrokenAnswer('a member beside an outcome that is no match');
  return { outcome };
}

/** Reads the body of an answer to /status; throws `BrokenAnswer`. */
export function readStatus(body: Uint8Array): HookStatus {
  const { outcome } = membersOf(parse(body), ['outcome'], []);
  if (outcome === 'active' || outcome === 'inactive') return outcome;
  throw new BrokenAnswer('outcome is none of active and inactive');
}

function parse(body: Uint8Array): unknown {
  try {
    return parseStrictJson(body);
  } catch (error) {
    throw new BrokenAnswer(`the body is refused: ${(error as Error).message}`);
  }
}

const mostRoles = 50;

const word = formed(/^[ -~]{1,100}$/);

/** No dialect uses roles yet, but a malformed list still breaks the contract. */
const roles: MemberForm<readonly string[]> = {
  words: 'a list of words',
  fits: (value): value is readonly string[] =>
    Array.isArray(value) && value.length <= mostRoles && value.every(word.fits),
};

const properties: MemberForm<Readonly<Record<string, string>>> = {
  words: 'an object of texts',
  fits: (value): value is Readonly<Record<string, string>> =>
    isMembers(value) &&
    Object.keys(value).length <= propertyLimits.count &&
    Object.entries(value).every(
      ([name, held]) => propertyNameForm.test(name) && text.fits(held) && isPropertyValue(held),
    ),
};

function readMember(value: unknown): Member {
  const names = ['membership_number', 'level', 'roles', 'properties'];
  const member = membersOf(value, ['subject'], names);
  try {
    optionalMember(member, 'roles', roles);
    const held = optionalMember(member, 'properties', properties) ?? {};
    return present({
      subject: neededMember(member, 'subject', formed(subjectForm)) as Subject,
      level: optionalMember(member, 'level', word),
      membershipNumber: optionalMember(member, 'membership_number', formed(/^\d{1,24}$/)),
      properties: Object.keys(held).length === 0 ? undefined : held,
    });
  } catch (error) {
    if (!(error instanceof MalformedMember)) throw error;
    throw new BrokenAnswer(`member.${error.message}`);
  }
}

function formed(form: RegExp): MemberForm<string> {
  return {
    words: 'a text as the contract has it',
    fits: (value): value is string => typeof value === 'string' && form.test(value),
  };
}

/** The members of an object: all `needed` names, any `possible` names, and no others. */
function membersOf(
  value: unknown,
  needed: readonly string[],
  possible: readonly string[],
): Members {
  if (!isMembers(value)) throw new BrokenAnswer('an object is expected where there is none');
  const names = Object.keys(value);
  const missing = needed.find((name) => !names.includes(name));
  if (missing !== undefined) throw new BrokenAnswer(`${missing} is missing`);
  if (names.some((name) => !needed.includes(name) && !possible.includes(name))) {
    throw new BrokenAnswer('it has a member that the contract does not know');
  }
  return value;
}

/** The credentials of both sides; PEM texts. */
export interface HookCredentials {
  /** All valid HMAC secrets: two during a replacement, none if certificates authenticate. */
  readonly secrets: readonly string[];
  readonly certificate?: string;
  readonly key?: string;
  /** The only trusted authorities; if left out, node's defaults. */
  readonly authorities?: string;
}

export const usualLimits: CallLimits = {
  connect: milliseconds(300),
  total: milliseconds(1500),
  bytes: 16 * 1024,
};

interface HookMessage {
  /** Path below the hook's URL: `verify`. */
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HookConnection {
  /**
   * Posts JSON and resolves to the body of a JSON answer with status 200. Rejects with
   * `CallFailure` for anything else, at the latest after `budget`.
   */
  readonly post: (message: HookMessage, budget?: Milliseconds) => Promise<Uint8Array>;
  readonly close: () => void;
}

type Open = (message: HookMessage) => ClientRequest;

/** Connects at the first question, and keeps connections for the next ones. */
export function openHookConnection(
  url: string,
  credentials: HookCredentials,
  limits: CallLimits = usualLimits,
): HookConnection {
  const base = new URL(url);
  const isSecure = base.protocol === 'https:';
  const kept = { keepAlive: true, maxFreeSockets: 8, timeout: 30_000 };
  const { certificate, key, authorities } = credentials;
  const agent = isSecure
    ? new HttpsAgent({
        ...kept,
        minVersion: 'TLSv1.2',
        // Also where NODE_TLS_REJECT_UNAUTHORIZED=0 is set.
        rejectUnauthorized: true,
        ...present({ cert: certificate, key, ca: authorities }),
      })
    : new HttpAgent(kept);
  const open: Open = ({ path, body, headers }) => {
    const options = {
      method: 'POST',
      agent,
      maxHeaderSize: limits.bytes,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        Accept: 'application/json',
        'User-Agent': 'Jetway',
        ...headers,
      },
    };
    const target = new URL(`${base.pathname.replace(/\/$/, '')}/${path}`, base);
    return isSecure ? requestOverTls(target, options) : request(target, options);
  };
  return {
    post: (message, budget) =>
      exchange({ open: () => open(message), body: message.body, typeFault }, limits, budget),
    close: () => agent.destroy(),
  };
}

/** Parameters do not matter (RFC 8259 11), but for another charset, by which a text would be another one. */
function typeFault(mediaType: string): string | undefined {
  const [type, ...parameters] = mediaType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') return 'the answer is not application/json';
  const others = parameters.filter((one) => one.startsWith('charset'));
  return others.every((one) => /^charset="?(?:utf-8|us-ascii)"?$/.test(one))
    ? undefined
    : 'the answer is in another charset than utf-8';
}
