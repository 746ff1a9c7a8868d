// HOSTILE 57 on a server of its own: a budget of requests for all grants of a client. That of wrong secrets is in
// test/wire/hostile_guessing.transcript.

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
