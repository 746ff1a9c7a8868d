// The login page's languages, brands and pictures on the wire (G-8, P-3, P-13).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { openClub, loginTarget as clubTarget, paths, programme } from '../support/club.ts';
import { publicUrl, shippedProgramme, startJetway } from '../support/jetway.ts';
import { openLogin, type OpenLogin, submitLogin } from '../support/login.ts';
import { readPage, unescape } from '../support/page.ts';
import { loginTarget, openPartnerClub, type PartnerClub } from '../support/partner_club.ts';
import { type Answer, ask } from '../support/wire.ts';

/** The login page once more, as a browser with other headers asks for it. */
function pageAgain(base: string, login: OpenLogin, more: Record<string, string>): Promise<Answer> {
  const { pathname, search } = new URL(login.bound.headers['location'] ?? '');
  return ask(base, pathname + search, { headers: { cookie: login.cookie, ...more } });
}

test('a page is in the language of the browser, where the programme has it', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, clubTarget(club.client));
  for (const [accepted, language, title] of [
    ['fr-CA,en;q=0.5', 'fr', 'Connexion à Executive Club'],
    ['de,nl;q=0.5', 'en', 'Log in to Executive Club'],
    ['de,fr;q=0.1', 'fr', 'Connexion à Executive Club'],
  ] as const) {
    const page = await pageAgain(club.url, login, { 'accept-language': accepted });
    assert.equal(readPage(page, language).title, title, accepted);
  }
  const french = await pageAgain(club.url, login, { 'accept-language': 'fr' });
  for (const text of [
    'Nom d’utilisateur',
    'Mot de passe',
    'Se connecter',
    'pour continuer vers ',
  ]) {
    assert.ok(french.body.includes(text), text);
  }
  const headers = { 'accept-language': 'fr' };
  const wrong = { username: 'ann', password: 'wrong' };
  const told = readPage(await submitLogin(club.url, login, wrong, headers), 'fr');
  // What a screen reader reads first; the heading stays what it was.
  assert.equal(told.title, 'Erreur : Connexion à Executive Club');
  assert.equal(told.heading, 'Connexion à Executive Club');
  assert.deepEqual(told.text, [
    'Le nom d’utilisateur ou le mot de passe n’a pas été reconnu. Veuillez réessayer.',
  ]);
  const blank = await submitLogin(club.url, login, { username: '', password: '' }, headers);
  assert.deepEqual(readPage(blank, 'fr').text, [
    'Veuillez saisir votre nom d’utilisateur.',
    'Veuillez saisir votre mot de passe.',
  ]);
});

test('ui_locales of the login request goes before the browser’s language, and lasts', async (t) => {
  const club = await openPartnerClub(t);
  const login = await openLogin(club.url, loginTarget(club, { ui_locales: 'de fr-CA en' }), 'POST');
  const english = { 'accept-language': 'en' };
  assert.equal(
    readPage(await pageAgain(club.url, login, english), 'fr').title,
    'Connexion à Second Club',
  );
  const answer = await submitLogin(club.url, login, { ...club.member, password: 'x' }, english);
  assert.deepEqual(readPage(answer, 'fr').text, [
    'Vos informations n’ont pas été reconnues. Veuillez réessayer ou mettre à jour vos informations sur le site du programme.',
  ]);
  // What nobody can be shown is no reason to refuse a login (OpenID Connect Core 3.1.2.1).
  const odd = await openLogin(club.url, loginTarget(club, { ui_locales: '<b> __proto__' }), 'POST');
  assert.equal(readPage(odd.page).title, 'Log in to Second Club');
});

test('G-7: pages of failures are in the language asked for, all but the title Security Issue', async (t) => {
  const club = await openClub(t);
  const elsewhere = clubTarget(club.client, { redirect_uri: 'https://elsewhere.example/' });
  const french = { headers: { 'accept-language': 'fr' } };
  const pages = [
    [elsewhere, 'Security Issue'],
    [clubTarget({ id: 'x' }), 'La connexion ne peut pas commencer'],
    [paths.page, 'Cette connexion a expiré'],
  ] as const;
  for (const [target, title] of pages) {
    const page = readPage(await ask(club.url, target, french), 'fr');
    assert.deepEqual([page.status, page.title], [400, title]);
  }
  assert.equal(readPage(await ask(club.url, elsewhere)).title, 'Security Issue');
  const asked = await ask(club.url, `${elsewhere}&ui_locales=fr`, {
    headers: { 'accept-language': 'en' },
  });
  const { title, text } = readPage(asked, 'fr');
  assert.deepEqual(
    [title, text[0]?.slice(0, 30)],
    ['Security Issue', 'Le lien qui vous a conduit ici'],
  );
});

test('a file changes single texts, adds a language and chooses the usual one', async (t) => {
  const over = `login:
  labels: { username: Card number }
  default_language: fr
  languages:
    fr: { title: "Bienvenue chez {programme}", website: "https://executive.example/fr/" }`;
  const club = await openClub(t, { over });
  const login = await openLogin(club.url, clubTarget(club.client));
  const page = await pageAgain(club.url, login, {});
  assert.equal(readPage(page, 'fr').title, 'Bienvenue chez Executive Club');
  const website = 'https://executive.example/';
  assert.deepEqual(linksOf(page), [`${website}forgotten-login`, `${website}fr/`]);
  const english = await pageAgain(club.url, login, { 'accept-language': 'en' });
  assert.match(english.body, /<label for="username">Card number<\/label>/);
  assert.deepEqual(linksOf(english), [`${website}forgotten-login`, website]);
});

const brands = `login:
  brands:
    Harbour: { name: "Harbour & <Sons>", logo: third-club.svg }
    Plain: { name: Plain Hotels }`;

function partnerOn(page: Answer): string {
  return unescape(
    /<p class="partner">(.*?)<\/p>/.exec(page.body)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? '',
  );
}

async function pageOf(club: PartnerClub, brandName: string | undefined): Promise<Answer> {
  return (await openLogin(club.url, loginTarget(club, { brandName }), 'POST')).page;
}

function pictures({ body }: Answer): readonly string[] {
  return [...body.matchAll(/<img [^>]*?alt="([^"]*)"/g)].map(([, alt = '']) => unescape(alt));
}

test('P-3: brandName picks the partner’s name and logo; another one shows the client', async (t) => {
  const club = await openPartnerClub(t, { over: brands });
  const shown = await Promise.all(
    ['Harbour', 'Plain', 'harbour', 'Nobody', undefined].map(async (brand) => {
      const page = await pageOf(club, brand);
      readPage(page);
      return [partnerOn(page), pictures(page)];
    }),
  );
  assert.deepEqual(shown, [
    ['to continue to Harbour & <Sons>', ['Second Club', 'Harbour & <Sons>']],
    ['to continue to Plain Hotels', ['Second Club']],
    ['to continue to Partner', ['Second Club']],
    ['to continue to Partner', ['Second Club']],
    ['to continue to Partner', ['Second Club']],
  ]);
});

test('HOSTILE 12: the names of clients and brands are shown as text', async (t) => {
  const club = await openPartnerClub(t, { over: brands });
  const page = await pageOf(club, 'Harbour');
  assert.doesNotMatch(page.body, /<Sons>/);
  const grant = await openClub(t);
  const name = '"><script>alert(1)</script>{partner}$&';
  const client = await grant.addClient({ id: 'partnerapi-00002', more: { name } });
  const login = await openLogin(grant.url, clubTarget(client));
  assert.equal(partnerOn(login.page), `to continue to ${name}`);
  assert.equal(login.page.body.match(/<script/g)?.length, 1);
});

test('pictures are kept by browsers for ever, and are no documents of ours', async (t) => {
  const club = await openClub(t);
  const { page } = await openLogin(club.url, clubTarget(club.client));
  const address = /<img src="([^"]*)"/.exec(page.body)?.[1] ?? '';
  assert.match(address, /^\/executive-club\/login\/assets\/[\w-]{22}\.svg$/);
  assert.deepEqual(await ask(club.url, address), {
    status: 200,
    headers: {
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    },
    body: readFileSync('programmes/executive-club.svg', 'utf8'),
  });
  for (const path of ['/executive-club/login/assets/', '/executive-club/login/assets/club.svg']) {
    assert.equal((await ask(club.url, path)).status, 404);
  }
  assert.equal((await ask(club.url, address, { method: 'POST' })).status, 405);
});

/** Where a page leads to, besides its form and its foot. */
function linksOf({ body }: Answer): readonly string[] {
  const [links = ''] = body.split('<footer>');
  return [...links.matchAll(/<a href="(https:[^"]*)"/g)].map(([, address = '']) => address);
}

test('G-8 P-13: each page leads to the programme’s website, once, and the form to help', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, clubTarget(club.client));
  const website = 'https://executive.example/';
  const help = `${website}forgotten-login`;
  const blank = { username: '', password: '' };
  for (const [links, page] of [
    [[help, website], login.page],
    [[help, website], await submitLogin(club.url, login, blank)],
    [[help, website], await submitLogin(club.url, login, { username: 'ann', password: 'x' })],
    [[website], await ask(club.url, clubTarget({ id: 'x' }))],
    [[website], await ask(club.url, paths.page)],
  ] as const) {
    assert.deepEqual(linksOf(page), links);
  }
  const bare = await openClub(t, {
    over: 'login: { website: null, help: null, privacy: null, terms: null, imprint: null, language_switch: false }',
  });
  const { page } = await openLogin(bare.url, clubTarget(bare.client));
  assert.deepEqual(linksOf(page), []);
  assert.doesNotMatch(page.body, /<ul|Forgotten|Go to the/);
});

test('a page keeps to the public URL’s path in all it names', async (t) => {
  const programmes = { [programme]: shippedProgramme(programme) };
  const jetway = await startJetway(t, { programmes, publicUrl: `${publicUrl}/prefix` });
  const { body } = await ask(jetway.url, `/prefix${paths.page}`);
  assert.match(body, /<img src="\/prefix\/executive-club\/login\/assets\//);
});

test('colours of the file are those of the page', async (t) => {
  const club = await openClub(t);
  const { page } = await openLogin(club.url, clubTarget(club.client));
  assert.match(
    page.body,
    /:root\{--paper:#ffffff;--accent:#12305e;--accent-text:#ffffff;--accent-hover:#/,
  );
  assert.match(page.body, /prefers-color-scheme:dark\)\{:root\{--accent:#a9c4f0;/);
});

test('the page weighs under 20 KB with its style and its logos', async (t) => {
  const club = await openPartnerClub(t, { over: brands });
  const state = 's'.repeat(512);
  const target = loginTarget(club, { brandName: 'Harbour', state, ui_locales: 'fr' });
  const login = await openLogin(club.url, target, 'POST');
  const page = await submitLogin(club.url, login, { username: 'a'.repeat(60), password: 'x' });
  const addresses = new Set(
    [...page.body.matchAll(/<img src="([^"]*)"/g)].map(([, one = '']) => one),
  );
  assert.equal(addresses.size, 2);
  let bytes = Buffer.byteLength(page.body);
  t.diagnostic(`the page: ${bytes} bytes, ${gzipSync(page.body).length} compressed`);
  for (const address of addresses) {
    const { headers, body } = await ask(club.url, address);
    assert.match(headers['cache-control'] ?? '', /immutable/);
    bytes += Buffer.byteLength(body);
  }
  assert.ok(bytes < 20_000, `${bytes} bytes`);
  // With the largest logo that a file may bring, too.
  assert.ok(Buffer.byteLength(page.body) < 10_000, `${page.body.length} bytes`);
});
