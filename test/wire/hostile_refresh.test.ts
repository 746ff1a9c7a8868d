// HOSTILE 29 to 32: refresh tokens used again, at once, after a restart, by others, for more.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  codeFor,
  invalidRefreshToken,
  isLive,
  openClub,
  redeem,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { inTurns, openNodes } from '../support/nodes.ts';

test('HOSTILE 29: a retry inside ten seconds gets the same answer to the byte', async (t) => {
  const club = await openClub(t);
  const { refresh_token: token } = await tokensOfLogin(club);
  const first = await refresh(club, token);
  for (const seconds of [0.001, 4.999, 5]) {
    club.clock.advance(seconds);
    assert.deepEqual(await refresh(club, token), first);
  }
  const { access_token: access, refresh_token: successor } = tokensIn(first);
  assert.equal(await isLive(club, access), true);
  tokensIn(await refresh(club, successor));
});

test('HOSTILE 29: a retry after ten seconds revokes the family', async (t) => {
  const club = await openClub(t);
  const tokens = await tokensOfLogin(club);
  const next = tokensIn(await refresh(club, tokens.refresh_token));
  club.clock.advance(10.001);
  assert.deepEqual(await refresh(club, tokens.refresh_token), invalidRefreshToken);
  assert.deepEqual(await refresh(club, next.refresh_token), invalidRefreshToken);
  for (const { access_token: access } of [tokens, next]) {
    assert.equal(await isLive(club, access), false);
  }
});

test('HOSTILE 29: once the successor was used, a retry inside the window revokes too', async (t) => {
  const club = await openClub(t);
  const tokens = await tokensOfLogin(club);
  const second = tokensIn(await refresh(club, tokens.refresh_token));
  club.clock.advance(1);
  const third = tokensIn(await refresh(club, second.refresh_token));
  assert.deepEqual(await refresh(club, tokens.refresh_token), invalidRefreshToken);
  assert.deepEqual(await refresh(club, third.refresh_token), invalidRefreshToken);
  // The family is dead; its sealed answers are no way back into it.
  assert.deepEqual(await refresh(club, second.refresh_token), invalidRefreshToken);
  assert.equal(await isLive(club, third.access_token), false);
});

test('HOSTILE 29: without a grace window every reuse revokes', async (t) => {
  const club = await openClub(t, { over: 'tokens: { refresh: { grace: 0s } }' });
  const tokens = await tokensOfLogin(club);
  const next = tokensIn(await refresh(club, tokens.refresh_token));
  assert.deepEqual(await refresh(club, tokens.refresh_token), invalidRefreshToken);
  assert.deepEqual(await refresh(club, next.refresh_token), invalidRefreshToken);
});

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

test('HOSTILE 31: another client’s refresh token is worth nothing and stays good', async (t) => {
  const club = await openClub(t);
  const thief = await club.addClient({ id: 'partnerapi-00002' });
  const stolen = { ...club, client: thief };
  const { refresh_token: token } = await tokensOfLogin(club);
  assert.deepEqual(await refresh(stolen, token), invalidRefreshToken);
  const next = await refresh(club, token);
  // Rotated, it neither tells the thief its answer nor lets the thief revoke the family.
  assert.deepEqual(await refresh(stolen, token), invalidRefreshToken);
  club.clock.advance(3600);
  assert.deepEqual(await refresh(stolen, token), invalidRefreshToken);
  tokensIn(await refresh(club, tokensIn(next).refresh_token));
});

test('HOSTILE 32: a refresh cannot ask for more than the login gave', async (t) => {
  const club = await openClub(t);
  const member = await club.addMember({ username: 'bob', level: 'AUTHN-LEVEL-12' });
  const { refresh_token: token } = await tokensOfLogin({ ...club, member });
  const invalidScope = refused(400, { error: 'invalid_scope' });
  for (const scope of ['AUTHN-LEVEL-15', 'AUTHN-LEVEL-11', 'x', 'AUTHN-LEVEL-10 AUTHN-LEVEL-12']) {
    assert.deepEqual(await refresh(club, token, { scope }), invalidScope, scope);
  }
  const lower = tokensIn(await refresh(club, token, { scope: 'AUTHN-LEVEL-10' }));
  assert.equal(lower.scope, 'AUTHN-LEVEL-10');
  // RFC 6749 6: what was left out once may be asked for again, for the login granted it.
  const same = tokensIn(await refresh(club, lower.refresh_token));
  assert.equal(same.scope, 'AUTHN-LEVEL-12');
});
