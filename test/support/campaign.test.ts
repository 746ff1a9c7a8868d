// Owns the proof that a campaign forgives a busy machine its times, and nothing else.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { verdictOf } from '../../scripts/campaign.ts';
import { othersTime, type Row } from '../../scripts/load/noise.ts';

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
