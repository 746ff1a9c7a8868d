// The login page's markup, whole: what browsers, password managers and screen readers are told of it
// (WCAG 2.2 1.3.1, 1.3.5, 3.3.1, 4.1.2; G-8, P-13).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { languageNames } from '../../src/language/variants.ts';
import type { ClientId } from '../../src/oauth/client.ts';
import { loginTarget, openClub, paths, programme, redeem } from '../support/club.ts';
import { openLogin, type OpenLogin, submitLogin } from '../support/login.ts';
import { everyText, readPage } from '../support/page.ts';
import { type Answer, ask } from '../support/wire.ts';

/** A page without what its layout is made of, and without what changes from one to the next. */
function plain({ body }: Answer, { hidden }: Pick<OpenLogin, 'hidden'>): string {
  const fixed = body
    .replace(/<style>[^]*?<\/style>/, '<style/>')
    .replace(/<script>[^]*?<\/script>/, '<script/>')
    .replaceAll(/(?<=\/assets\/)[\w-]{22}(?=\.)/g, 'HASH');
  return Object.entries(hidden)
    .reduce((text, [name, value]) => text.replaceAll(value, name.toUpperCase()), fixed)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?(?<tag><|\/?>) ?/g, '$<tag>');
}

/** What differs from one showing of the form to another. */
interface Shown {
  readonly title: string;
  readonly alert?: string;
  readonly username: string;
  readonly password?: string;
}

const logo = '/executive-club/login/assets/HASH.svg';
const help =
  '<a href="https://executive.example/forgotten-login">Forgotten your username or password?</a>';
const website = '<a href="https://executive.example/">Go to the Executive Club website</a>';
const legal = `<ul>${Object.entries({
  privacy: 'Privacy',
  terms: 'Terms of use',
  imprint: 'Imprint',
})
  .map(([name, label]) => `<li><a href="https://executive.example/${name}">${label}</a></li>`)
  .join('')}</ul>`;
const typing = 'autocapitalize="none" autocorrect="off" spellcheck="false"';

function pageOf({ title, alert = '', username, password = '' }: Shown): string {
  return [
    '<!doctype html><html lang="en" dir="ltr"><head><meta charset="utf-8"/>',
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
    `<title>${title}</title><link rel="icon" href="${logo}"/><style/></head>`,
    `<body><main><div class="logos"><img src="${logo}" alt="Executive Club" class=""/></div>`,
    '<h1>Log in to Executive Club</h1>',
    `<p class="partner">to continue to<strong>Partner</strong></p>${alert}`,
    '<form id="login" method="post" action="/executive-club/login">',
    '<input type="hidden" name="transaction" value="TRANSACTION"/>',
    '<input type="hidden" name="csrf" value="CSRF"/>',
    '<label for="username">Username</label>',
    `<input id="username" name="username" type="text" autocomplete="username" ${typing} ${username}/>`,
    '<label for="password">Password</label><div class="password">',
    `<input id="password" name="password" type="password" autocomplete="current-password" ${typing}${password}/>`,
    '<button type="button" id="reveal" aria-controls="password" aria-pressed="false" aria-label="Show password" title="Show password" hidden>',
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2 12s3.6-7 10-7 10 7 10 7-3.6 7-10 7-10-7-10-7z"/><circle cx="12" cy="12" r="3"/><path class="slash" d="M4 20 20 4"/></svg>',
    '</button></div><button type="submit">Log in</button></form>',
    `<ul class="links"><li>${help}</li><li>${website}</li></ul>`,
    '<footer><ul><li lang="en" aria-current="true">English</li>',
    `<li lang="fr"><button form="login" name="language" value="fr">Français</button></li></ul>${legal}</footer>`,
    '</main><script/></body></html>',
  ].join('');
}

const sign =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9.5"/><path d="M12 7v6m0 3.5v.01"/></svg>';

function alertOf(inside: string): string {
  return `<div class="alert" id="alert" role="alert" tabindex="-1" autofocus>${sign}${inside}</div>`;
}

const about = (message: string): string => `aria-invalid="true" aria-describedby="${message}"`;

test('the form, to the letter: fresh, with blank fields, and with what was not recognised', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, loginTarget(club.client));
  const attempt = async (username: string, password: string): Promise<string> =>
    plain(await submitLogin(club.url, login, { username, password }), login);
  const error = 'Error: Log in to Executive Club';
  assert.equal(
    plain(login.page, login),
    pageOf({ title: 'Log in to Executive Club', username: 'value="" autofocus' }),
  );
  assert.equal(
    await attempt('', ''),
    pageOf({
      title: error,
      alert: alertOf(
        '<p id="username_blank"><a href="#username">Please enter your username.</a></p><p id="password_blank"><a href="#password">Please enter your password.</a></p>',
      ),
      username: `value="" ${about('username_blank')}`,
      password: ` ${about('password_blank')}`,
    }),
  );
  assert.equal(
    await attempt('ann', 'wrong'),
    pageOf({
      title: error,
      alert: alertOf(
        '<p id="not_recognised">The username or password was not recognised. Please try again.</p>',
      ),
      username: `value="ann" ${about('not_recognised')}`,
      password: ` ${about('not_recognised')}`,
    }),
  );
});

test('a page in place of the form, to the letter; without a logo it may load no picture', async (t) => {
  const club = await openClub(t, { over: 'login: { logo: null }' });
  const page = await ask(club.url, paths.page);
  readPage(page);
  assert.equal(
    plain(page, { hidden: {} }),
    [
      '<!doctype html><html lang="en" dir="ltr"><head><meta charset="utf-8"/>',
      '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
      '<title>This login has expired</title><style/></head><body><main>',
      `<div class="stop">${sign}</div><h1>This login has expired</h1>`,
      '<p>Please go back to the site you came from and start again.</p>',
      '<p class="reference">If you ask for help, please quote this reference:',
      `<strong translate="no">${club.records.at(-1)?.id}</strong></p>`,
      `<ul class="links"><li>${website}</li></ul><footer>${legal}</footer></main><script/></body></html>`,
    ].join(''),
  );
});

test('P-13: the language that the login request asked for lasts, to every page of the login', async (t) => {
  const club = await openClub(t, { over: 'login: { address_limit: { limit: 1 } }' });
  const begin = (): Promise<OpenLogin> =>
    openLogin(club.url, loginTarget(club.client, { ui_locales: 'fr' }));
  const login = await begin();
  const told = async (one: OpenLogin, password: string): Promise<readonly [number, string]> => {
    const answer = await submitLogin(club.url, one, { ...club.member, password });
    const { 'retry-after': _, ...headers } = answer.headers;
    const { status, title } = readPage({ ...answer, headers }, 'fr');
    return [status, title];
  };
  const elsewhere = { ...login, cookie: '' };
  assert.deepEqual(await told(elsewhere, 'x'), [400, 'La connexion ne peut pas se poursuivre ici']);
  const forged = { ...login, hidden: { ...login.hidden, csrf: 'x' } };
  assert.deepEqual(await told(forged, 'x'), [403, 'Ce formulaire ne peut pas être accepté']);
  const code = (await submitLogin(club.url, login, club.member)).headers['location']?.split('=')[1];
  assert.equal((await redeem(club, code ?? '')).status, 200);
  const { password } = club.member;
  assert.deepEqual(await told(login, password), [400, 'Vous êtes connecté']);
  assert.equal((await told(login, 'wrong'))[0], 200);
  assert.deepEqual(await told(login, password), [429, 'Connexion impossible pour le moment']);
  const late = await begin();
  club.clock.advance(900 - 1);
  await club.store.change('client', programme, club.client.id as ClientId, (client) => ({
    ...client,
    status: 'disabled',
  }));
  assert.deepEqual(await told(late, password), [400, 'La connexion ne peut pas commencer']);
});

test('a language that is written from right to left is shown so', async (t) => {
  const ar = everyText((text) => (text.includes('{partner}') ? '{partner}' : 'a'));
  const club = await openClub(t, { over: JSON.stringify({ login: { languages: { ar } } }) });
  const { body } = await ask(club.url, paths.page, { headers: { 'accept-language': 'ar-EG' } });
  assert.match(body, /^<!doctype html>\s*<html lang="ar" dir="rtl">/);
  const { page } = await openLogin(club.url, loginTarget(club.client));
  assert.ok(plain(page, { hidden: {} }).includes('value="ar">العربية</button></li>'));
});

test('each shipped language that a file names is shown to browsers that ask for it', async (t) => {
  const tags = languageNames();
  const named = Object.fromEntries(tags.map((tag) => [tag, {}]));
  const club = await openClub(t, { over: JSON.stringify({ login: { languages: named } }) });
  const titles = new Set<string>();
  for (const tag of tags) {
    const { body } = await ask(club.url, paths.page, { headers: { 'accept-language': tag } });
    assert.ok(body.includes(`<html lang="${tag}" dir="ltr">`), tag);
    titles.add(/<title>([^<]*)/.exec(body)?.[1] ?? '');
  }
  assert.equal(titles.size, tags.length);
});
