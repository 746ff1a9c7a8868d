// Owns the record of a request: all that becomes known of it while it is answered, for log, metrics,
// audit and `why`. Nothing else instruments the request path.

import type { Digest } from '../lib/digest.ts';
import { randomBytes } from '../lib/random.ts';
import { newSpanId, type TraceContext } from '../lib/trace_context.ts';
import type { ClientId, ProgrammeId } from './client.ts';
import type { FailureFacts } from './failure.ts';
import type { GrantType, Place } from './grant.ts';

/**
 * The steps in which a request is answered, in the order in which each kind of request takes them: what each does,
 * for operators.
 */
export const steps = {
  arrival: 'finding the endpoint, its methods, and room for one more request',
  service: 'whether the programme is in service',
  inputs: 'reading the body and the parameters',
  credentials: "reading the client's credentials",
  headers: 'the headers that every request needs',
  client: 'finding the client, and proving that it is the caller',
  client_values: 'comparing what was sent with the registration of the client',
  grant_type: 'which grant is asked for, and whether the client may have it',
  parameters: 'the parameters of this kind of request',
  scope: 'whether the scope exists',
  throttle: 'counting the request against the limit',
  grant: 'the grant itself: its code, refresh token, or member',
  programme: 'whether the link means this programme',
  redirect_uri: 'where the member is sent back to',
  role: 'whether the client may log members in',
  transaction: 'opening the login that the browser carries',
  form: 'whether the form came from the page, and is filled in',
  member: 'authenticating the member',
  code: 'issuing the code',
  demand: "reading the gateway's demand",
  api_key: 'the API key',
  token: 'the access token',
  answer: 'making the answer',
} as const;

export type Step = keyof typeof steps;

/** What kind of endpoint answers; `other` where none does. */
export const endpointKinds = [
  'token',
  'login_request',
  'login_page',
  'verification',
  'introspection',
  'revocation',
  'userinfo',
  'key_set',
  'metadata',
  'picture',
  'preflight',
  'other',
] as const;

export type EndpointKind = (typeof endpointKinds)[number];

/** What all records of an endpoint have in common. */
export interface EndpointFacts {
  readonly kind: EndpointKind;
  /** As configured, never as a stranger sent it; `/verify/*` stands for every path below it. */
  readonly path: string;
  /** Absent where the endpoint belongs to no programme. */
  readonly programme?: ProgrammeId;
  /** The header of answers that holds the request id; absent where the dialect has none. */
  readonly idHeader?: string;
}

/** What ended a login, or one access token. */
export type EndCause =
  | 'reused_refresh_token'
  | 'replayed_code'
  | 'inactive_member'
  | 'revoked'
  | 'access_token_revoked';

/** An attempt to log in; `locking` is the one that exceeds the limit, `locked` each after it. */
export type AttemptFound = 'matched' | 'failed' | 'locking' | 'locked';

/** A failure that was told to the caller. */
export interface RecordedFailure {
  /** A failure reason of a token or login request, or the name of a login page. */
  readonly reason: string;
  readonly facts: FailureFacts;
}

export const usualIdHeader = 'X-Request-Id';

/** A path without an endpoint. */
export const noEndpoint: EndpointFacts = Object.freeze({
  kind: 'other',
  path: '',
  idHeader: usualIdHeader,
});

/** A part of a request that a trace shows. */
export interface RecordedSpan {
  /** Such as `hook verify`. */
  readonly name: string;
  readonly spanId: string;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isFailed: boolean;
}

/** Must not throw, and may keep the record. */
export interface Observer {
  /** Is told of each request once its head has come. */
  readonly begun?: (record: RequestRecord) => void;
  /** Is told of each answered request, once. */
  readonly answered: (record: RequestRecord) => void;
}

/** A request from its head to its answer; the engine writes facts where it learns them. */
export class RequestRecord {
  readonly id: string = newRequestId();
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number = performance.now();
  readonly method: string;
  readonly #observer: Observer | undefined;
  endpoint: EndpointFacts = noEndpoint;
  /** The step under way, or the one that refused it. */
  step: Step = 'arrival';
  /**
   * The identifier that was sent; nothing is proved by it. Of a refused request only one that a client
   * has, or that nothing but an identifier looks like: it could be a secret.
   */
  claimedClient: string | undefined = undefined;
  /** Whether a client has it: any other text may be a secret in the wrong place. */
  isClaimRegistered = false;
  /** The client that has proved itself; of a login, the one that sent the member. */
  client: ClientId | undefined = undefined;
  /** Whether that client is public: anybody may name it, so it has proved nothing. */
  isPublicClient = false;
  grant: GrantType | undefined = undefined;
  /** Subject of the member whom the request is about. */
  member: string | undefined = undefined;
  /** Of the tokens that were issued. */
  scope: string | undefined = undefined;
  /** Keyed digest of the username that was typed. */
  account: Digest | undefined = undefined;
  attempt: AttemptFound | undefined = undefined;
  /** The login that the request began, used or ended. */
  login: Place | undefined = undefined;
  ended: EndCause | undefined = undefined;
  /** Whether a lost answer was told again. */
  isRetry = false;
  /** The caller's address; absent before the whole request was read. The function holds all of the head. */
  address: (() => string) | undefined = undefined;
  /** The caller's address by the word of a trusted proxy; absent where no proxy has told one. */
  forwarded: (() => string | undefined) | undefined = undefined;
  /** Whether an API key has come that is no live key of an active client. */
  hasWrongKey = false;
  /** Whether wrong API keys of its address are over the limit, and cost no line of the log any more. */
  isTurnedAway = false;
  failure: RecordedFailure | undefined = undefined;
  /** Values that its answer may repeat; never logged. */
  sent: FailureFacts['sent'] = undefined;
  /** The form of its answer, where the request has chosen one. */
  form: FailureFacts['form'] = undefined;
  /** Whether the request has asked for its failure, where the programme has a sandbox. */
  isForced = false;
  /** 0 until the answer is written. */
  status = 0;
  /** Milliseconds from head to answer. */
  duration = 0;
  /** Of its `traceparent`, or as an observer began it. */
  trace: TraceContext | undefined = undefined;
  /** Present where an observer wants to know how long parts take. */
  spans: RecordedSpan[] | undefined = undefined;

  constructor(method: string, observer?: Observer) {
    this.method = method;
    this.#observer = observer;
  }

  /** Does a part of the work, and notes how long it takes where the request is traced. */
  timed<Result>(name: string, work: SpanWork<Result>): Promise<Result> {
    return this.spans === undefined ? work(undefined) : noted(this.spans, name, work);
  }

  /** Notes the answer as it is written. */
  answered(status: number): void {
    // Node may have refused what was missing of the request before.
    this.status ||= status;
    this.duration = performance.now() - this.startedAt;
    this.#observer?.answered(this);
  }
}

/** Knows the identifier of its span where there is one. */
type SpanWork<Result> = (spanId: string | undefined) => Promise<Result>;

async function noted<Result>(
  spans: RecordedSpan[],
  name: string,
  work: SpanWork<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  const spanId = newSpanId();
  let isFailed = true;
  try {
    const result = await work(spanId);
    isFailed = false;
    return result;
  } finally {
    spans.push({ name, spanId, startedAt, endedAt: performance.now(), isFailed });
  }
}

/** Crockford's base 32: no letter is mistaken for a digit when the id is read out. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const idLength = 12;
const idsAtOnce = 256;
/** The next ids, one behind the other: to cut one off makes one text. */
let drawn = '';
let next = 0;

/** 60 random bits: ids tell nothing of how many requests there are. */
function newRequestId(): string {
  if (next === drawn.length) {
    const bytes = randomBytes(idLength * idsAtOnce);
    for (const [at, byte] of bytes.entries()) bytes[at] = digits.charCodeAt(byte & 31);
    drawn = bytes.toString('latin1');
    next = 0;
  }
  next += idLength;
  return drawn.slice(next - idLength, next);
}
