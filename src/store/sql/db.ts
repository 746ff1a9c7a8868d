// Owns what an SQL backend does for the verbs that are written once: finding a row, and changing one.

import type { Instant } from '../../lib/clock.ts';
import type { Soon } from '../../lib/pause.ts';
import type { Era } from '../../oauth/grant.ts';
import type { AcceptedTime } from '../accepted_time.ts';
import type { Chain } from './chain.ts';
import type { Statement } from './statement.ts';
import type { Column, Table, Value } from './table.ts';

export type Values = Readonly<Record<string, Value>>;

/** The life of a store as of one moment. */
export interface Life {
  /** Rises with every change of a registered thing. */
  readonly registrations: number;
  /** The era of new codes and tokens. */
  readonly era: Era;
  readonly accepted?: AcceptedTime;
}

/**
 * How rows that were read are remembered, where nobody else can have changed them since. In PostgreSQL only
 * registered things can be, of which `isHeld` tells: until a change of any.
 */
export interface Remembering<Row> {
  readonly nameOf: (values: Values) => string | number;
  readonly isHeld?: (row: Row, values: Values) => boolean;
  /** The most rows held; the oldest go first. */
  readonly most: number;
}

export interface Reader<Row> {
  /** The first row; undefined where there is none. */
  readonly find: (values: Values) => Soon<Row | undefined>;
  /** The row as it was held last, which may be out of date; undefined where none is held. */
  readonly last: (name: string | number) => Row | undefined;
  /** A row as it is after a change, in the place of the row before if that is still held; call it as `settled`. */
  readonly replace: (name: string | number, before: Row, after: Row) => void;
  readonly forget: (name: string | number) => void;
}

export interface ChangeOptions {
  /**
   * The values of a run after one whose outcome was lost: by them a row is known that this very change has
   * made. Those of the first run if left out.
   */
  readonly again?: () => Values;
  /** Called once the row is changed, inside the commit where there is one of this process. */
  readonly settled?: () => void;
}

/**
 * Changes a row. The values may depend on the era of the commit. Resolves to whether a row was changed; the change is
 * durable by then. Resolves to undefined if an outcome was lost and the row is not as this change would have left it:
 * somebody may have changed it since.
 */
export type Writer = (
  values: Values | ((era: Era) => Values),
  options?: ChangeOptions,
) => Promise<boolean | undefined>;

export interface Chained {
  /** How many parts of the chain were done, the guard first. Nothing is left of one that was not done whole. */
  readonly done: number;
  /** Whether an outcome was lost. */
  readonly wasUnknown: boolean;
}

export interface EditOptions {
  /** Whether it ends the era: what its owners are issued from then on stands. */
  readonly endsEra: boolean;
  readonly isUrgent: boolean;
  /** Whether it may be done twice: it is false also if its outcome was lost. */
  readonly isRepeatable: boolean;
  /** A time that it accepts, as long as no more was forgotten meanwhile; the era ends with it. */
  readonly accepts?: { readonly time: Instant; readonly forgotten: Instant };
  /** See `ChangeOptions`. */
  readonly settled: () => void;
}

/** Rows that cost no commit of their own, and may be lost in a crash. */
export interface Notes {
  readonly waiting: () => readonly Values[];
  /** These are durable. */
  readonly written: (rows: readonly Values[]) => void;
}

/** What goes with the removal of rows. */
export interface Removal {
  /** The era of the accepted time that the caller goes by: nothing is done where it is another by now. */
  readonly lived: Era | undefined;
  /** See `Db.forget`. */
  readonly forgotten?: Instant;
}

export interface Db {
  readonly life: () => Soon<Life>;
  /**
   * Notes that a revocation that was to be kept until then is not: its token would be good again if the clock
   * were set back later (FAULTS 29).
   */
  readonly forget: (until: Instant) => Promise<void>;
  /** Rejects where a write would be refused, as on a full disk; writes nothing. */
  readonly expectWritable: () => Promise<void>;
  /** The latest instant that was noted so since a time was accepted last. */
  readonly forgotten: () => Promise<Instant>;
  /** `life` is not later than the row: a revocation after it covers a login of its era too. */
  readonly reader: <Row>(
    asked: Statement,
    parse: (columns: readonly Value[], life: () => Life) => Row,
    remembering?: Remembering<Row>,
  ) => Reader<Row>;
  /** The same for all rows of a question. */
  readonly listReader: <Row>(
    asked: Statement,
    parse: (rows: readonly (readonly Value[])[]) => Row,
    remembering?: Remembering<Row>,
  ) => Reader<Row>;
  /** Reads all rows of any number of questions, for commands and changes: nothing is remembered. */
  readonly bulkReader: <Row>(
    asked: Statement,
    parse: (rows: readonly (readonly Value[])[]) => Row,
  ) => (questions: readonly Values[]) => Promise<readonly Row[]>;
  /** `second` is the statement of a run after one whose outcome was lost; the same if left out. */
  readonly writer: (asked: Statement, second?: Statement) => Writer;
  /**
   * Does each statement over rows of its own, all or nothing: false, and nothing is done, where a registered
   * thing or the era has changed since `life`.
   */
  readonly editor: (
    name: string,
    statements: readonly Statement[],
  ) => (life: Life, options: EditOptions, rows: readonly (readonly Values[])[]) => Promise<boolean>;
  /** `second` as with `writer`. */
  readonly chainWriter: (asked: Chain, second?: Chain) => (values: Values) => Promise<Chained>;
  /** Changes or removes rows for good; resolves to how many there were. */
  readonly bulkWriter: (
    asked: Statement,
  ) => (rows: readonly Values[], removal: Removal) => Promise<number>;
  /** The columns by which the rows of a table lie beside each other. */
  readonly orderOf: (table: Table) => Readonly<Record<string, Column>>;
  /** Writes what waits, now and then, by an INSERT. */
  readonly noter: (asked: Statement, notes: Notes) => void;
}
