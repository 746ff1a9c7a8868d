// Owns the tests of binary arrays as a real server reads them.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { type ArrayType, binaryArray } from '../../../../src/store/postgres/link/array.ts';
import { testServer } from '../../../support/postgres.ts';
import { without } from '../../../support/tools.ts';

const most = Number.MAX_SAFE_INTEGER;

const arrays: readonly (readonly [ArrayType, Parameters<typeof binaryArray>[1]])[] = [
  ['text', ['', 'zoë, "😀" {}', null, 'NULL', '\\']],
  ['bigint', [0, 1, -1, 2 ** 32, -(2 ** 32) - 1, most, -most, null]],
  ['bytea', [new Uint8Array(), Buffer.from([0, 255, 92]), null]],
  ['text', []],
  ['bytea', []],
];

it(
  'PostgreSQL reads binary arrays as the values they were made of',
  {
    skip: without('postgres'),
  },
  async () => {
    const client = await (await testServer()).client();
    for (const [type, values] of arrays) {
      const { rows } = await client.query<{ found: unknown }>(
        `SELECT array_to_json(ARRAY(SELECT ${type === 'bytea' ? "encode(one, 'hex')" : 'one'}
        FROM unnest($1::${type}[]) WITH ORDINALITY AS asked(one, n) ORDER BY n)) AS found`,
        [binaryArray(type, values)],
      );
      const expected = values.map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
      );
      assert.deepEqual(rows[0]?.found, expected, type);
    }
    await client.end();
  },
);
