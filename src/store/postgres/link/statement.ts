// Owns what a statement for PostgreSQL is, and how it can end other than by rows.

import { Unavailable } from '../../../oauth/failure.ts';
import { TurnedAway } from '../../unusable.ts';

export interface Statement {
  /** Under which a connection keeps its plan: one name, one text. */
  readonly name: string;
  readonly text: string;
  /**
   * Whether it changes nothing: it runs again when its connection is lost. A statement that writes does
   * not, since it may have been committed.
   */
  readonly isRead: boolean;
}

/** A parameter: arrays are PostgreSQL's arrays. */
export type Parameter = string | number | boolean | Uint8Array | null | readonly Parameter[];

/** A column of a row: bigint as a number, bytea as bytes. */
export type Found = string | number | boolean | Uint8Array | null;

/** The rows of a statement, each with its columns in order. */
export type Rows = readonly (readonly Found[])[];

/**
 * The connection ended, or the deadline passed, after a statement that writes was sent: it may have been
 * committed, and may be committed later.
 */
export class OutcomeUnknown extends Unavailable {}

/**
 * The database refused a statement and rolled it back. An error of the database that no verb expects is an
 * outage of the store.
 */
export class Refused extends TurnedAway {
  /** SQLSTATE. */
  readonly code: string;
  override readonly passes: boolean;

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.passes = passing.has(code);
  }
}

/** SQLSTATE of a write on a standby. */
export const readOnly = '25006';

/** SQLSTATEs of refusals that another try may not meet: serialization, deadlock, lock timeout. */
const passing: ReadonlySet<string> = new Set(['40001', '40P01', '55P03', readOnly]);

export function mayPass(error: unknown): boolean {
  return error instanceof Refused && error.passes;
}
