// Owns the table of what becomes known of a request, and the lists of who is told what, under which
// name. The lines of log and audit, what `why` remembers and the spans of traces are written from it.
// Nothing of it is what a stranger sent: the path is the configured one, the client has proved itself
// or is registered, and no query or body is read.

import { accountIdentifier, type IdentifierKind, type Identify } from '../../audit/identifiers.ts';
import { unexpected } from '../../engine/causes/trouble.ts';
import { type Cause, ownCause } from '../../oauth/cause.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { RequestRecord } from '../../oauth/request_record.ts';

/** What the audit stream needs besides the record. */
export interface AuditTerms {
  readonly identify: Identify;
  /** Whether a text has the form of a programme's client identifiers: no other is told unproved. */
  readonly isIdentifier: (programme: ProgrammeId, text: string) => boolean;
}

export type FactValue = string | number | boolean | undefined;

/** A fact, and whether JSON takes its texts as they are: those of closed lists and digests. */
export interface Fact {
  readonly isPlain: boolean;
  /** Undefined where there is nothing to tell. */
  readonly of: (record: RequestRecord, terms?: AuditTerms) => FactValue;
}

const plain = (of: Fact['of']): Fact => ({ isPlain: true, of });
const text = (of: Fact['of']): Fact => ({ isPlain: false, of });

/**
 * Whether something broke here. An outage has an event of its own; what it refuses is no news. The status is
 * the dialect's: a throttled client may get 500.
 */
export function isError({ failure }: RequestRecord): boolean {
  return failure?.reason === 'server_error' || failure?.facts.cause === unexpected;
}

/** Rounded to hundredths of a millisecond. */
export function roundedDuration({ duration }: RequestRecord): number {
  return Math.round(duration * 100) / 100;
}

const forced = ownCause(
  ['sandbox'],
  'a request for no failure',
  'one that asks the sandbox for it',
);

function causeOf({ failure, isForced }: RequestRecord): Cause | undefined {
  if (failure === undefined) return undefined;
  return isForced ? forced : failure.facts.cause;
}

/** Characters of a text that are kept: a client may have any number of redirect URIs. */
const longestText = 500;

function cut(whole: string | undefined): string | undefined {
  if (whole === undefined || whole.length <= longestText) return whole;
  return `${whole.slice(0, longestText)}…`;
}

/** The identifier that was sent, where nothing has proved it and the stream may tell it. */
function unproved(
  { endpoint, client, claimedClient }: RequestRecord,
  terms: AuditTerms | undefined,
): string | undefined {
  const { programme } = endpoint;
  if (client !== undefined || claimedClient === undefined || programme === undefined) {
    return undefined;
  }
  return terms?.isIdentifier(programme, claimedClient) === true ? claimedClient : undefined;
}

function digest(
  kind: IdentifierKind,
  identifier: string | number | undefined,
  terms: AuditTerms | undefined,
): string | undefined {
  return identifier === undefined ? undefined : terms?.identify(kind, identifier);
}

const facts = {
  id: plain((r) => r.id),
  level: plain((r) => (isError(r) ? 'error' : 'info')),
  /** An attempt to log in has a name of its own. */
  event: plain((r) =>
    r.endpoint.kind === 'login_page' && r.method === 'POST' ? 'login' : 'request',
  ),
  programme: text((r) => r.endpoint.programme),
  endpoint: plain((r) => r.endpoint.kind),
  path: text((r) => r.endpoint.path),
  route: text((r) => r.endpoint.path || undefined),
  method: plain((r) => r.method),
  grant: plain((r) => r.grant),
  client: text((r) => r.client),
  /** Of a client that has proved nothing. */
  claimed: text((r) => (r.client === undefined ? r.claimedClient : undefined)),
  registeredClaim: text((r) =>
    r.client === undefined && r.isClaimRegistered ? r.claimedClient : undefined,
  ),
  /** The client that has proved itself, else the one that was claimed. */
  clientOrClaim: text((r, terms) => r.client ?? unproved(r, terms)),
  isProved: plain((r, terms) => (unproved(r, terms) === undefined ? undefined : false)),
  reason: text((r) => r.failure?.reason),
  step: plain((r) => (r.failure === undefined ? undefined : r.step)),
  rule: text((r) => causeOf(r)?.rule.join('.') || undefined),
  expected: text((r) => cut(causeOf(r)?.expected)),
  came: text((r) => cut(causeOf(r)?.came)),
  /** Wire name of the parameter or header at fault. */
  parameter: text((r) => causeOf(r)?.parameter),
  /** Whether the partner may read what was expected and what came. */
  isOwn: plain((r) => causeOf(r)?.isOwn),
  fault: text((r) => causeOf(r)?.fault),
  retryAfter: plain((r) => r.failure?.facts.retryAfter),
  isForced: plain((r) => r.isForced || undefined),
  status: plain((r) => r.status),
  duration: plain(roundedDuration),
  traceId: plain((r) => r.trace?.traceId),
  scope: text((r) => r.scope),
  /** Digests: the stream alone reveals nothing of members. */
  member: plain((r, terms) => digest('member', r.member, terms)),
  username: plain((r) => (r.account === undefined ? undefined : accountIdentifier(r.account))),
  login: plain((r, terms) => digest('login', r.login, terms)),
  address: plain((r, terms) => digest('address', r.address?.(), terms)),
  ended: plain((r) => r.ended),
  isRetry: plain((r) => r.isRetry || undefined),
} as const satisfies Readonly<Record<string, Fact>>;

/** What somebody is told, in this order, under these names. */
export type Told = readonly (readonly [name: string, fact: Fact])[];

/** What `jetway why` explains; also in the log, so that `why --log` can explain a line. */
const refusal: Told = [
  ['reason', facts.reason],
  ['step', facts.step],
  ['rule', facts.rule],
  ['expected', facts.expected],
  ['came', facts.came],
  ['parameter', facts.parameter],
  ['own', facts.isOwn],
  ['fault', facts.fault],
  ['retry_after', facts.retryAfter],
];

/** Of all requests of an endpoint. */
const place: Told = [
  ['programme', facts.programme],
  ['endpoint', facts.endpoint],
  ['path', facts.route],
];

/** A line of the log, behind its time. */
export const inLog = {
  head: [
    ['level', facts.level],
    ['event', facts.event],
    ['request_id', facts.id],
  ],
  place,
  request: [
    ['method', facts.method],
    ['grant', facts.grant],
    ['client', facts.client],
    ['claimed_client', facts.registeredClaim],
  ],
  refusal,
  end: [
    ['forced', facts.isForced],
    ['status', facts.status],
    ['duration_ms', facts.duration],
    ['trace_id', facts.traceId],
  ],
} as const satisfies Readonly<Record<string, Told>>;

/** A refusal that `jetway why` can ask for, behind its identifier and time. */
export const inMemory = {
  head: [['request_id', facts.id]],
  request: [
    ['programme', facts.programme],
    ['endpoint', facts.endpoint],
    ['path', facts.path],
    ['method', facts.method],
    ['status', facts.status],
    ['grant', facts.grant],
    ['client', facts.client],
    ['claimed_client', facts.claimed],
    ...refusal,
  ],
} as const satisfies Readonly<Record<string, Told>>;

/** An event of the audit stream, behind its time and name. */
export const inAudit = {
  request: [
    ['request', facts.id],
    ['programme', facts.programme],
    ['client', facts.clientOrClaim],
    ['proved', facts.isProved],
    ['grant', facts.grant],
    ['scope', facts.scope],
    ['member', facts.member],
    ['username', facts.username],
    ['login', facts.login],
    ['ended', facts.ended],
    ['retry', facts.isRetry],
  ],
  refusal: [
    ['forced', facts.isForced],
    ['address', facts.address],
    ['reason', facts.reason],
  ],
} as const satisfies Readonly<Record<string, Told>>;

/** The attributes of the span of a request, by the names of OpenTelemetry where it has one. */
export const inTraces: Told = [
  ['http.request.method', facts.method],
  ['http.route', facts.route],
  ['http.response.status_code', facts.status],
  ['error.type', facts.reason],
  ['jetway.request_id', facts.id],
  ['jetway.programme', facts.programme],
  ['jetway.endpoint', facts.endpoint],
  ['jetway.grant', facts.grant],
  ['jetway.client', facts.client],
];
