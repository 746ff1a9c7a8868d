// HOSTILE 4 to 6: what is wrong with the rest of a login request.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Club, loginTarget, openClub, paths, redirected } from '../support/club.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import { type Answer, ask } from '../support/wire.ts';

const callback = 'https://partner.example/callback';

function request(club: Club, query: string): Promise<Answer> {
  return ask(club.url, `${paths.login}?client_id=${club.client.id}&response_type=code${query}`);
}

const unreadable = {
  status: 400,
  title: 'This login cannot start',
  heading: 'This login cannot start',
  text: [
    'The link that brought you here is damaged. Please go back to the site you came from and try again. If it happens again, please tell that site.',
  ],
};

test('HOSTILE 4: client_id or redirect_uri twice is a page, even when both are the same', async (t) => {
  const club = await openClub(t);
  const uri = `&redirect_uri=${encodeURIComponent(callback)}`;
  for (const query of [
    `&client_id=${club.client.id}`,
    '&client_id=partnerapi-99999',
    '&client_id=',
    uri + uri,
    `${uri}&redirect_uri=https://evil.example`,
    `${uri}&redirect_uri=`,
    `${uri}&redirect%5furi=https://evil.example`,
  ]) {
    const answer = await request(club, query);
    assert.equal(answer.headers['location'], undefined);
    assert.deepEqual(readPage(answer), unreadable, query);
  }
});

test('HOSTILE 4: a name that is neither declared nor known may come as often as it will', async (t) => {
  const club = await openClub(t);
  for (const name of ['fbclid', 'resource', 'foo[]', 'client_id[]', 'CLIENT_ID', '__proto__']) {
    const login = await openLogin(club.url, `${loginTarget(club.client, {})}&${name}=a&${name}=b`);
    const { headers } = await submitLogin(club.url, login, club.member);
    assert.match(headers['location'] ?? '', /callback\?code=[0-9a-f]{64}$/, name);
  }
  for (const name of ['code_verifier', 'client_secret', 'client_assertion', 'token']) {
    const answer = await request(club, `&${name}=a&${name}=b`);
    assert.deepEqual(answer, redirected(`${callback}?error=invalid_request`), name);
  }
});

/** States that must come back as they are, each encoded once. */
const goodStates = [
  '"><script>alert(1)</script>',
  '%0d%0aSet-Cookie: a=b',
  'a&error=access_denied',
  'a#fragment',
  'a;b,c=d?e',
  '+ +',
  'x'.repeat(2048),
];

test('HOSTILE 6: a state of odd characters is encoded once, whatever the outcome', async (t) => {
  const club = await openClub(t);
  for (const state of goodStates) {
    const login = await openLogin(club.url, loginTarget(club.client, { state }));
    const { headers } = await submitLogin(club.url, login, club.member);
    const [before = '', after] = (headers['location'] ?? '').split('&state=');
    assert.match(before, /^https:\/\/partner\.example\/callback\?code=[0-9a-f]{64}$/);
    assert.equal(after, encodeURIComponent(state));
    // The page's own script, which its policy names by hash, and no other.
    assert.equal(login.page.body.match(/<script/g)?.length, 1);
    const failure = await ask(club.url, loginTarget(club.client, { state, response_type: 'x' }));
    const query = `error=unsupported_response_type&state=${encodeURIComponent(state)}`;
    assert.deepEqual(failure, redirected(`${callback}?${query}`));
  }
});

test('HOSTILE 6: a state of control characters or 4 KB is refused and not sent back', async (t) => {
  const club = await openClub(t);
  const states = ['a\r\nSet-Cookie: a=b', 'a\u0000', '\u007f', 'é', '\u2028', 'x'.repeat(4096)];
  for (const state of states) {
    const answer = await ask(club.url, loginTarget(club.client, { state }));
    assert.deepEqual(answer, redirected(`${callback}?error=invalid_request`), state.slice(0, 9));
  }
});

test('HOSTILE 6: a query that cannot be decoded is a page', async (t) => {
  const club = await openClub(t);
  for (const query of ['&state=%zz', '&state=%ff', '&%E0%A4%A=x', '&state=%', '&a'.repeat(101)]) {
    assert.deepEqual(readPage(await request(club, query)), unreadable, query.slice(0, 20));
  }
});
