// HOSTILE 67, 92: which cookies of a login a browser is given, and which are taken back.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loginTarget, openClub, paths, redeem, tokensIn } from '../support/club.ts';
import { cookieIn, cookiesIn, follow, openLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import { ask } from '../support/wire.ts';

test('HOSTILE 92: a browser that opens logins without end keeps the cookies of the last ones', async (t) => {
  for (const publicUrl of ['https://tokens.example', 'http://tokens.example']) {
    const club = await openClub(t, { publicUrl });
    // What is not named as a login's own cookie is nobody's to take back.
    const others = 'session=1; __Host-jetway_device_executive-club=x; jetway_login_x=x';
    const jar: string[] = [];
    let taken = '';
    while (taken === '' && jar.length < 30) {
      const { begin, cookie } = await openLogin(club.url, loginTarget(club.client));
      jar.push(cookie);
      const headers = { cookie: [others, ...jar].join('; ') };
      const { pathname, search } = new URL(begin.headers['location'] ?? '');
      const page = await ask(club.url, pathname + search, { headers });
      const { 'set-cookie': set = '', ...usual } = page.headers;
      assert.equal(readPage({ ...page, headers: usual }).title, 'Log in to Executive Club');
      taken = set;
    }
    assert.equal(jar.length, 9);
    const [name = ''] = jar[0]?.split('=') ?? [];
    const [prefix, where] = publicUrl.startsWith('https:')
      ? ['__Host-', 'Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure']
      : ['', `Path=${paths.page}; Max-Age=0; HttpOnly; SameSite=Lax`];
    assert.ok(name.startsWith(`${prefix}jetway_login_`), name);
    assert.equal(taken, `${name}=; ${where}`);
  }
});

test('HOSTILE 92: cookies of hundreds of begun logins go in one answer, the login’s own and others’ stay', async (t) => {
  const club = await openClub(t, { publicUrl: 'https://tokens.example' });
  const names = Array.from(
    { length: 60 },
    (_, n) => `__Host-jetway_login_${`${n}`.padStart(16, 'x')}`,
  );
  const old = names.map((name) => `${name}=v`);
  const login = await openLogin(club.url, loginTarget(club.client));
  // Its own is the oldest here: the page that shows its form must not take it back.
  const headers = { cookie: [login.cookie, 'theirs=1', ...old].join('; ') };
  const page = await follow(club.url, login.begin, headers);
  assert.deepEqual(
    cookiesIn(page),
    names.slice(0, 53).map((name) => `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure`),
  );
  // On https the login request gets them as well.
  const begun = await ask(club.url, loginTarget(club.client), {
    headers: { cookie: old.join('; ') },
  });
  const [own = '', ...taken] = cookiesIn(begun);
  assert.match(own, /^__Host-jetway_login_[\w-]{16}=[\w-]{32}; Path=\/; Max-Age=900; /);
  assert.equal(taken.length, 53);
});

test('HOSTILE 15, 92, 93: a finished login keeps its cookie until its code ends; Back shows its end, with the way to the partner', async (t) => {
  for (const over of ['', 'authorize: { binds: first_page }']) {
    const club = await openClub(t, { publicUrl: 'https://tokens.example', over });
    const login = await openLogin(club.url, loginTarget(club.client));
    const answer = await submitLogin(club.url, login, club.member);
    const [, finished = ''] = cookiesIn(answer);
    assert.equal(
      finished,
      `${login.cookie}.finished; Path=/; Max-Age=120; HttpOnly; SameSite=Lax; Secure`,
    );
    const cookie = finished.split(';')[0] ?? '';
    const back = await follow(club.url, login.bound, { cookie });
    assert.deepEqual(readPage(back), {
      status: 400,
      title: 'You have logged in',
      heading: 'You have logged in',
      text: ['This login is finished. Please go back to the site you came from.'],
    });
    assert.match(back.body, /<a href="https:\/\/partner\.example\/">Partner<\/a>/);
    assert.doesNotMatch(back.body, /<form/);
    // A double click: the browser waits for the answer to the second.
    const twice = await submitLogin(club.url, { ...login, cookie }, club.member);
    assert.ok(cookiesIn(twice).includes(finished));
    const code = URL.parse(twice.headers['location'] ?? '')?.searchParams.get('code') ?? '';
    tokensIn(await redeem(club, code));
    // Another login of the browser goes on.
    const other = await openLogin(club.url, loginTarget(club.client));
    const both = { cookie: `${cookie}; ${other.cookie}` };
    assert.equal((await submitLogin(club.url, other, club.member, both)).status, 302);
  }
});

test('HOSTILE 93: a page that ends a login links to a web site of the partner, and to nothing else', async (t) => {
  const club = await openClub(t);
  for (const [redirectUri, link] of [
    ['https://partner.example:8443/cb?a=1', 'https://partner.example:8443/'],
    ['com.example.app:/cb', undefined],
  ] as const) {
    const id = `partnerapi-0000${redirectUri.length % 10}`;
    const client = await club.addClient({ id, redirectUris: [redirectUri] });
    const login = await openLogin(club.url, loginTarget(client));
    const page = await follow(club.url, login.bound);
    assert.equal(readPage(page).title, 'This login cannot go on here');
    const links = [...page.body.matchAll(/<a href="([^"]*)">Partner</g)].map(([, to]) => to);
    assert.deepEqual(links, link === undefined ? [] : [link]);
  }
});

test('HOSTILE 92: who asks for the page ahead is told to ask again, and is bound to nothing', async (t) => {
  const ahead = {
    'sec-purpose': 'prefetch;prerender',
    purpose: 'prefetch',
    'x-purpose': 'preview',
    'x-moz': 'prefetch',
  };
  const club = await openClub(t, { over: 'authorize: { binds: first_page }' });
  const begin = await ask(club.url, loginTarget(club.client));
  for (const [name, value] of Object.entries(ahead)) {
    assert.deepEqual(await follow(club.url, begin, { [name]: value }), {
      status: 503,
      headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
      body: '',
    });
  }
  const bound = await follow(club.url, begin, { 'sec-purpose': 'navigate' });
  const page = await follow(club.url, bound, { cookie: cookieIn(bound) });
  assert.equal(readPage(page).title, 'Log in to Executive Club');
  // Where the login request binds, the page binds nothing.
  const other = await openClub(t);
  const login = await openLogin(other.url, loginTarget(other.client));
  const shown = await follow(other.url, login.begin, { cookie: login.cookie, ...ahead });
  assert.equal(readPage(shown).title, 'Log in to Executive Club');
});
