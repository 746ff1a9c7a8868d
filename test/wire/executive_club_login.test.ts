// The executive club's login on the wire: the request, the page, the way back (G-1 to G-8).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Club, loginTarget, openClub, paths, redirected } from '../support/club.ts';
import { publicUrl } from '../support/jetway.ts';
import { openLogin, submitLogin, withoutDevice } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import { ask } from '../support/wire.ts';

const callback = 'https://partner.example/callback';
const lostPartner = {
  status: 400,
  title: 'This login cannot start',
  heading: 'This login cannot start',
  text: [
    'The link that brought you here names a partner that is not known here. Please go back to the site you came from and try again. If it happens again, please tell that site.',
  ],
};

test('G-4: a login ends in 302 to the redirect URI with the code, and no body', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, loginTarget(club.client));
  const page = readPage(login.page);
  assert.deepEqual(page, {
    status: 200,
    title: 'Log in to Executive Club',
    heading: 'Log in to Executive Club',
    text: [],
  });
  assert.equal(login.action, paths.page);
  assert.deepEqual(Object.keys(login.hidden), ['transaction', 'csrf']);
  const answer = await submitLogin(club.url, login, club.member);
  const location = answer.headers['location'] ?? '';
  assert.match(location, /^https:\/\/partner\.example\/callback\?code=[0-9a-f]{64}$/);
  assert.deepEqual(withoutDevice(answer), redirected(location));
});

test('G-4: a redirect URI with a query keeps it', async (t) => {
  const club = await openClub(t);
  const redirectUris = ['https://partner.example/cb?brand=a%20b&x='];
  const client = await club.addClient({ id: 'partnerapi-00002', redirectUris });
  const login = await openLogin(club.url, loginTarget(client));
  const { headers } = await submitLogin(club.url, login, club.member);
  assert.match(
    headers['location'] ?? '',
    /^https:\/\/partner\.example\/cb\?brand=a%20b&x=&code=[0-9a-f]{64}$/,
  );
  const failure = await ask(club.url, loginTarget(client, { response_type: 'token' }));
  const location = 'https://partner.example/cb?brand=a%20b&x=&error=unsupported_response_type';
  assert.deepEqual(failure, redirected(location));
});

test('G-3: of several registered redirect URIs the login leads to the one that is sent', async (t) => {
  const club = await openClub(t);
  const redirectUris = ['https://partner.example/a', 'https://partner.example/b'];
  const client = await club.addClient({ id: 'partnerapi-00002', redirectUris });
  for (const uri of redirectUris) {
    const login = await openLogin(club.url, loginTarget(client, { redirect_uri: uri }));
    const { headers } = await submitLogin(club.url, login, club.member);
    assert.equal(headers['location']?.split('?')[0], uri);
  }
});

test('G-1 G-6 HOSTILE 2: a misspelt, unknown, disabled or missing client is told on a page', async (t) => {
  const club = await openClub(t);
  const disabled = await club.addClient({
    id: 'partnerapi-00002',
    more: { status: 'disabled' },
  });
  // This one stands in the store but has not the form that the dialect gives identifiers.
  const misshapen = await club.addClient({ id: 'partnerapi-123456' });
  const ids = [
    'partnerapp-12345',
    'PARTNERAPI-12345',
    'partnerapi12345',
    'partnerapi-1234',
    'partnerapi-1234a',
    'partnerapi-99999',
    ` ${club.client.id}`,
    'x',
    '__proto__',
    '\u0000',
    misshapen.id,
    disabled.id,
  ];
  for (const id of ids) {
    for (const uri of [callback, 'https://evil.example', '']) {
      const answer = await ask(club.url, loginTarget({ id }, { redirect_uri: uri }));
      assert.deepEqual(readPage(answer), lostPartner, id);
    }
  }
  for (const target of [
    `${paths.login}?response_type=code`,
    loginTarget({ id: '' }),
    paths.login,
  ]) {
    assert.deepEqual(readPage(await ask(club.url, target)), {
      ...lostPartner,
      text: [
        'The link that brought you here does not say which partner you came from. Please go back to the site you came from and try again. If it happens again, please tell that site.',
      ],
    });
  }
});

/** Posts the form and gives what the page says that is shown again. */
async function messagesFor(
  club: Club,
  fields: { readonly username: string; readonly password: string },
): Promise<readonly string[]> {
  const login = await openLogin(club.url, loginTarget(club.client));
  const answer = await submitLogin(club.url, login, fields);
  const { status, title, text } = readPage(answer);
  assert.deepEqual([status, title], [200, 'Error: Log in to Executive Club']);
  // The form is there again, for the same login, with the name that was typed and no password.
  assert.ok(answer.body.includes(`name="transaction" value="${login.hidden['transaction']}"`));
  assert.ok(answer.body.includes(` value="${fields.username}"`));
  assert.ok(fields.password === '' || !answer.body.includes(fields.password));
  return text;
}

test('G-8: what went wrong is told on the login page, which is shown again', async (t) => {
  const club = await openClub(t);
  const { username, password } = club.member;
  const notRecognised = ['The username or password was not recognised. Please try again.'];
  assert.deepEqual(await messagesFor(club, { username, password: 'wrong' }), notRecognised);
  assert.deepEqual(await messagesFor(club, { username: 'nobody', password }), notRecognised);
  assert.deepEqual(await messagesFor(club, { username: '', password }), [
    'Please enter your username.',
  ]);
  assert.deepEqual(await messagesFor(club, { username, password: '' }), [
    'Please enter your password.',
  ]);
  assert.deepEqual(await messagesFor(club, { username: ' ', password: '' }), [
    'Please enter your username.',
    'Please enter your password.',
  ]);
});

test('G-4: a login that takes longer than 15 minutes begins again at the partner', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, loginTarget(club.client));
  club.clock.advance(15 * 60 - 1);
  const wrong = { username: 'ann', password: 'wrong' };
  assert.equal((await submitLogin(club.url, login, wrong)).status, 200);
  club.clock.advance(1);
  const late = await submitLogin(club.url, login, club.member);
  assert.deepEqual(readPage(late), {
    status: 400,
    title: 'This login has expired',
    heading: 'This login has expired',
    text: ['Please go back to the site you came from and start again.'],
  });
  const { pathname, search } = new URL(login.begin.headers['location'] ?? publicUrl);
  const shown = await ask(club.url, pathname + search, { headers: { cookie: login.cookie } });
  assert.equal(readPage(shown).title, 'This login has expired');
});
