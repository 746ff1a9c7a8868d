// What a transcript (executive_club.transcript, _pages and _jwt beside it) cannot say of the executive club: hundreds
// of requests, a form that waits, and a restart (G-4, G-18, C-9).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  askTokens,
  loginTarget,
  openClub,
  programme,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import { keySetOf, verifyJwt } from '../support/resource_server.ts';

test('G-18: the shipped limit is 600 a minute', async (t) => {
  const club = await openClub(t);
  const post = () => askTokens(club, { grant_type: 'authorization_code', code: 'x' });
  for (let batch = 0; batch < 12; batch++) {
    const answers = await Promise.all(Array.from({ length: 50 }, post));
    assert.ok(answers.every(({ status }) => status === 400));
  }
  assert.deepEqual(
    await post(),
    refused(429, { error: 'too_many_tokens' }, { 'retry-after': '60' }),
  );
});

test('G-4: a form that waits longer than 15 minutes is told of it', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, loginTarget(club.client));
  club.clock.advance(15 * 60 - 1);
  const wrong = { username: 'ann', password: 'wrong' };
  assert.equal((await submitLogin(club.url, login, wrong)).status, 200);
  club.clock.advance(1);
  const title = 'This login has expired';
  assert.deepEqual(readPage(await submitLogin(club.url, login, club.member)), {
    status: 400,
    title,
    heading: title,
    text: ['Please go back to the site you came from and start again.'],
  });
});

test('C-9: a restart keeps the key; another algorithm leaves the old one published', async (t) => {
  const signed = (algorithm: string): string =>
    `tokens: { access: { format: jwt, algorithm: ${algorithm} } }`;
  const base = '/executive-club';
  const club = await openClub(t, { over: signed('ES256') });
  const [first] = (await keySetOf(club, base)).keys;
  const { access_token: token } = await tokensOfLogin(club);
  const algorithms: readonly (string | undefined)[][] = [['ES256'], ['ES256', 'RS256']];
  for (const expected of algorithms) {
    // The store of the first server lives as long as the test.
    const programmes = { [programme]: shippedProgramme(programme, signed(expected.at(-1) ?? '')) };
    const again = await startJetway(t, { programmes, store: club.store });
    const { keys } = await keySetOf(again, base);
    assert.deepEqual(keys[0], first);
    assert.deepEqual(
      keys.map(({ alg }) => alg),
      expected,
    );
    await verifyJwt(again, base, token);
  }
  tokensIn(await askTokens(club, { grant_type: 'client_credentials' }));
});
