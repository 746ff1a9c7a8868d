// Owns what is carried from one store to another: the columns of rows, and the single values beside them.

import type { Instant } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import type { Era } from '../../oauth/grant.ts';
import type { Environment } from '../contract.ts';
import type { AcceptedTime } from '../judgement.ts';
import { type Column, type Table, type Value, wholeness } from '../sql/table.ts';
import { lasting, tables } from '../sql/tables.ts';

/** The values of a row in the order of `CarriedTable.columns`. */
export type Row = readonly Value[];

export interface CarriedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly types: readonly Column['type'][];
  /** How rows are read, so that they are written in the order in which they are to lie. */
  readonly orderBy: string;
  readonly isWhole: (row: Row) => boolean;
}

/** Rows are numbered anew, in their order. */
const numbered = 'position';

function carried(table: Table): CarriedTable {
  const names = table.names.filter((column) => column !== numbered);
  return {
    name: table.name,
    columns: names,
    types: names.map((column) => table.columns[column]?.type ?? 'text'),
    orderBy: table.key.join(', '),
    isWhole: wholeness(table, names),
  };
}

/** All that a store is asked for; leases of node numbers end with their processes. */
export const everything: readonly CarriedTable[] = tables.map(carried);

/** What a backup of a database may bring back. */
export const registrations: readonly CarriedTable[] = lasting.map(carried);

/** The single values of a store. */
export interface StoreFacts {
  readonly environment: Environment;
  /** In ISO 8601. */
  readonly createdAt: string;
  readonly recordedTime?: Instant;
  /** By which another master key is noticed. */
  readonly keyCheck?: string;
  readonly era: Era;
  /** Revocations of tokens that ended up to this instant may have been removed. */
  readonly forgottenUntil: Instant;
  readonly accepted?: AcceptedTime;
}

type MetaFacts = Pick<StoreFacts, 'environment' | 'createdAt' | 'recordedTime' | 'keyCheck'>;

/** The facts that every backend keeps in its table `meta`. */
export function factsIn(get: (name: string) => string | undefined): MetaFacts {
  const recorded = get('recorded_time');
  return present({
    environment: get('environment') as Environment,
    createdAt: get('created_at') ?? '',
    recordedTime: recorded === undefined ? undefined : (Number(recorded) as Instant),
    keyCheck: get('key_check'),
  });
}

/** The rows of `meta` from which `factsIn` reads the facts. */
export function metaOfFacts(facts: MetaFacts): Readonly<Record<string, string | number>> {
  return present({
    environment: facts.environment,
    created_at: facts.createdAt,
    recorded_time: facts.recordedTime,
    key_check: facts.keyCheck,
  });
}

/** The time and era that were accepted; undefined where one of the two is missing. */
export function acceptedIn(
  era: number | null | undefined,
  time: number | null | undefined,
): AcceptedTime | undefined {
  if (typeof era !== 'number' || typeof time !== 'number') return undefined;
  return { era: era as Era, time: time as Instant };
}

/** Rows that are read and written at once. */
export const chunkRows = 2000;
