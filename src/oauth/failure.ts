// Owns the closed list of reasons for which a request can fail; dialects own their words.

import type { Instant, Milliseconds } from '../lib/clock.ts';
import type { Cause } from './cause.ts';
import type { Budget } from './client.ts';
import type { CodeKey, GrantType } from './grant.ts';

/**
 * Why a token request or a gateway's request was refused. The list is closed: a dialect must map every
 * reason to load, and code can raise no other. The order follows C-8.
 */
export const failureReasons = [
  'method_not_allowed',
  'unsupported_media_type',
  'body_too_large',
  'malformed_body',
  'repeated_parameter',
  'unknown_parameter',
  'misplaced_parameter',
  'authentication_missing',
  'authentication_malformed',
  'authentication_ambiguous',
  'missing_header',
  'invalid_header',
  'programme_mismatch',
  'client_authentication_failed',
  'client_mismatch',
  'context_mismatch',
  'missing_grant_type',
  'unsupported_grant_type',
  'grant_not_allowed',
  'missing_parameter',
  'invalid_parameter',
  'invalid_scope',
  'throttled',
  'invalid_code',
  'invalid_refresh_token',
  'invalid_member_credentials',
  'invalid_assertion',
  'missing_api_key',
  'invalid_api_key',
  'missing_token',
  'invalid_token',
  'insufficient_scope',
  'server_error',
  'temporarily_unavailable',
] as const;

export type FailureReason = (typeof failureReasons)[number];

/** The failure of a grant whose code, token or password is no good. */
export const grantFailures: Readonly<Partial<Record<GrantType, FailureReason>>> = {
  authorization_code: 'invalid_code',
  refresh_token: 'invalid_refresh_token',
  password: 'invalid_member_credentials',
  token_exchange: 'invalid_assertion',
  jwt_bearer: 'invalid_assertion',
};

/**
 * The statuses that tell a gateway not to let a request pass: nginx takes any other for an outage
 * (RFC 6750 3.1).
 */
export const gatewayRefusals: ReadonlyMap<FailureReason, 401 | 403> = new Map([
  ['missing_api_key', 401],
  ['invalid_api_key', 401],
  ['missing_token', 401],
  ['invalid_token', 401],
  ['insufficient_scope', 403],
]);

/**
 * Why a login request was refused. The first group is shown on a page and never sent by a redirect:
 * no redirect URI can be trusted yet (RFC 6749 4.1.2.1).
 */
export const pageOnlyLoginFailures = [
  'ambiguous_request',
  'missing_client_id',
  'unknown_client',
  'missing_redirect_uri',
  'unregistered_redirect_uri',
  'programme_mismatch',
] as const;

export const redirectableLoginFailures = [
  'repeated_parameter',
  'unknown_parameter',
  'missing_parameter',
  'invalid_parameter',
  'invalid_header',
  'missing_response_type',
  'unsupported_response_type',
  'context_mismatch',
  'invalid_scope',
  'access_denied',
  'login_required',
  'server_error',
  'temporarily_unavailable',
] as const;

export type PageOnlyLoginFailure = (typeof pageOnlyLoginFailures)[number];
export type RedirectableLoginFailure = (typeof redirectableLoginFailures)[number];
export type LoginFailureReason = PageOnlyLoginFailure | RedirectableLoginFailure;

/** Every failure of a login request. */
export const loginFailureReasons: readonly LoginFailureReason[] = [
  ...pageOnlyLoginFailures,
  ...redirectableLoginFailures,
];

/** Facts of a failure besides its reason; only the renderer decides which to tell. */
export interface FailureFacts {
  /** Wire name of the parameter or header at fault. */
  readonly parameter?: string;
  /** The requested scope that was refused. */
  readonly scope?: string;
  /** Seconds after which another try may succeed. */
  readonly retryAfter?: number;
  /** What a client that has proved itself has left of its limit. */
  readonly budget?: Budget;
  /** The methods that the endpoint answers, for the header `Allow`. */
  readonly allow?: string;
  /** Values of the request that the answer may repeat, by their names in files. */
  readonly sent?: Readonly<Record<string, string>> | undefined;
  /** The time of the answer. */
  readonly at?: Instant;
  /** For operators; never sent. */
  readonly cause?: Cause;
  /** A code that is unknown here, for operators: another programme may know it. */
  readonly code?: CodeKey;
}

/** A token request refused for a known reason. Any other error is a server_error. */
export class Refusal extends Error {
  readonly reason: FailureReason;
  readonly facts: FailureFacts;

  constructor(reason: FailureReason, facts: FailureFacts = {}) {
    super(facts.cause?.came ?? reason);
    this.name = 'Refusal';
    this.reason = reason;
    this.facts = facts;
  }
}

/** A login request refused for a known reason. */
export class LoginRefusal extends Error {
  readonly reason: LoginFailureReason;
  readonly facts: FailureFacts;

  constructor(reason: LoginFailureReason, facts: FailureFacts = {}) {
    super(facts.cause?.came ?? reason);
    this.name = 'LoginRefusal';
    this.reason = reason;
    this.facts = facts;
  }
}

/** The caller has closed the connection: no answer can be given, and none is logged. */
export class HungUp extends Error {
  override readonly name = 'HungUp';
}

/**
 * Store or directory does not answer. Never told as invalid_grant, on which partners throw refresh
 * tokens away (G-22).
 */
export class Unavailable extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(what, options);
    this.name = 'Unavailable';
  }
}

/** An operator has taken the programme out of service for a while, and knows it: it is not logged. */
export class InMaintenance extends Unavailable {
  readonly retryAfter: Milliseconds;

  constructor(retryAfter: Milliseconds) {
    super('the programme is in maintenance');
    this.retryAfter = retryAfter;
  }
}

/** Refused unbegun: too many ask at once, and the caller is one of them. */
export class Overloaded extends Unavailable {}
