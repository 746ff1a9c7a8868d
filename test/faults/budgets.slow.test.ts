// HOSTILE 42 and 57 on a server of its own: a budget of requests for all grants of a client, and another
// of wrong secrets for a client and an address.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  askPartnerToken,
  codeFor,
  redeem,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
  unknownClient,
} from '../support/club.ts';
import type { Answer } from '../support/wire.ts';
import { openSite } from './site.ts';

/** Less than the window, however long the burst takes. */
function throttled({ headers }: Answer): Answer {
  const wait = Number(headers['retry-after']);
  assert.ok(wait > 0 && wait <= 100, String(wait));
  return refused(429, { error: 'too_many_tokens' }, { 'retry-after': String(wait) });
}

test('HOSTILE 57: of a burst over three grants as many pass as the limit says, and no other spends a thing', async (t) => {
  const site = await openSite(t);
  const club = await site.start();
  const held = {
    codes: await Promise.all(Array.from({ length: 4 }, () => codeFor(club))),
    logins: await Promise.all(Array.from({ length: 4 }, () => tokensOfLogin(club))),
  };
  const limit = 6;
  const set = ['client', 'set', club.client.id, '--throttle-limit', String(limit)];
  await site.run(...set, '--throttle-window', '100s');
  // The window of the four requests above is over.
  await site.pass(60);
  const burst = [
    ...held.codes.map((code) => () => redeem(club, code)),
    ...held.logins.map((login) => () => refresh(club, login.refresh_token)),
    ...Array.from({ length: 4 }, () => () => askPartnerToken(club)),
  ];
  const answers = await Promise.all(burst.map((send) => send()));
  assert.equal(answers.filter(({ status }) => status === 200).length, limit);
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    assert.deepEqual(answer, throttled(answer));
  }
  // The operator's word counts at once, and what was refused is as good as before.
  await site.run('client', 'set', club.client.id, '--no-throttle');
  const again = burst.filter((_, index) => answers[index]?.status !== 200);
  assert.equal(again.length, burst.length - limit);
  for (const send of again) tokensIn(await send());
});

test('HOSTILE 42: 1,000 wrong secrets from one address keep neither the partner nor another out', async (t) => {
  const site = await openSite(t);
  const club = await site.start();
  const other = await club.addClient({ id: 'partnerapi-00002', secret: 'another secret' });
  const wrong = Buffer.from(`${club.client.id}:wrong`).toString('base64');
  const code = await codeFor(club);
  const answers: Answer[] = [];
  for (let sent = 0; sent < 1000; sent += 50) {
    const some = Array.from({ length: 50 }, () =>
      askPartnerToken(club, { authorization: `Basic ${wrong}` }),
    );
    answers.push(...(await Promise.all(some)));
  }
  for (const answer of answers.slice(0, 600)) assert.deepEqual(answer, unknownClient);
  for (const answer of answers.slice(600)) assert.deepEqual(answer, throttled(answer));
  tokensIn(await redeem(club, code));
  assert.equal((await askPartnerToken(club, { authorization: other.basic })).status, 200);
  // Wrong secrets cost nothing of the budget of requests: that of the shipped club is as large.
  for (let sent = 0; sent < 550; sent += 50) {
    const some = await Promise.all(Array.from({ length: 50 }, () => askPartnerToken(club)));
    assert.deepEqual(new Set(some.map(({ status }) => status)), new Set([200]));
  }
});
