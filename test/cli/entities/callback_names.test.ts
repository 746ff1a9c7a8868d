// Owns the promise that `check` reads the callbacks in a store (HOSTILE 86) and leaves the store as it is; what
// it and other verbs say of them is in callback_names.session.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { jetway, workFolder } from '../command.ts';

test('callbacks are not looked at where the store cannot be read: check says so, and changes nothing', async (t) => {
  const folder = workFolder(t);
  const add = ['client', 'add', '--programme', 'club', '--name', 'Blue', '--role', 'partner'];
  assert.equal((await jetway(folder, add)).code, 0);
  const store = join(folder, 'data/jetway.db');
  const before = readFileSync(store);
  assert.equal((await jetway(folder, ['check'])).stdout, '1 programme, 0 errors, 0 warnings\n');
  assert.deepEqual(readFileSync(store), before);
  writeFileSync(store, 'no database, and longer than a header of one could be; '.repeat(40));
  const { code, stdout } = await jetway(folder, ['check']);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /warning: the callbacks in the store are not looked at: .* \[store_not_looked_at\]\n/,
  );
});
