// HOSTILE 26: an authorization code used all at once, at two servers and over a restart. In wrong hands and
// twice: hostile_codes.transcript.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  codeFor,
  invalidCode,
  invalidRefreshToken,
  isLive,
  redeem,
  refresh,
  tokensIn,
} from '../support/club.ts';
import { inTurns, openNodes } from '../support/nodes.ts';

test('HOSTILE 26: of 50 redemptions at once on two nodes one succeeds', async (t) => {
  const { club, another } = await openNodes(t);
  const other = await another();
  const code = await codeFor(club);
  const answers = await inTurns([club, other], 50, (node) => redeem(node, code));
  const [winner, ...others] = answers.filter(({ status }) => status === 200);
  assert.ok(winner);
  assert.deepEqual(others, []);
  for (const answer of answers) if (answer !== winner) assert.deepEqual(answer, invalidCode);
  // The others were replays, so the one success is revoked, on both nodes.
  const { access_token: token, refresh_token: renewal } = tokensIn(winner);
  assert.deepEqual([await isLive(club, token), await isLive(other, token)], [false, false]);
  assert.deepEqual(await refresh(other, renewal), invalidRefreshToken);
});

test('HOSTILE 26: a code spent before a restart is spent after it, one unspent is not', async (t) => {
  const { club, another } = await openNodes(t);
  const [spent, unspent] = [await codeFor(club), await codeFor(club)];
  const tokens = tokensIn(await redeem(club, spent));
  await club.stop();
  const after = await another();
  tokensIn(await redeem(after, unspent));
  assert.equal(await isLive(after, tokens.access_token), true);
  assert.deepEqual(await redeem(after, spent), invalidCode);
  assert.equal(await isLive(after, tokens.access_token), false);
});
