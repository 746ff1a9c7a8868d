// Owns moving the registered things of schema 5, which had a table for each kind, into the tables of schema 6.

import type { DatabaseSync } from 'node:sqlite';

import { rowSum, type Value } from '../../sql/table.ts';
import { registryColumns, type RegistryTable, registryTables } from '../registry_schema.ts';

/** A table of schema 5: the new table for its rows, their values, and the columns of its old sums. */
type Former = readonly [target: RegistryTable, table: string, values: string, summed: string];

const member = 'programme, subject, username, record';

const formers: readonly Former[] = [
  ['registered', 'client', `'client', programme, id, record`, 'programme, id, record'],
  ['registered', 'member', `'member', programme, subject, record`, member],
  ['look_up', 'member', `'member', programme, 'username', username, subject`, member],
  ['registered', 'gateway', `'gateway', programme, id, record`, 'programme, id, record'],
  [
    'registered',
    'signing_key',
    // A patch with null leaves the property out (RFC 7396).
    `'signing_key', programme, kid, json_patch(
       json_object('programme', programme, 'kid', kid, 'algorithm', algorithm, 'publicJwk',
         public_jwk, 'sealedPrivateJwk', sealed_private_jwk, 'createdAt', created_at),
       json_object('signsFrom', signs_from, 'retiresAt', retires_at))`,
    `programme, kid, algorithm, public_jwk, sealed_private_jwk, created_at, signs_from, retires_at`,
  ],
  [
    'look_up',
    'api_key',
    `'client', programme, 'api_key', digest, client`,
    'programme, digest, client',
  ],
  ['removed', 'removed_client', `'client', programme, id, removed_at`, 'programme, id, removed_at'],
];

/**
 * Makes the tables and moves the rows of schema 5 into them, inside a transaction. The difference between a row and its sum is carried over: damage stays noticeable.
 */
export function registeredFromSchema5(database: DatabaseSync): void {
  database.function('row_sum', { deterministic: true, varargs: true }, (...values) =>
    rowSum(values as Value[]),
  );
  database.exec(registryTables);
  for (const [target, table, values, summed] of formers) {
    database.exec(
      `INSERT INTO ${target} (${registryColumns[target].join(', ')}, sum)
       SELECT ${values}, row_sum(${values}) + sum - row_sum(${summed}) FROM ${table}
       ${target === 'registered' ? 'ORDER BY position' : ''}`,
    );
  }
  for (const table of new Set(formers.map(([, name]) => name))) {
    database.exec(`DROP TABLE ${table}`);
  }
}
