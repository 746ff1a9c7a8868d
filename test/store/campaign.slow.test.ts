// Owns a short run of the crash campaign, so that it can be run at any time and finds what it looks for.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

test('FAULTS 1, 2, 8, 9, 26: stores that are killed at work lose nothing', async (t) => {
  const script = join(import.meta.dirname, '../../scripts/campaign_crash.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--count', '4']);
  t.diagnostic(stdout.trim());
  const [, acknowledged] = /^4 kills, 1 backups, (\d+) steps acknowledged/m.exec(stdout) ?? [];
  assert.ok(Number(acknowledged) > 100, stdout);
});
