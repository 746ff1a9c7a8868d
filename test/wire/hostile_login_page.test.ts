// HOSTILE 8 to 12: the login page in the wrong hands.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loginTarget, openClub, paths, redirected } from '../support/club.ts';
import { openLogin, submitLogin, withoutDevice } from '../support/login.ts';
import { everyText, readPage, unescape } from '../support/page.ts';
import { type Answer, ask, post } from '../support/wire.ts';

const wrong = { username: 'ann', password: 'wrong' };

/** The code that an answer takes to the partner; undefined when it takes none. */
function codeIn(answer: Answer): string | undefined {
  const location = answer.headers['location'];
  if (location === undefined) return undefined;
  assert.deepEqual(withoutDevice(answer), redirected(location));
  return new URL(location).searchParams.get('code') ?? undefined;
}

test('HOSTILE 8: who is not authenticated stays on the page', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, loginTarget(club.client));
  for (let attempt = 0; attempt < 3; attempt++) {
    const answer = await submitLogin(club.url, login, wrong);
    assert.equal(codeIn(answer), undefined);
    assert.equal(readPage(answer).status, 200);
  }
  // A form field that claims to cancel or to have succeeded is no way out either.
  const fields = { ...login.hidden, ...wrong, cancel: '1', error: 'access_denied', code: 'x' };
  const answer = await post(club.url, paths.page, fields, { cookie: login.cookie });
  assert.equal(codeIn(answer), undefined);
});

test('HOSTILE 10: every page has the same strict headers and loads nothing', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, loginTarget(club.client));
  const elsewhere = loginTarget(club.client, { redirect_uri: 'https://evil.example' });
  const pages = [
    login.page,
    await submitLogin(club.url, login, wrong),
    await ask(club.url, elsewhere),
    await ask(club.url, loginTarget({ id: 'x' })),
    await ask(club.url, paths.page),
    await post(club.url, paths.page, login.hidden),
    await post(club.url, paths.page, { ...login.hidden, csrf: 'x' }, { cookie: login.cookie }),
  ];
  for (const page of pages) {
    readPage(page);
    // Of what a page could load there is the logo alone, from here; style and script are inline and
    // stand in the policy.
    const { body } = page;
    assert.equal(body.match(/<script\b/g)?.length, 1);
    assert.doesNotMatch(body, /<(?:iframe|object|embed|base)\b|\b(?:srcset|background)=/i);
    assert.doesNotMatch(body, /url\(|@import| on\w+=/i);
    const loaded = [...body.matchAll(/<(?:img|link|script)\b[^>]*?\b(?:src|href)="([^"]*)"/g)];
    assert.deepEqual(
      new Set(loaded.map(([, address = '']) => address.replace(/[\w-]{22}/, 'HASH'))),
      new Set(['/executive-club/login/assets/HASH.svg']),
    );
    // Other sites are linked to, never loaded.
    assert.doesNotMatch(
      body.replaceAll(
        /<a href="https:\/\/(?:executive\.example\/[\w-]*|partner\.example\/)">/g,
        '',
      ),
      /https?:\/\//,
    );
  }
});

test('HOSTILE 11: no answer lets another origin read it', async (t) => {
  const club = await openClub(t);
  const origin = { origin: 'https://evil.example' };
  const preflight = { ...origin, 'access-control-request-method': 'POST' };
  const fields = { grant_type: 'client_credentials' };
  const authorization = club.client.basic;
  const answers = [
    await ask(club.url, loginTarget(club.client), { method: 'OPTIONS', headers: preflight }),
    await ask(club.url, paths.page, { method: 'OPTIONS', headers: preflight }),
    await ask(club.url, paths.grant, { method: 'OPTIONS', headers: preflight }),
    await ask(club.url, loginTarget(club.client), { headers: origin }),
    await post(club.url, paths.grant, fields, { authorization, origin: 'null' }),
    await post(club.url, paths.grant, fields, { origin: 'null' }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [405, 405, 405, 302, 200, 400],
  );
  for (const { headers } of answers) {
    const names = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
    assert.deepEqual(names, []);
  }
});

test('HOSTILE 12: a username is shown again as text, whatever it is made of', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, loginTarget(club.client));
  for (const username of [
    '"><script>alert(1)</script>',
    "' autofocus onfocus='alert(1)",
    '</title><script>',
    '&quot;&#x3C;',
    '${7*7}{{7*7}}',
    '\u2028\u2029',
  ]) {
    const { body } = await submitLogin(club.url, login, { username, password: 'x' });
    const shown = /<input\s+id="username"[^>]*?\bvalue="([^"]*)"/.exec(body)?.[1];
    assert.equal(unescape(shown ?? ''), username);
    assert.doesNotMatch(shown ?? '', /[<>"']/);
    assert.equal(body.match(/<script/g)?.length, 1);
  }
});

/** A programme file all of whose texts are markup. */
function textsOf(markup: string): string {
  const {
    failures: _,
    pages,
    ...texts
  } = everyText((text, key) => `${markup}${text.includes('{partner}') ? '{partner}' : key}`);
  const { failed, ...own } = pages;
  const login = {
    ...texts,
    pages: own,
    title: `${markup}{programme}`,
    website: 'https://a.example/"><b>',
    privacy: 'https://a.example/"><b>',
    help: `https://a.example/'onclick='x"><b>`,
  };
  const page = { status: 400, ...(failed as object) };
  const failures = { unregistered_redirect_uri: { page } };
  return JSON.stringify({ name: `${markup}name`, login, authorize: { failures } });
}

test('HOSTILE 12: texts of the programme file are shown as text, on every page', async (t) => {
  const markup = `"><b onclick='x'>&amp;<!--$&`;
  const club = await openClub(t, { over: textsOf(markup) });
  const login = await openLogin(club.url, loginTarget(club.client));
  const pages = [
    login.page,
    await submitLogin(club.url, login, wrong),
    await submitLogin(club.url, login, { username: '', password: '' }),
    await ask(club.url, loginTarget(club.client, { redirect_uri: 'https://evil.example' })),
    await ask(club.url, paths.page),
    await post(club.url, paths.page, login.hidden),
    await post(club.url, paths.page, { ...login.hidden, csrf: 'x' }, { cookie: login.cookie }),
    await ask(club.url, `${paths.page}/x`, { headers: { accept: 'text/html' } }),
  ];
  for (const page of pages) {
    const { title } = readPage(page);
    assert.ok(title.includes(markup), title);
    assert.doesNotMatch(page.body, /<b\b|<!--|\sonclick=['"]/);
    assert.ok(page.body.split('&quot;&gt;&lt;b onclick=&#39;x&#39;&gt;&amp;amp;').length > 3);
  }
});

test('HOSTILE 12: nor does a page repeat what a request was made of', async (t) => {
  const club = await openClub(t);
  const script = '<script>alert(1)</script>';
  for (const target of [
    loginTarget({ id: script }),
    loginTarget(club.client, { redirect_uri: script }),
    `${paths.page}?transaction=${encodeURIComponent(script)}`,
  ]) {
    const { body } = await ask(club.url, target);
    assert.doesNotMatch(body, /alert\(1/);
    assert.equal(body.match(/<script/g)?.length, 1);
  }
});
