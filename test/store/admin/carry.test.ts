// Owns the promise that a copied store has every row, or is refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type CarriedTable, carryRows } from '../../../src/store/admin/carry.ts';
import type { Values } from '../../../src/store/sql/db.ts';
import { StoreUnusable } from '../../../src/store/unusable.ts';

const table = { name: 'codes', columns: ['n'], isWhole: () => true } as unknown as CarriedTable;

test('FAULTS 26: a copy in which rows are missing, or too many, is refused', async () => {
  for (const more of [-1, 0, 1]) {
    const arrived: Values[] = [];
    const source = {
      name: 'a file',
      async *chunks() {
        yield [[1], [2]];
        yield [[3]];
      },
    };
    const carried = carryRows(
      source,
      {
        name: 'a database',
        write: async (_, rows) => void arrived.push(...rows),
        run: async () => [[arrived.length + more]],
      },
      [table],
    );
    if (more === 0) assert.deepEqual(await carried, { codes: 3 });
    else
      await assert.rejects(
        carried,
        new StoreUnusable(
          `${3 + more} rows of codes have arrived in a database, of 3`,
          'see that nothing else writes to it, and run the command again',
        ),
      );
  }
});
