// HOSTILE 23 to 26 and 28: authorization codes in wrong hands, too late, twice, and all at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  codeFor,
  invalidCode,
  invalidRefreshToken,
  isLive,
  openClub,
  redeem,
  refresh,
  tokensIn,
} from '../support/club.ts';
import { inTurns, openNodes } from '../support/nodes.ts';

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

test('HOSTILE 23: a code is its client’s alone, and a stranger’s try costs nothing', async (t) => {
  const club = await openClub(t);
  const thief = await club.addClient({ id: 'partnerapi-00002', secret: 'good credentials' });
  const code = await codeFor(club);
  for (let attempt = 0; attempt < 3; attempt++) {
    assert.deepEqual(await redeem({ ...club, client: thief }, code), invalidCode);
  }
  // Nor does any other answer show that there is such a code.
  const tooMuch = { scope: 'AUTHN-LEVEL-15' };
  assert.deepEqual(await redeem({ ...club, client: thief }, code, tooMuch), invalidCode);
  const tokens = tokensIn(await redeem(club, code));
  // Nor does a stranger's replay revoke what the rightful client has got.
  assert.deepEqual(await redeem({ ...club, client: thief }, code), invalidCode);
  assert.equal(await isLive(club, tokens.access_token), true);
  tokensIn(await refresh(club, tokens.refresh_token));
});

for (const seconds of [1, 30, 121, 24 * 3600 - 1]) {
  test(`HOSTILE 25: a code replayed at ${seconds} s kills what the first use issued`, async (t) => {
    const club = await openClub(t);
    const code = await codeFor(club);
    const first = tokensIn(await redeem(club, code));
    club.clock.advance(0.5);
    const second = tokensIn(await refresh(club, first.refresh_token));
    club.clock.advance(seconds - 0.5);
    assert.deepEqual(await redeem(club, code), invalidCode);
    assert.equal(await isLive(club, first.access_token), false);
    assert.equal(await isLive(club, second.access_token), false);
    assert.deepEqual(await refresh(club, second.refresh_token), invalidRefreshToken);
    assert.deepEqual(await redeem(club, code), invalidCode);
  });
}

test('HOSTILE 25: a replay that fails redirect_uri or PKCE is no replay', async (t) => {
  const club = await openClub(t);
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
  const code = await codeFor(club, pkce);
  const tokens = tokensIn(await redeem(club, code, { code_verifier: verifier }));
  assert.deepEqual(await redeem(club, code), invalidCode);
  const elsewhere = { redirect_uri: 'https://evil.example', code_verifier: verifier };
  assert.deepEqual(await redeem(club, code, elsewhere), invalidCode);
  assert.equal(await isLive(club, tokens.access_token), true);
  assert.deepEqual(await redeem(club, code, { code_verifier: verifier }), invalidCode);
  assert.equal(await isLive(club, tokens.access_token), false);
});

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
