// Answers of a login that come back in a form or in the fragment: whole pages, headers and failures.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loadProgramme } from '../../src/rules/load.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { formOf, openLogin, submitLogin, withoutDevice } from '../support/login.ts';
import { ask } from '../support/wire.ts';

const over = `authorize:
  endpoint: { inputs: { response_mode: { allowed: [query, form_post, fragment] } } }
  answer: { mode: form_post }`;

async function open(t: Parameters<typeof startJetway>[0]) {
  const programmes = { 'executive-club': shippedProgramme('executive-club', over) };
  const jetway = await startJetway(t, { programmes });
  const redirectUris = ['https://partner.example/back?a=1&b="', 'com.example.app:/back'];
  const client = await jetway.addClient({ redirectUris });
  const member = await jetway.addMember();
  const target = (more: Record<string, string>): string =>
    `/executive-club/auth/login?${new URLSearchParams({ client_id: client.id, ...more }).toString()}`;
  return { jetway, member, target, web: redirectUris[0] ?? '', app: redirectUris[1] ?? '' };
}

test('a form with code and state goes to the redirect URI, on a page of the login', async (t) => {
  const { jetway, member, target, web } = await open(t);
  const state = '"><script>alert(1)</script>&amp;';
  const login = await openLogin(
    jetway.url,
    target({ response_type: 'code', redirect_uri: web, state }),
  );
  const answer = withoutDevice(await submitLogin(jetway.url, login, member));
  assert.equal(answer.status, 200);
  const { action, hidden } = formOf(answer);
  assert.equal(action, web.replaceAll('&', '&amp;').replaceAll('"', '&quot;'));
  assert.deepEqual(Object.keys(hidden), ['code', 'state']);
  assert.equal(hidden['state'], '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;');
  const { 'content-security-policy': policy = '', ...headers } = answer.headers;
  assert.match(
    policy,
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  assert.deepEqual(headers, {
    'cache-control': 'no-store',
    'content-language': 'en',
    'content-type': 'text/html; charset=utf-8',
    pragma: 'no-cache',
    'referrer-policy': 'strict-origin',
    vary: 'Accept-Language',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'none',
  });
});

test('failures go the same way, and apps get theirs by query', async (t) => {
  const { jetway, target, web, app } = await open(t);
  const wrong = { response_type: 'token', state: 'here' };
  const posted = await ask(jetway.url, target({ ...wrong, redirect_uri: web }));
  assert.deepEqual(formOf(posted).hidden, { error: 'unsupported_response_type', state: 'here' });
  const asked = async (redirect_uri: string, mode: Record<string, string>) =>
    (await ask(jetway.url, target({ ...wrong, redirect_uri, ...mode }))).headers['location'];
  const told = 'error=unsupported_response_type&state=here';
  assert.equal(await asked(app, {}), `${app}?${told}`);
  assert.equal(await asked(web, { response_mode: 'query' }), `${web}&${told}`);
  assert.equal(await asked(app, { response_mode: 'fragment' }), `${app}#${told}`);
});

test('an attempt that fails later is told in the mode that the login began with', async (t) => {
  const { jetway, member, target, app } = await open(t);
  const asked = { response_type: 'code', redirect_uri: app, response_mode: 'fragment' };
  const login = await openLogin(jetway.url, target(asked));
  const { location = '' } = (await submitLogin(jetway.url, login, member)).headers;
  assert.match(location, /^com\.example\.app:\/back#code=[0-9a-f]{64}$/);
});

test('the input response_mode says which modes can be chosen', () => {
  const errorsOf = (input: string): readonly string[] => {
    const yaml = shippedProgramme(
      'executive-club',
      `authorize: { endpoint: { inputs: { response_mode: ${input} } } }`,
    );
    const { faults } = loadProgramme('a.yaml', yaml);
    return faults.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  };
  const message =
    'the input response_mode says under allowed which of query, fragment, form_post can be chosen';
  assert.deepEqual(errorsOf('{}'), [message]);
  assert.deepEqual(errorsOf('{ allowed: [query, web_message] }'), [message]);
  assert.deepEqual(errorsOf('{ allowed: [fragment] }'), []);
});
