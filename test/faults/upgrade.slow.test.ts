// FAULTS 26 with a real command: a store of another schema is refused by name, and left as it is.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { schemaVersion } from '../../src/store/sqlite/schema.ts';
import { configText, jetway, workFolder } from '../cli/command.ts';
import { shippedLogos, shippedProgramme } from '../support/jetway.ts';

for (const [which, version, way] of [
  ['newer', schemaVersion + 1, /newer/],
  ['older', schemaVersion - 1, /move it away/],
] as const) {
  test(`FAULTS 26: a store of a schema that is ${which} is refused`, async (t) => {
    const folder = workFolder(t, {
      'config.yaml': configText,
      ...shippedLogos(),
      'programmes/club.yaml': shippedProgramme('third-club'),
    });
    const path = join(folder, 'data/jetway.db');
    await jetway(folder, ['client', 'list']);
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA user_version = ${version}; PRAGMA wal_checkpoint(TRUNCATE)`);
    database.close();
    const before = readFileSync(path);
    for (const verb of [['serve'], ['client', 'list'], ['store', 'backup', 'copy.db']]) {
      const { code, stdout, stderr } = await jetway(folder, verb);
      assert.deepEqual([code, stdout], [4, ''], verb.join(' '));
      assert.ok(stderr.includes(path) && stderr.includes(`schema ${version}`), stderr);
      assert.match(stderr, way);
    }
    assert.deepEqual(readFileSync(path), before);
  });
}
