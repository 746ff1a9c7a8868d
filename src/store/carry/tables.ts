// Owns what is carried from one store to another: the columns of rows, and the single values beside them.

import type { Instant } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import type { Era } from '../../oauth/grant.ts';
import type { AcceptedTime } from '../accepted_time.ts';
import type { Environment } from '../contract.ts';
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
  /** Revocations up to this instant may have been removed since a time was accepted last. */
  readonly forgottenSince?: Instant;
  readonly accepted?: AcceptedTime;
}

type MetaFacts = Omit<StoreFacts, 'era' | 'accepted'>;

/** The facts that every backend keeps in its table `meta`. */
export function factsIn(get: (name: string) => string | undefined): MetaFacts {
  const timeIn = (name: string): Instant | undefined => {
    const value = get(name);
    return value === undefined ? undefined : (Number(value) as Instant);
  };
  return present({
    environment: get('environment') as Environment,
    createdAt: get('created_at') ?? '',
    recordedTime: timeIn('recorded_time'),
    keyCheck: get('key_check'),
    forgottenSince: timeIn('forgotten_since'),
  });
}

/** The rows of `meta` from which `factsIn` reads the facts. */
export function metaOfFacts(facts: MetaFacts): Readonly<Record<string, string | number>> {
  return present({
    environment: facts.environment,
    created_at: facts.createdAt,
    recorded_time: facts.recordedTime,
    key_check: facts.keyCheck,
    forgotten_since: facts.forgottenSince,
  });
}

/** Rows that are read and written at once. */
export const chunkRows = 2000;
