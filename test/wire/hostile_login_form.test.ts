// HOSTILE 13 to 15: the form of a login, its cookie and its transaction in the wrong hands, whichever
// browser a login is bound to (P-3 `binds`).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  codeFor,
  invalidCode,
  loginTarget,
  openClub,
  paths,
  redeem,
  redirected,
  tokensIn,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import {
  cookieIn,
  follow,
  formOf,
  openLogin,
  type OpenLogin,
  submitLogin,
  withoutDevice,
} from '../support/login.ts';
import { readPage } from '../support/page.ts';
import { type Answer, ask, post } from '../support/wire.ts';

/** The code that an answer takes to the partner; undefined when it takes none. */
function codeIn(answer: Answer): string | undefined {
  const location = answer.headers['location'];
  if (location === undefined) return undefined;
  assert.deepEqual(withoutDevice(answer), redirected(location));
  return new URL(location).searchParams.get('code') ?? undefined;
}

for (const binds of ['request', 'first_page'] as const) {
  const over = `authorize: { binds: ${binds} }`;

  test(`HOSTILE 13: without the form’s own token an attempt is none, and not counted, binds: ${binds}`, async (t) => {
    const failing = failingStore();
    const club = await openClub(t, { over, store: failing.store });
    const login = await openLogin(club.url, loginTarget(club.client));
    const other = await openLogin(club.url, loginTarget(club.client));
    const { transaction = '', csrf = '' } = login.hidden;
    const forgeries: readonly Readonly<Record<string, string>>[] = [
      { transaction },
      { transaction, csrf: '' },
      { transaction, csrf: other.hidden['csrf'] ?? '' },
      { transaction, csrf: `${csrf}A` },
      { transaction, csrf: csrf.toUpperCase() },
    ];
    failing.calls.length = 0;
    for (const hidden of forgeries) {
      const answer = await submitLogin(club.url, { ...login, hidden }, club.member);
      assert.deepEqual(readPage(answer), {
        status: 403,
        title: 'This form cannot be accepted',
        heading: 'This form cannot be accepted',
        text: [
          'It did not come from this login page. Please go back to the site you came from and start again.',
        ],
      });
    }
    // Nothing is asked but whether the programme is in maintenance.
    assert.deepEqual(new Set(failing.calls), new Set(['find maintenance']));
    assert.ok(codeIn(await submitLogin(club.url, login, club.member)));
  });

  test(`HOSTILE 13: the fields must be a form’s, each once, binds: ${binds}`, async (t) => {
    const club = await openClub(t, { over });
    const login = await openLogin(club.url, loginTarget(club.client));
    const fields = Object.entries({ ...login.hidden, ...club.member });
    const headers = { cookie: login.cookie };
    const twice = await post(club.url, paths.page, [...fields, ['csrf', 'x']], headers);
    assert.equal(readPage(twice).status, 403);
    // Whatever the type says: a site elsewhere can have a form sent as text/plain.
    const body = new URLSearchParams(fields).toString();
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const sent = { method: 'POST', headers: { ...headers, 'content-type': type }, body };
      assert.equal(readPage(await ask(club.url, paths.page, sent)).title, 'This login has expired');
    }
  });

  test(`HOSTILE 14: a login goes on only in the browser that began it, binds: ${binds}`, async (t) => {
    const club = await openClub(t, { over });
    const attackers = await openLogin(club.url, loginTarget(club.client));
    const victims = await openLogin(club.url, loginTarget(club.client));
    const [name] = attackers.cookie.split('=');
    const [, value] = victims.cookie.split('=');
    for (const cookie of [victims.cookie, `${name}=${value}`, `${name}=`, '', 'a=b']) {
      const answer = await submitLogin(club.url, { ...attackers, cookie }, club.member);
      assert.equal(codeIn(answer), undefined);
      assert.equal(readPage(answer).title, 'This login cannot go on here');
    }
    for (const redirect of [attackers.begin, attackers.bound]) {
      const shown = await follow(club.url, redirect, { cookie: victims.cookie });
      assert.equal(readPage(shown).title, 'This login cannot go on here');
    }
    assert.ok(codeIn(await submitLogin(club.url, victims, club.member)));
  });

  test(`HOSTILE 14: a cookie planted beforehand binds nothing; each login gets a fresh one, binds: ${binds}`, async (t) => {
    const club = await openClub(t, { over });
    const attackers = await openLogin(club.url, loginTarget(club.client));
    const headers = { cookie: attackers.cookie };
    const begin = await ask(club.url, loginTarget(club.client), { headers });
    const bound = binds === 'request' ? begin : await follow(club.url, begin, headers);
    const [name, value] = cookieIn(bound).split('=');
    const [plantedName, plantedValue] = attackers.cookie.split('=');
    assert.notEqual(name, plantedName);
    assert.notEqual(value, plantedValue);
    // Two cookies of the name: which of them is ours cannot be told.
    for (const cookie of [
      `${plantedName}=x; ${attackers.cookie}`,
      `${attackers.cookie}; ${plantedName}=x`,
    ]) {
      const answer = await submitLogin(club.url, { ...attackers, cookie }, club.member);
      assert.equal(readPage(answer).title, 'This login cannot go on here');
    }
  });

  test(`HOSTILE 14: a transaction that was tampered with is none, binds: ${binds}`, async (t) => {
    const club = await openClub(t, { over });
    const login = await openLogin(club.url, loginTarget(club.client));
    const sealed = login.hidden['transaction'] ?? '';
    const flipped = (sealed[40] === 'A' ? 'B' : 'A') + sealed.slice(41);
    for (const transaction of [
      '',
      'x',
      sealed.slice(0, 40) + flipped,
      `${sealed}A`,
      `${sealed}=`,
    ]) {
      const edited: OpenLogin = { ...login, hidden: { ...login.hidden, transaction } };
      const answer = await submitLogin(club.url, edited, club.member);
      assert.equal(readPage(answer).title, 'This login cannot go on');
    }
  });

  test(`HOSTILE 15: a form posted twice leaves one live code, the later, binds: ${binds}`, async (t) => {
    const club = await openClub(t, { over });
    const login = await openLogin(club.url, loginTarget(club.client));
    const codes = await Promise.all([1, 2, 3].map(() => submitLogin(club.url, login, club.member)));
    const last = codeIn(await submitLogin(club.url, login, club.member));
    assert.ok(last);
    for (const answer of codes) {
      assert.deepEqual(await redeem(club, codeIn(answer) ?? ''), invalidCode);
    }
    tokensIn(await redeem(club, last));
    const late = await submitLogin(club.url, login, club.member);
    assert.equal(readPage(late).title, 'You have logged in');
    // The login that is over did not take its tokens with it.
    assert.ok(await codeFor(club));
  });

  test(`HOSTILE 15: fields of the form that name a client or URI change nothing, binds: ${binds}`, async (t) => {
    const club = await openClub(t, { over });
    const redirectUris = ['https://other.example/cb'];
    const other = await club.addClient({ id: 'partnerapi-00002', redirectUris });
    const login = await openLogin(club.url, loginTarget(club.client, { state: 'mine' }));
    const edited = {
      client_id: other.id,
      redirect_uri: redirectUris[0] ?? '',
      state: 'theirs',
      scope: 'AUTHN-LEVEL-15',
      level: 'AUTHN-LEVEL-15',
    };
    const fields = { ...login.hidden, ...club.member, ...edited };
    const answer = await post(club.url, paths.page, fields, { cookie: login.cookie });
    const location = answer.headers['location'] ?? '';
    assert.match(location, /^https:\/\/partner\.example\/callback\?code=[0-9a-f]{64}&state=mine$/);
    const { scope } = tokensIn(await redeem(club, codeIn(answer) ?? ''));
    assert.equal(scope, 'AUTHN-LEVEL-10');
  });
}

const firstPage = { over: 'authorize: { binds: first_page }' };

test('P-3: a login is bound to the browser that gets its page first, and to no other', async (t) => {
  const club = await openClub(t, firstPage);
  const begin = await ask(club.url, loginTarget(club.client, { state: 's' }));
  const { location: unbound = '', ...headers } = begin.headers;
  const cookieless = {
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'referrer-policy': 'no-referrer',
  };
  assert.deepEqual([begin.status, headers], [302, cookieless]);
  club.clock.advance(60);
  // A first browser that drops the cookie, or whose answer is lost, does not get the page.
  const lost = await follow(club.url, begin);
  assert.equal(readPage(await follow(club.url, lost)).title, 'This login cannot go on here');
  const bound = await follow(club.url, begin);
  const cookie = cookieIn(bound);
  const { location = '', 'set-cookie': set = '', ...others } = bound.headers;
  assert.deepEqual([bound.status, others], [303, cookieless]);
  assert.equal(location.split('?')[0], unbound.split('?')[0]);
  assert.notEqual(location, unbound);
  assert.match(set, /^__Host-jetway_login_[\w-]{16}=[\w-]{32}; Path=\/; Max-Age=840; /);
  const page = await follow(club.url, bound, { cookie });
  assert.equal(readPage(page).title, 'Log in to Executive Club');

  const elsewhere = [
    await follow(club.url, begin),
    await follow(club.url, begin, { cookie: cookieIn(lost) }),
    await follow(club.url, bound),
    // This one had an address and a cookie of its own before the first one had the page.
    await follow(club.url, lost, { cookie: cookieIn(lost) }),
  ];
  for (const answer of elsewhere) {
    assert.deepEqual(readPage(answer).title, 'This login cannot go on here');
  }
  // The browser itself may open the partner's link again, and any number of times.
  const again = await follow(club.url, begin, { cookie });
  assert.deepEqual([again.status, again.headers['set-cookie']], [303, undefined]);
  assert.equal(readPage(await follow(club.url, again, { cookie })).status, 200);
  const login = { begin, bound, page, cookie, ...formOf(page) };
  assert.match(
    (await submitLogin(club.url, login, club.member)).headers['location'] ?? '',
    /^https:\/\/partner\.example\/callback\?code=[0-9a-f]{64}&state=s$/,
  );
});

test('HOSTILE 14: a transaction that is bound to no browser is worth nothing at the form', async (t) => {
  const club = await openClub(t, firstPage);
  const begin = await ask(club.url, loginTarget(club.client));
  const login = await openLogin(club.url, loginTarget(club.client));
  const transaction =
    new URL(begin.headers['location'] ?? '').searchParams.get('transaction') ?? '';
  const hidden = { ...login.hidden, transaction };
  const answer = await submitLogin(club.url, { ...login, hidden }, club.member);
  assert.equal(readPage(answer).title, 'This login cannot go on here');
});

test('P-3: an unbound login expires when its time is over', async (t) => {
  const club = await openClub(t, firstPage);
  const begin = await ask(club.url, loginTarget(club.client));
  club.clock.advance(15 * 60);
  assert.equal(readPage(await follow(club.url, begin)).title, 'This login has expired');
});
