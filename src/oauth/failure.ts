// Owns how code raises a failure: its reason and facts. The lists of reasons stand in reasons.ts and login_reasons.ts.

import type { Instant, Milliseconds } from '../lib/clock.ts';
import type { Cause } from './cause.ts';
import type { Budget } from './client.ts';
import type { CodeKey } from './grant.ts';
import type { LoginFailureReason } from './login_reasons.ts';
import type { FailureReason } from './reasons.ts';

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
  /** The form of the answer that the request has chosen; the dialect's usual one if left out. */
  readonly form?: string | undefined;
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
