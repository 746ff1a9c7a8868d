// Owns the promise that a copied store has every row, or is refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { carryRows } from '../../../src/store/carry/carry.ts';
import type { CarriedTable, Row } from '../../../src/store/carry/tables.ts';
import { StoreUnusable } from '../../../src/store/unusable.ts';

const table = { name: 'codes', isWhole: () => true } as unknown as CarriedTable;

test('FAULTS 26: a copy in which rows are missing, or too many, is refused', async () => {
  for (const more of [-1, 0, 1]) {
    const arrived: Row[] = [];
    const source = { name: 'a file', rows: () => [[[1], [2]], [[3]]] as unknown as Row[][] };
    const carried = carryRows(
      source,
      {
        name: 'a database',
        put: (_, rows) => void arrived.push(...rows),
        count: () => arrived.length + more,
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
