// Owns a short run of the crash campaign, so that it can be run at any time and finds what it looks for.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

test('FAULTS 1, 2, 8, 9, 26: stores that are killed at work lose nothing', async (t) => {
  const script = join(import.meta.dirname, '../../scripts/campaign_crash.ts');
  const run = promisify(execFile)(process.execPath, [script, '--count', '4', '--json']);
  const { stdout } = await run;
  t.diagnostic(stdout.trim());
  const result = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual(result['faults'], []);
  assert.deepEqual([result['kills'], result['backups']], [4, 1]);
  assert.ok(Number(result['acknowledged']) > 100);
});
