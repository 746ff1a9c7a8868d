// P-3: what browsers and API clients get where no page is, and at the login's paths by a wrong method.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { jsonHeaders, paths } from '../support/club.ts';
import { publicUrl, shippedProgramme, startJetway } from '../support/jetway.ts';
import { readPage } from '../support/page.ts';
import { type Answer, ask } from '../support/wire.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const notFound: Answer = { status: 404, headers: jsonHeaders, body: '{"error":"not_found"}' };

const pages = {
  en: {
    404: [
      'Page not found',
      'There is nothing at this address. Please check it, or go back to the site you came from.',
    ],
    405: [
      'This page cannot be opened directly',
      'A login begins at the site of a partner. Please go back to the site you came from and start there.',
    ],
  },
  fr: {
    404: [
      'Page introuvable',
      'Il n’y a rien à cette adresse. Veuillez la vérifier ou retourner sur le site d’où vous venez.',
    ],
    405: [
      'Cette page ne peut pas être ouverte directement',
      'Une connexion commence sur le site d’un partenaire. Veuillez retourner sur le site d’où vous venez et recommencer à partir de là.',
    ],
  },
} as const;

/** Three programmes, two of them on one path: the first is the default there. */
function programmesOnTwoPaths(): Record<string, string> {
  const at = (id: string, isDefault: boolean): string =>
    shippedProgramme(
      id,
      `base_path: /clubs\nselector: { input: programme, default: ${isDefault} }`,
    );
  return {
    'executive-club': shippedProgramme('executive-club'),
    'third-club': at('third-club', false),
    'second-club': at('second-club', true),
  };
}

test('P-3: a 404 is a page for browsers, in the look and language of the programme that it is below', async (t) => {
  const { url, events } = await startJetway(t, { programmes: programmesOnTwoPaths() });
  for (const [target, icon] of [
    ['/executive-club', '/executive-club/login/'],
    ['/executive-club/lgoin?transaction=x', '/executive-club/login/'],
    ['/clubs/third-club/x', '/clubs/third-club/login/'],
    ['/clubs/second-club', '/clubs/second-club/login/'],
    ['/clubs/secure/cod', '/clubs/second-club/login/'],
    ['/clubs/third-clubs/x', '/clubs/second-club/login/'],
    ['/clubsx', undefined],
    ['/', undefined],
  ] as const) {
    for (const language of ['en', 'fr'] as const) {
      const headers = { accept: browser, 'accept-language': language };
      const answer = await ask(url, target, { headers });
      const [title, text] =
        icon === undefined
          ? ['Page not found', 'There is nothing at this address.']
          : pages[language][404];
      const page = readPage(answer, icon === undefined ? 'en' : language);
      assert.deepEqual(page, { status: 404, title, heading: title, text: [text] }, target);
      assert.equal(/<link rel="icon" href="(.*?)assets/.exec(answer.body)?.[1], icon, target);
      // A wrong address is no danger, and looks like none.
      assert.match(answer.body, /<p class="status">404<\/p>/);
      assert.doesNotMatch(answer.body, /<div class="stop">/);
      // Made once, and given again.
      assert.deepEqual(await ask(url, target, { headers }), answer);
    }
  }
  assert.deepEqual(events, []);
});

test('P-3: who does not ask for HTML by name, or sends credentials, gets the bytes that it always got', async (t) => {
  const { url } = await startJetway(t);
  for (const headers of [
    {},
    { accept: '*/*' },
    { accept: 'application/json' },
    { accept: 'text/*' },
    { accept: 'application/json, text/html;q=0' },
    // What Java has sent by itself for twenty years.
    { accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', authorization: 'Basic eDp5' },
  ] as const) {
    for (const target of ['/executive-club/api/grants', '/', '/executive-club']) {
      assert.deepEqual(await ask(url, target, { headers }), notFound, JSON.stringify(headers));
    }
    const { status, body } = await ask(url, paths.login, { method: 'PUT', headers });
    assert.deepEqual([status, body], [405, '{"error":"method_not_allowed"}']);
  }
});

test('P-3: a 405 at the paths of a login is a page for browsers, with Allow', async (t) => {
  const programmes = { 'second-club': shippedProgramme('second-club') };
  const { url } = await startJetway(t, { programmes });
  for (const [method, target, allow] of [
    ['GET', '/second-club/secure/code?client_id=x', 'POST'],
    ['PUT', '/second-club/secure/code', 'POST'],
    ['DELETE', '/second-club/login', 'GET, POST'],
  ] as const) {
    for (const language of ['en', 'fr'] as const) {
      const headers = { accept: browser, 'accept-language': language };
      const answer = await ask(url, target, { method, headers });
      const { allow: allowed, ...others } = answer.headers;
      assert.equal(allowed, allow);
      const [title, text] = pages[language][405];
      const page = readPage({ ...answer, headers: others }, language);
      assert.deepEqual(page, { status: 405, title, heading: title, text: [text] });
    }
  }
  // At a path of the API it stays in the dialect's words, whoever asks.
  const { status, body } = await ask(url, '/second-club/secure/key', {
    headers: { accept: browser },
  });
  assert.deepEqual(
    [status, JSON.parse(body)],
    [405, { error: 'invalid_request', error_description: 'Method not allowed' }],
  );
});

test('P-3: a programme without a login has no pictures to show on its pages', async (t) => {
  const over = 'grants: { authorization_code: null, refresh_token: null }';
  const programmes = { 'executive-club': shippedProgramme('executive-club', over) };
  const { url } = await startJetway(t, { programmes });
  const answer = await ask(url, paths.page, { headers: { accept: browser } });
  assert.equal(readPage(answer).title, 'Page not found');
  assert.doesNotMatch(answer.body, /assets/);
});

test('P-3 HOSTILE 62: with a path in the public address, pages are below that', async (t) => {
  const { url } = await startJetway(t, { publicUrl: `${publicUrl}/prefix` });
  const headers = { accept: browser };
  const { body } = await ask(url, '/prefix/executive-club/nothing', { headers });
  assert.match(body, /src="\/prefix\/executive-club\/login\/assets\//);
  assert.doesNotMatch((await ask(url, '/executive-club/x', { headers })).body, /assets/);
});
