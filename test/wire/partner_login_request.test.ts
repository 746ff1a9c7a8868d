// The partner-login clubs' login on the wire: the request, the way to the page and the way back
// (P-1, P-3, P-4, P-12, HOSTILE 6).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { redirected } from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { publicUrl } from '../support/jetway.ts';
import { openLogin, submitLogin, withoutDevice } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import {
  addPartner,
  askLogin,
  callback,
  context,
  loginTarget,
  openPartnerClub,
  returnFrom,
  secondClub,
  thirdClub,
} from '../support/partner_club.ts';
import { ask, rawExchange } from '../support/wire.ts';

const page = (title: string, text: string): object => ({
  status: 400,
  title,
  heading: title,
  text: [text],
});
const lostPartner = page(
  'This login cannot start',
  'The link that brought you here names a partner that is not known here. Please go back to the site you came from and try again. If it happens again, please tell that site.',
);
const otherProgramme = page(
  'This login cannot start',
  'The link that brought you here is meant for another programme. Please go back to the site you came from and try again. If it happens again, please tell that site.',
);
const unreadable = page(
  'This login cannot start',
  'The link that brought you here is damaged. Please go back to the site you came from and try again. If it happens again, please tell that site.',
);

for (const names of [secondClub, thirdClub]) {
  test(`P-3: a login request is answered 303 to the login page, ${names.name}`, async (t) => {
    const club = await openPartnerClub(t, { names });
    const login = await openLogin(club.url, loginTarget(club, { state: 'abc123' }), 'POST');
    // The request may come from the partner's server: the cookie comes with the page's own address.
    for (const { status, headers, body } of [login.begin, login.bound]) {
      const { location = '', 'set-cookie': _, ...others } = headers;
      assert.deepEqual([status, body], [303, '']);
      assert.deepEqual(others, {
        'cache-control': 'no-store',
        pragma: 'no-cache',
        'referrer-policy': 'no-referrer',
      });
      const [pageUrl, sealed = ''] = location.split('?transaction=');
      assert.equal(pageUrl, publicUrl + club.paths.page);
      assert.match(sealed, /^[\w-]+$/);
    }
    assert.equal(login.begin.headers['set-cookie'], undefined);
    const { 'set-cookie': cookie = '' } = login.bound.headers;
    assert.match(
      cookie,
      /^__Host-jetway_login_[\w-]{16}=[\w-]{32}; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax; Secure$/,
    );
    const title = `Log in to ${club.name}`;
    assert.deepEqual(readPage(login.page), { status: 200, title, heading: title, text: [] });
    assert.equal(login.action.split('?')[0], club.paths.page);
    const answer = await submitLogin(club.url, login, club.member);
    const back = answer.headers['location'] ?? '';
    assert.match(back, /^https:\/\/partner\.example\/callback\?code=[A-Za-z0-9]{43}&state=abc123$/);
    assert.deepEqual(withoutDevice(answer), redirected(back));
  });
}

test('P-3: there is no payload: without any body, with an empty or a foreign one', async (t) => {
  const club = await openPartnerClub(t);
  const target = loginTarget(club);
  const bare = await rawExchange(
    club.url,
    `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  assert.match(bare, /^HTTP\/1\.1 303 /);
  for (const body of ['', 'submit=Log+in', 'client_id=Other&redirect_uri=https://evil.example']) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status } = await ask(club.url, target, { method: 'POST', headers, body });
    assert.equal(status, 303, body);
    const inBody = await ask(club.url, club.paths.login, { method: 'POST', headers, body });
    assert.equal(readPage(inBody).status, 400, 'nothing is read from the body');
  }
});

test('P-3: redirect_uri may be left out where one is registered, and must match it', async (t) => {
  const club = await openPartnerClub(t);
  const sent = await returnFrom(club, { redirect_uri: callback });
  assert.equal(sent.origin + sent.pathname, callback);
  const elsewhere = await askLogin(club, { redirect_uri: `${callback}/`, state: 'abc' });
  assert.deepEqual(
    readPage(elsewhere),
    page(
      'Security Issue',
      'The link that brought you here wants to take you on to an address that its partner has not registered. For your safety the login stops here. Please do not use that link again; visit the partner’s own site instead.',
    ),
  );
  const redirectUris = [`${callback}/a?brand=x`, `${callback}/b`];
  const two = { ...club, client: await addPartner(club, { id: 'Partner2', redirectUris }) };
  const chosen = await returnFrom(two, { redirect_uri: redirectUris[0], state: 's' });
  assert.match(chosen.href, /^https:\/\/partner\.example\/callback\/a\?brand=x&code=\w+&state=s$/);
  assert.deepEqual(
    readPage(await askLogin(two)),
    page(
      'This login cannot start',
      'The link that brought you here does not say where to take you back to. Please go back to the site you came from and try again. If it happens again, please tell that site.',
    ),
  );
});

test('P-1 P-12: an unknown, disabled or misshapen client is told on a page', async (t) => {
  const club = await openPartnerClub(t);
  await addPartner(club, { id: 'Disabled', more: { status: 'disabled' } });
  // This one stands in the store, but is not alphanumeric.
  await addPartner(club, { id: 'Partner-2' });
  for (const id of ['Nobody', 'partner1', 'Partner1 ', 'Disabled', 'Partner-2', 'P'.repeat(51)]) {
    const answer = await askLogin(club, { client_id: id, redirect_uri: callback, state: 's' });
    assert.deepEqual(readPage(answer), lostPartner, id);
  }
  const none = page(
    'This login cannot start',
    'The link that brought you here does not say which partner you came from. Please go back to the site you came from and try again. If it happens again, please tell that site.',
  );
  for (const id of ['', undefined]) {
    assert.deepEqual(readPage(await askLogin(club, { client_id: id })), none);
  }
});

test('P-4: another programme’s name at the login request is a page, never a redirect', async (t) => {
  const club = await openPartnerClub(t);
  for (const name of ['ThirdClub', 'secondclub', 'SecondClub1', 'S'.repeat(21), 'Second Club']) {
    const answer = await askLogin(club, { 'programme-identifier': name, state: 's' });
    assert.deepEqual(readPage(answer), otherProgramme, name);
  }
});

test('P-4: the context of a login request is held to its shape, not to the partner’s', async (t) => {
  const club = await openPartnerClub(t);
  for (const name of ['a', 'SomebodyElse', 'x'.repeat(50), context]) {
    const answer = await askLogin(club, { 'business-context-identifier': name });
    assert.equal(answer.status, 303, name);
  }
});

test('P-3 HOSTILE 6: a state of 512 characters is sent back, a longer one is refused', async (t) => {
  const club = await openPartnerClub(t);
  const answer = await askLogin(club, { state: 'x'.repeat(4096) });
  assert.deepEqual(answer, redirected(`${callback}?error=invalid_request`));
  const long = 'x'.repeat(512);
  assert.equal((await returnFrom(club, { state: long })).searchParams.get('state'), long);
});

test('P-3: a parameter named like a header input is ignored, repeated or where others are refused', async (t) => {
  const club = await openPartnerClub(t, { over: 'authorize: { endpoint: { unknown: refuse } }' });
  const sent = 'x-forwarded-for=no-address';
  for (const more of [sent, `${sent}&${sent}`]) {
    const answer = await ask(club.url, `${loginTarget(club)}&${more}`, { method: 'POST' });
    assert.equal(answer.status, 303, more);
  }
  const unknown = await ask(club.url, `${loginTarget(club)}&other=1`, { method: 'POST' });
  assert.deepEqual(unknown, redirected(`${callback}?error=invalid_request`));
});

test('P-12 HOSTILE 4: what cannot be read, or names two clients or addresses, is a page', async (t) => {
  const club = await openPartnerClub(t);
  const target = loginTarget(club, { redirect_uri: callback, state: 's' });
  const twice = [`client_id=${club.client.id}`, `redirect_uri=${encodeURIComponent(callback)}`];
  for (const more of [...twice, 'x=%zz', 'x=%ff']) {
    const answer = await ask(club.url, `${target}&${more}`, { method: 'POST' });
    assert.deepEqual(readPage(answer), unreadable, more);
  }
});

test('P-11: trouble inside is a page while nobody is known to send it back to', async (t) => {
  const failing = failingStore();
  const club = await openPartnerClub(t, { store: failing.store });
  failing.fail('find client', new Error('planted'));
  const title = 'You cannot log in at the moment';
  const difficulties = 'We are having difficulties. Please try again later.';
  const shown = { status: 500, title, heading: title, text: [difficulties] };
  assert.deepEqual(readPage(await askLogin(club)), shown);
});
