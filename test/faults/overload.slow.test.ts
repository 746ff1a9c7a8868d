// FAULTS 13, 14, 22 and 23: a running server with more to do than it can, or with a store that waits.

import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { hashingLimits } from '../../src/members/hashing.ts';
import {
  askPartnerToken,
  codeFor,
  loginTarget,
  partnerTokenOf,
  redeem,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { eventLines } from '../support/log_lines.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { until } from '../support/until.ts';
import { ask } from '../support/wire.ts';
import { startLoad } from './load.ts';
import { lookInto, openSite, unthrottled } from './site.ts';

test(
  'FAULTS 23: under a flood of token requests some are answered and the rest refused; nobody else notices',
  { timeout: 120_000 },
  async (t) => {
    const site = await openSite(t, { over: unthrottled });
    appendFileSync(join(site.folder, 'config.yaml'), 'gateway: 127.0.0.1:0\n');
    const club = await site.start();
    const token = await partnerTokenOf(club);
    // More than a server has time for.
    const flood = startLoad(club, 1500);
    t.after(flood.stop);
    const { tokens, failures, refusals } = flood.told;
    await until(() => failures.length >= 500 && tokens.length >= 500, 'no request was refused');
    const { admin, gateway } = club.server;
    const authorization = `Bearer ${token}`;
    const others = [
      await ask(admin, '/livez'),
      await ask(admin, '/readyz'),
      await ask(admin, '/metrics'),
      await ask(gateway, '/executive-club/verify/client', { headers: { authorization } }),
      await ask(club.url, loginTarget(club.client)),
    ];
    assert.deepEqual(
      others.map(({ status }) => status),
      [200, 200, 200, 200, 302],
    );
    await flood.stop();
    assert.deepEqual(new Set(failures), new Set(['503']));
    for (const refusal of refusals) {
      assert.match(refusal, /^[1-5] \{"error":"temporarily_unavailable"\}$/);
    }
    await until(async () => (await askPartnerToken(club)).status === 200);
    await tokensOfLogin(club);
    const lines = eventLines(club.server.printed().stderr);
    for (const line of lines.filter((one) => !one.includes('"event":"lines_left_out"'))) {
      assert.match(line, /"event":"overloaded".*\d+ requests were refused/);
    }
    assert.equal(await club.server.end('SIGTERM'), 0);
  },
);

test('FAULTS 13, 14: while the store takes no writes they are an outage, and what needs none goes on', async (t) => {
  const site = await openSite(t, { over: unthrottled });
  const club = await site.start();
  const code = await codeFor(club);
  const { refresh_token: token } = await tokensOfLogin(club);
  const login = await openLogin(club.url, loginTarget(club.client));
  const holder = lookInto(site.path);
  t.after(() => holder.close());
  holder.exec('BEGIN IMMEDIATE');
  const writing = Array.from({ length: 20 }, () => refresh(club, token));
  const attempts = [redeem(club, code), ...writing];
  tokensIn(await askPartnerToken(club));
  const away = refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });
  for (const attempt of attempts) assert.deepEqual(await attempt, away);
  const page = await submitLogin(club.url, login, club.member);
  assert.equal(page.status, 503);
  assert.match(page.body, /We are having difficulties/);
  holder.exec('ROLLBACK');
  tokensIn(await redeem(club, code));
  tokensIn(await refresh(club, token));
  assert.equal((await submitLogin(club.url, login, club.member)).status, 302);
  assert.equal(await club.server.end('SIGTERM'), 0);
});

test('FAULTS 22: more logins than may wait for their hash: all are answered, and tokens are issued meanwhile', async (t) => {
  const site = await openSite(t, { over: `${unthrottled}\nlogin: { address_limit: off }` });
  const club = await site.start();
  const login = await openLogin(club.url, loginTarget(club.client));
  const { atOnce, waiting } = hashingLimits(availableParallelism());
  const guesses = Array.from({ length: atOnce + waiting + 50 }, (_, index) =>
    submitLogin(club.url, login, { username: `nobody-${index}`, password: 'wrong' }),
  );
  let answered = 0;
  for (const guess of guesses) void guess.then(() => (answered += 1));
  while (answered < guesses.length) {
    tokensIn(await askPartnerToken(club));
    // A hash has a lower priority: without a pause it would have to wait for the tokens.
    await sleep(20);
  }
  const statuses = new Set((await Promise.all(guesses)).map(({ status }) => status));
  // Wrong, or too many at once.
  assert.deepEqual(statuses, new Set([200, 503]));
  assert.equal((await submitLogin(club.url, login, club.member)).status, 302);
  assert.equal(await club.server.end('SIGTERM'), 0);
});
