// HOSTILE 29 and 30: refresh tokens used again at once, at two servers, and after a restart. By others and for
// more: hostile_refresh.transcript.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  codeFor,
  invalidRefreshToken,
  isLive,
  redeem,
  refresh,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { inTurns, openNodes } from '../support/nodes.ts';

test('HOSTILE 29: 20 refreshes at once on two nodes get one answer and leave one lineage', async (t) => {
  const { club, another } = await openNodes(t);
  const nodes = [club, await another()];
  const { refresh_token: token } = await tokensOfLogin(club);
  const answers = await inTurns(nodes, 20, (node) => refresh(node, token));
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  const [first] = answers;
  assert.ok(first);
  let tokens = tokensIn(first);
  assert.equal(await isLive(club, tokens.access_token), true);
  const again = await inTurns(nodes, 20, (node) => refresh(node, tokens.refresh_token));
  assert.equal(new Set(again.map(({ body }) => body)).size, 1);
  assert.ok(again[0]);
  tokens = tokensIn(again[0]);
  // Its grandparent is no longer good for a retry, on any node.
  for (const node of nodes) assert.deepEqual(await refresh(node, token), invalidRefreshToken);
  assert.deepEqual(await refresh(club, tokens.refresh_token), invalidRefreshToken);
});

test('HOSTILE 29: without a grace window 20 at once end the family, whoever was first', async (t) => {
  const { club, another } = await openNodes(t, 'tokens: { refresh: { grace: 0s } }');
  const nodes = [club, await another()];
  const { refresh_token: token, access_token: access } = await tokensOfLogin(club);
  const answers = await inTurns(nodes, 20, (node) => refresh(node, token));
  const successes = answers.filter(({ status }) => status === 200);
  assert.equal(successes.length, 1);
  for (const answer of answers) {
    if (answer.status !== 200) assert.deepEqual(answer, invalidRefreshToken);
    else {
      const { refresh_token: late } = tokensIn(answer);
      assert.deepEqual(await refresh(club, late), invalidRefreshToken);
    }
  }
  assert.equal(await isLive(club, access), false);
});

test('HOSTILE 30: the grace window goes on after a restart, and ends when it would have', async (t) => {
  const { club, another } = await openNodes(t);
  const tokens = await tokensOfLogin(club);
  const first = await refresh(club, tokens.refresh_token);
  await club.stop();
  club.clock.advance(9);
  const restarted = await another();
  assert.deepEqual(await refresh(restarted, tokens.refresh_token), first);
  await restarted.stop();
  club.clock.advance(1.001);
  const again = await another();
  assert.deepEqual(await refresh(again, tokens.refresh_token), invalidRefreshToken);
  const { refresh_token: successor, access_token: access } = tokensIn(first);
  assert.deepEqual(await refresh(again, successor), invalidRefreshToken);
  assert.equal(await isLive(again, access), false);
});

test('HOSTILE 30: a family that was revoked stays revoked after a restart', async (t) => {
  const { club, another } = await openNodes(t);
  const code = await codeFor(club);
  const tokens = tokensIn(await redeem(club, code));
  assert.equal((await redeem(club, code)).status, 400);
  await club.stop();
  const restarted = await another();
  assert.deepEqual(await refresh(restarted, tokens.refresh_token), invalidRefreshToken);
  assert.equal(await isLive(restarted, tokens.access_token), false);
});

test('HOSTILE 30: an unused refresh token is good after a restart', async (t) => {
  const { club, another } = await openNodes(t);
  const tokens = await tokensOfLogin(club);
  await club.stop();
  tokensIn(await refresh(await another(), tokens.refresh_token));
});
