// What a transcript (executive_club.transcript and _pages beside it) cannot say of the executive club: hundreds of
// requests, and a form that waits (G-4, G-18).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { askTokens, loginTarget, openClub, refused } from '../support/club.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';

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
