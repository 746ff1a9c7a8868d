// HOSTILE 25, 26, 29, 30, 31 with real servers: two processes on one store file, killed and started again.

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
  tokensOfLogin,
} from '../support/club.ts';
import { inTurns } from '../support/nodes.ts';
import { startLoad } from './load.ts';
import { openSite, type ServedClub, type Site, unthrottled } from './site.ts';

/** A minute for retries: how much of it a machine takes for itself is not what is tested. */
const grace = 'tokens: { refresh: { grace: 60s } }';

test('two servers on one store file', async (t) => {
  const site = await openSite(t, { over: grace });
  const nodes = await startTwo(site);
  const [first, second] = nodes;

  await t.test(
    'HOSTILE 26, 25: of 50 redemptions one succeeds, and dies by the others',
    async () => {
      for (let round = 0; round < 3; round += 1) {
        const code = await codeFor(first);
        const answers = await inTurns(nodes, 50, (node) => redeem(node, code));
        const [winner, ...others] = answers.filter(({ status }) => status === 200);
        assert.ok(winner);
        assert.deepEqual(others, []);
        for (const answer of answers) if (answer !== winner) assert.deepEqual(answer, invalidCode);
        const tokens = tokensIn(winner);
        assert.equal(await isLive(first, tokens.access_token), false);
        assert.deepEqual(await refresh(second, tokens.refresh_token), invalidRefreshToken);
      }
    },
  );

  for (const seconds of [1, 30]) {
    await t.test(
      `HOSTILE 25: a code replayed at the other at ${seconds} s kills the first tokens`,
      async () => {
        const code = await codeFor(first);
        const tokens = tokensIn(await redeem(first, code));
        await site.pass(seconds);
        assert.equal(await isLive(first, tokens.access_token), true);
        assert.deepEqual(await redeem(second, code), invalidCode);
        assert.equal(await isLive(first, tokens.access_token), false);
        assert.deepEqual(await refresh(first, tokens.refresh_token), invalidRefreshToken);
      },
    );
  }

  await t.test('HOSTILE 24: a code ends at both at once', async () => {
    const [good, late] = [await codeFor(first), await codeFor(first)];
    // Nobody knows how long the machine took meanwhile.
    await site.pass(90);
    tokensIn(await redeem(second, good));
    await site.pass(30);
    assert.deepEqual(await redeem(second, late), invalidCode);
    assert.deepEqual(await redeem(first, late), invalidCode);
  });

  await t.test('HOSTILE 29, 31: 20 refreshes get one answer and leave one lineage', async () => {
    const thief = await first.addClient({ id: 'partnerapi-00002', secret: 'good credentials' });
    const start = await tokensOfLogin(first);
    let token = start.refresh_token;
    for (let round = 0; round < 3; round += 1) {
      const presented = token;
      const answers = await inTurns(nodes, 20, (node) => refresh(node, presented));
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      assert.ok(answers[0]);
      const next = tokensIn(answers[0]);
      assert.equal(await isLive(first, next.access_token), true);
      // HOSTILE 31: another client neither gets the answer nor ends the family.
      const theft = inTurns(nodes, 4, (node) => refresh({ ...node, client: thief }, presented));
      for (const answer of await theft) assert.deepEqual(answer, invalidRefreshToken);
      await site.pass(5);
      assert.deepEqual(await refresh(second, presented), answers[0]);
      token = next.refresh_token;
    }
    // The successor was used: what is older ends the family, at whichever process.
    assert.deepEqual(await refresh(second, start.refresh_token), invalidRefreshToken);
    assert.deepEqual(await refresh(first, token), invalidRefreshToken);
  });

  await t.test('HOSTILE 29: reuse after the window at one revokes the family at both', async () => {
    const start = await tokensOfLogin(first);
    const next = tokensIn(await refresh(first, start.refresh_token));
    await site.pass(60.5);
    assert.equal(await isLive(first, next.access_token), true);
    assert.deepEqual(await refresh(second, start.refresh_token), invalidRefreshToken);
    assert.deepEqual(await refresh(first, next.refresh_token), invalidRefreshToken);
    assert.equal(await isLive(first, next.access_token), false);
  });
});

test('HOSTILE 30, FAULTS 1: what kill -9 ended under load goes on where it was', async (t) => {
  const site = await openSite(t, { over: `${unthrottled}\n${grace}` });
  let [first, second] = await startTwo(site);
  const [spent, unspent] = [await codeFor(first), await codeFor(second)];
  tokensIn(await redeem(first, spent));
  const retried = await tokensOfLogin(first);
  const reused = await tokensOfLogin(second);
  const replayed = await codeFor(second);
  const revoked = tokensIn(await redeem(second, replayed));
  assert.deepEqual(await redeem(first, replayed), invalidCode);
  const loads = [startLoad(first, 8), startLoad(second, 8)];
  await Promise.all(loads.map(({ reach }) => reach(100)));
  const [answer, reusedAnswer] = await Promise.all([
    refresh(first, retried.refresh_token),
    refresh(second, reused.refresh_token),
  ]);
  const killed = await Promise.all([first, second].map(({ server }) => server.end('SIGKILL')));
  assert.deepEqual(killed, [null, null]);
  await Promise.all(loads.map(({ stop }) => stop()));
  const startedAt = performance.now();
  [first, second] = await startTwo(site);
  t.diagnostic(`both ready again after ${Math.round(performance.now() - startedAt)} ms`);

  // First: the time for retries and for codes goes on.
  assert.deepEqual(await refresh(second, retried.refresh_token), answer);
  tokensIn(await redeem(second, unspent));
  assert.deepEqual(await redeem(second, spent), invalidCode);
  assert.deepEqual(await refresh(first, revoked.refresh_token), invalidRefreshToken);
  for (const { told } of loads) {
    for (const token of told.tokens) assert.equal(await isLive(first, token), true, 'lost');
  }
  await site.pass(60.5);
  tokensIn(await refresh(first, tokensIn(answer).refresh_token));
  assert.deepEqual(await refresh(first, reused.refresh_token), invalidRefreshToken);
  const { refresh_token: successor } = tokensIn(reusedAnswer);
  assert.deepEqual(await refresh(second, successor), invalidRefreshToken);
});

function startTwo(site: Site): Promise<readonly [ServedClub, ServedClub]> {
  return Promise.all([site.start(), site.start()]);
}
