// HOSTILE 1: redirect URIs with the one parameter that may vary, and what only looks like it; never a redirect.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loginTarget, openClub } from '../support/club.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import { changeClient } from '../support/partner_token.ts';
import { ask } from '../support/wire.ts';

const registered = 'https://partner.example/cb';

/** Near misses: many parsers make several of these equal to what is registered. */
const nearMisses = [
  'https://partner.example/CB',
  'https://partner.example/cb/',
  'https://partner.example/cb?x=1',
  'https://partner.example/cb?',
  'https://partner.example/cb#f',
  'https://partner.example/cb#',
  'https://partner.example/a/../cb',
  'https://partner.example/./cb',
  'https://partner.example//cb',
  'https://partner.example/%63b',
  'https://partner.example/cb%20',
  'https://partner.example/cb;x',
  'https://partner.example:443/cb',
  'https://partner.example./cb',
  'https://PARTNER.example/cb',
  'HTTPS://partner.example/cb',
  'https://u@partner.example/cb',
  'https://u:p@partner.example/cb',
  'https://partner.example@evil.example/cb',
  'https://partner.example\\@evil.example/cb',
  'https://partner.example\\cb',
  'https://partner.example.evil.example/cb',
  'https://evil.example/https://partner.example/cb',
  'https://partner.example/cb/../evil',
  'https://partner.example/cb,https://evil.example',
  'https://partner.example/cb https://evil.example',
  'https://ｐartner.example/cb',
  'https://partner。example/cb',
  'https:/partner.example/cb',
  'https:partner.example/cb',
  'https:\\\\partner.example\\cb',
  '//partner.example/cb',
  '/cb',
  'cb',
  'http://partner.example/cb',
  'javascript://partner.example/cb',
  'data:text/html,x',
  'https://partner.example/c\tb',
  '\thttps://partner.example/cb',
  ' https://partner.example/cb',
  'https://partner.example/cb ',
  'https://partner.example/cb\n',
  'https://partner.example/cb\r\nLocation: https://evil.example',
  'https://partner.example/cb\u0000',
  'https://partner.example/cb\u200b',
  '\ufeffhttps://partner.example/cb',
  'https://partner.example/*',
  '*',
  'null',
  'undefined',
];

const securityIssue = {
  status: 400,
  title: 'Security Issue',
  heading: 'Security Issue',
  text: [
    'The link that brought you here wants to take you on to an address that its partner has not registered. For your safety the login stops here. Please do not use that link again; visit the partner’s own site instead.',
  ],
};

test('HOSTILE 1: one parameter may follow the registered text, and nothing else', async (t) => {
  const over = 'authorize: { redirect_uri: { varies: [redirect_state] } }';
  const club = await openClub(t, { over });
  const other = 'https://partner.example/q?a=b';
  const redirectUris = [registered, other];
  const client = await club.addClient({ id: 'partnerapi-00002', redirectUris });
  const asked = (uri: string): ReturnType<typeof ask> =>
    ask(club.url, loginTarget(client, { redirect_uri: uri, response_type: 'x' }));
  const varied = '?redirect_state=a';
  for (const uri of [
    ...nearMisses,
    ...nearMisses.map((near) => near + (near.includes('?') ? '&redirect_state=a' : varied)),
    ...[
      '?redirect_state=',
      '?redirect_state',
      `?redirect_state=${'a'.repeat(129)}`,
      '&redirect_state=a',
      ';redirect_state=a',
      '#redirect_state=a',
      '/?redirect_state=a',
      '??redirect_state=a',
      '?&redirect_state=a',
      '?redirect_state=a&redirect_state=b',
      '?redirect_state=a?redirect_state=b',
      '?redirect_state=a&code=b',
      '?code=b&redirect_state=a',
      '?code=a',
      '?iss=a',
      '?Redirect_State=a',
      '?redirect%5Fstate=a',
      '?redirect_state%3Da',
      '?redirect_state=a%26code=b',
      '?redirect_state=a%20',
      '?redirect_state=a+b',
      '?redirect_state=a b',
      '?redirect_state=a\n',
      '?redirect_state=a\r\nLocation:x',
      '?redirect_state=a#',
      '?redirect_state=a#code=b',
      '?redirect_state=a=b',
      '?redirect_state==a',
      '?redirect_state=é',
      '?redirect_state=a;b',
      '?redirect_state=https://evil.example',
      '?redirect_state=<script>',
    ].map((end) => registered + end),
    `${other}?redirect_state=a`,
    `${other}&redirect_state=a&redirect_state=b`,
    varied,
    `https://evil.example/${varied}`,
  ]) {
    const answer = await asked(uri);
    assert.deepEqual(readPage(answer), securityIssue, JSON.stringify(uri));
    assert.equal(answer.headers['location'], undefined);
  }
  for (const uri of [
    registered + varied,
    `${registered}?redirect_state=${'~'.repeat(128)}`,
    `${registered}?redirect_state=.-_code`,
    `${other}&redirect_state=a`,
  ]) {
    const sign = '&error=unsupported_response_type';
    assert.equal((await asked(uri)).headers['location'], uri + sign, uri);
  }
});

test('HOSTILE 1: a callback that is removed while the member logs in takes its variants along', async (t) => {
  const over = 'authorize: { redirect_uri: { varies: [redirect_state] } }';
  const club = await openClub(t, { over });
  const redirect_uri = `${club.client.redirectUri}?redirect_state=a`;
  const login = await openLogin(club.url, loginTarget(club.client, { redirect_uri }));
  await changeClient(club, () => ({ redirectUris: ['https://partner.example/cb2'] }));
  const answer = await submitLogin(club.url, login, club.member);
  assert.equal(readPage(answer).title, 'Security Issue');
});
