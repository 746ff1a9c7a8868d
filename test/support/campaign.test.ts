// Owns the proof that a campaign forgives a busy machine its times, and nothing else, and not for ever.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { untold, verdictOf } from '../../scripts/campaign.ts';
import { othersTime, type Row } from '../../scripts/load/noise.ts';
import { scratchFolder } from './scratch.ts';

const quiet = { mean: 0.02, worst: 0.1 };
const burst = { mean: 0.02, worst: 0.9 };
const busy = { mean: 0.5, worst: 0.9 };

for (const [what, faults, late, noise, verdict] of [
  ['nothing is missed', [], [], busy, 'met'],
  ['a login is lost', ['lost'], [], quiet, 'missed'],
  ['a login is lost on a busy machine', ['lost'], [], busy, 'missed'],
  ['a login is lost and an answer late on a busy machine', ['lost'], ['late'], busy, 'missed'],
  ['an answer is late', [], ['late'], quiet, 'missed'],
  ['an answer is late on a busy machine', [], ['late'], busy, 'untold'],
  ['a median is late beside a burst', [], ['late'], burst, 'missed'],
] as const) {
  test(`${what}: ${verdict}`, () => {
    assert.equal(verdictOf({ faults, late }, noise), verdict);
  });
}

test('a limit of single moments is untold beside a burst', () => {
  assert.equal(verdictOf({ faults: [], late: ['late'] }, burst, true), 'untold');
});

test('time of the processor: what other programs took, those that have ended included', () => {
  const us = process.pid;
  const row = (parent: number, own: number, children = 0): Row => ({ parent, own, children });
  const before = new Map([
    [us, row(50, 100)],
    [60, row(us, 100)],
    [70, row(50, 100)],
    [71, row(70, 30)],
    [72, row(71, 5)],
  ]);
  // 71 and 72 have ended: 70 has taken all their time over, of which 35 was known.
  const now = new Map([
    [us, row(50, 200)],
    [60, row(us, 300)],
    [70, row(50, 110, 40)],
    [80, row(70, 7)],
  ]);
  assert.equal(othersTime(before, now), 10 + (40 - 35) + 7);
});

test('.ci/run fails at the third run in a row in which the same part was untold', (t) => {
  const counts = scratchFolder(t, 'counts');
  const text = readFileSync(join(import.meta.dirname, '../../.ci/run'), 'utf8');
  const count = /^count_untold\(\) \{$[^]*?^\}$/m.exec(text)?.[0];
  assert.ok(count);
  const script = `set -eu; counts=$1 state=$1 notes=(); echo "$2" >"$state/output"; ${count}; count_untold fleet`;
  const codes = [untold, untold, 'told', untold, untold, untold, untold].map(
    (words) => spawnSync('bash', ['-c', script, 'bash', counts, `${words}: 40 %`]).status,
  );
  assert.deepEqual(codes, [0, 0, 0, 0, 0, 1, 1]);
});
