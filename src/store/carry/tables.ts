// Owns what is carried from one store to another: which tables, the columns of their rows, and the
// single values beside them.

import type { Instant } from '../../lib/clock.ts';
import type { Era } from '../../oauth/grant.ts';
import type { Environment } from '../contract.ts';
import type { AcceptedTime } from '../judgement.ts';
import {
  type Column,
  integer,
  rowSum,
  type Table,
  text,
  turned,
  type Value,
} from '../sql/table.ts';
import { lookUps, registered, removed, revocations, revokedTokens, tables } from '../sql/tables.ts';

/** The values of a row in the order of `CarriedTable.columns`. */
export type Row = readonly Value[];

export interface CarriedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly types: readonly Column['type'][];
  /** How rows are read, so that they are written in the order in which they are to lie. */
  readonly orderBy: string;
  /** Whether a row fits its sum; true where rows have none. */
  readonly isWhole: (row: Row) => boolean;
}

/** Rows are numbered anew, in their order. */
const numbered = 'position';

function carried({ name, columns, summed, turnedBy, key }: Table): CarriedTable {
  const names = Object.keys(columns).filter((column) => column !== numbered);
  const covered = summed.map((column) => names.indexOf(column));
  const [turner, sum] = [names.indexOf(turnedBy ?? ''), names.indexOf('sum')];
  return {
    name,
    columns: names,
    types: names.map((column) => columns[column]?.type ?? 'text'),
    orderBy: key.join(', '),
    isWhole: (row) => {
      const expected = rowSum(covered.map((index) => row[index] ?? null));
      return row[sum] === ((row[turner] ?? null) === null ? expected : turned(expected));
    },
  };
}

const useColumns = { programme: text(), client: text(), digest: text(), used_at: integer() };

/** Uses of secrets, whose rows have no sums. */
const secretUses: CarriedTable = {
  name: 'secret_use',
  columns: Object.keys(useColumns),
  types: Object.values(useColumns).map(({ type }) => type),
  orderBy: 'programme, client, digest',
  isWhole: () => true,
};

/** All that a store is asked for; leases of node numbers end with their processes. */
export const everything: readonly CarriedTable[] = [...tables.map(carried), secretUses];

/** What a backup may bring back: some of the grants were used, advanced or revoked since. */
export const registrations: readonly CarriedTable[] = [
  ...[removed, revocations, revokedTokens, registered, lookUps].map(carried),
  secretUses,
];

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

/** Rows that are read and written at once. */
export const chunkRows = 2000;
