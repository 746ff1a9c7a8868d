// The oldest PostgreSQL that is promised: the store's contract, and several nodes, on that release; an older
// one is refused by name.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

import { expectRelease } from '../../../src/store/postgres/link/primary.ts';
import { oldestPostgres, without } from '../../support/tools.ts';

test(
  'the store keeps its contract on PostgreSQL 15',
  { skip: without('postgresql-15', 'postgres') },
  () => {
    const files = ['../contract/*.test.ts', 'nodes.test.ts', 'durability.test.ts'];
    const { NODE_TEST_CONTEXT: _, ...usual } = process.env;
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        '--test',
        '--test-isolation=none',
        '--test-reporter=tap',
        ...files.map((file) => join(import.meta.dirname, file)),
      ],
      { env: { ...usual, JETWAY_TESTS_POSTGRES: oldestPostgres }, encoding: 'utf8' },
    );
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^# pass [1-9]\d\d$/m);
    assert.match(stdout, /^# skipped 0$/m);
  },
);

test('an older release is refused by name', () => {
  expectRelease('15.18 (Debian 15.18-0+deb12u1)');
  expectRelease('18.4');
  expectRelease('19beta1');
  assert.throws(
    () => expectRelease('14.20 (Debian 14.20-1)'),
    /^Error: PostgreSQL 14\.20 \(Debian 14\.20-1\) is too old: Jetway needs 15 or later$/,
  );
});
