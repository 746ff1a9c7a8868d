// Owns the promises of finding events: what a fact must be.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { findEvents } from '../../src/audit/find.ts';
import { scratchFolder } from '../support/scratch.ts';

test('HOSTILE 75: an event without a fact, or with one that is no text, has no value of it', async (t) => {
  const path = join(scratchFolder(t, 'find'), 'audit.jsonl');
  const time = '2026-01-02T03:04:05Z';
  const clients = [undefined, null, 7, ['7'], { a: '7' }, '7'];
  const lines = clients.map((client) =>
    JSON.stringify({
      time,
      event: 'client_added',
      client,
      note: 'undefined null 7 [object Object]',
    }),
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
  const found = async (value: string): Promise<readonly unknown[]> => {
    const facts = [{ names: ['client'], values: [value] }];
    const events = await Array.fromAsync(findEvents(path, { facts }));
    return events.flat().map(({ facts: told }) => told['client']);
  };
  assert.deepEqual(await found('7'), ['7']);
  for (const value of ['undefined', 'null', '[object Object]']) {
    assert.deepEqual(await found(value), [], value);
  }
});
