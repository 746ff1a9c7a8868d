// Owns the promise that a log which another process is writing is no damaged one.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { logDamage } from '../../../../src/store/sqlite/file/log.ts';
import { scratchFolder } from '../../../support/scratch.ts';

test('damage is told that is still there after four waits, and none that has gone meanwhile', (t) => {
  const path = join(scratchFolder(t, 'log'), 'jetway.db');
  const log = `${path}-wal`;
  const { mock } = t.mock.method(Atomics, 'wait', () => 'timed-out' as const);
  writeFileSync(log, Buffer.alloc(64, 1));
  assert.equal(logDamage(path), `its log ${log} has a damaged header`);
  assert.equal(mock.callCount(), 4);
  mock.mockImplementation(() => {
    rmSync(log, { force: true });
    return 'timed-out' as const;
  });
  assert.equal(logDamage(path), undefined);
});
