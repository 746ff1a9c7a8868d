// Owns the check that a token is found in an answer of any layout, by us and by bash (Use 6).

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { takeOut } from '../../../src/contract/partner/curl.ts';
import { instant } from '../../../src/lib/clock.ts';
import type { Client } from '../../../src/oauth/client.ts';
import type { TokenSet } from '../../../src/oauth/token_set.ts';
import { takeToken, tokenPlace, withCookies } from '../../../src/programme/answers/token_place.ts';
import { compileProgramme } from '../../../src/programme/programme.ts';
import { loadProgramme } from '../../../src/rules/load.ts';
import { programmeText } from '../../cli/command.ts';

/** Layouts in which a name, or what is around a token, is not enough to find it. */
const layouts: Readonly<Record<string, string>> = {
  'one name twice':
    '{ fields: [{ access: { object: { value: access_token } }, refresh: { object: { value: refresh_token } } }] }',
  'a list without names':
    '{ fields: [{ issued: issued_at, tokens: { array: [access_token, refresh_token] } }] }',
  'a word before each, and one after':
    '{ fields: [{ b: { joined: [{ constant: "Bearer " }, refresh_token, { constant: ".x" }] }, a: { joined: [{ constant: "Bearer " }, access_token, { constant: "; v=1" }] } }] }',
  'quotes and backslashes in names': `{ fields: [{ "it's\\\\\\"\`$HOME": access_token, "!x": refresh_token }] }`,
  'upper case in an envelope':
    '{ name_case: upper, wrap: [a, b], fields: [{ t: access_token, r: refresh_token }] }',
  'a form that begins with it':
    '{ encoding: form, fields: [{ t: access_token, e: access_expires_at, r: refresh_token }] }',
  'XML after a date':
    '{ encoding: xml, wrap: [rs], fields: [{ at: { value: issued_at, as: http_date }, t: access_token, r: refresh_token }] }',
  'bare text':
    '{ encoding: text, fields: [{ t: { joined: [access_token, { constant: " " }, refresh_token] } }] }',
  'a list behind values of other kinds':
    '{ fields: [{ left: access_lifetime, scope: { value: scope }, tokens: { array: [access_token, refresh_token] }, kind: kind }] }',
  'a text that begins with the client':
    '{ fields: [{ t: { joined: [client_id, { constant: ":" }, access_token] }, r: { first: [level, refresh_token] } }] }',
  'a header':
    '{ headers: { X-Token: { value: access_token }, Authorization: { joined: [{ constant: "Bearer " }, refresh_token] } }, fields: [{ ok: { constant: true } }] }',
};

const tokens: TokenSet = {
  grant: 'authorization_code',
  kind: 'member',
  subject: 'somebody',
  accessToken: 'eyJ-one_x.two.three',
  tokenId: '42',
  issuedAt: instant(Date.parse('2026-01-02T03:04:05Z')),
  accessExpiresAt: instant(Date.parse('2026-01-02T03:34:05Z')),
  refreshToken: 'r-0123_456',
  refreshExpiresAt: instant(Date.parse('2026-01-03T03:04:05Z')),
  scope: 'AUTHN-LEVEL-10',
  membershipNumber: '123',
};

const client = { id: 'partnerapi-12345', name: 'Partner', properties: {} } as unknown as Client;

for (const [name, layout] of Object.entries(layouts)) {
  test(`Use 6: both tokens are found in ${name}`, () => {
    const { loaded, faults } = loadProgramme(
      'club.yaml',
      programmeText('Club', `token_response: ${layout}`),
    );
    assert.ok(loaded, faults.map(({ message }) => message).join('\n'));
    const programme = compileProgramme(loaded.id, loaded.definition, 'https://tokens.example');
    const answer = programme.renderTokens(tokens, client);
    const head = Object.entries(answer.headers).map((field) => `${field.join(': ')}\r\n`);
    for (const token of ['accessToken', 'refreshToken'] as const) {
      const place = tokenPlace(programme, client, 'authorization_code', token);
      assert.ok(place, answer.body);
      assert.equal(takeToken(place, answer), tokens[token], answer.body);
      const script = `ANSWER=$(cat); ${takeOut('ANSWER', 'TOKEN', place)}; printf %s "$TOKEN"`;
      const input = place.header === undefined ? answer.body : `${head.join('')}\r\n${answer.body}`;
      const taken = execFileSync('bash', ['-c', script], { input, encoding: 'utf8' });
      assert.equal(taken, tokens[token], `${script}\n${input}`);
    }
    assert.equal(tokenPlace(programme, client, 'client_credentials', 'refreshToken'), undefined);
    const refusal = { headers: {}, body: '{"error":"invalid_grant"}' };
    const place = tokenPlace(programme, client, 'authorization_code', 'accessToken');
    assert.equal(takeToken(place, refusal), undefined);
  });
}

test('Use 6: a token is found in the second of two cookies, by us and by bash', () => {
  const cookies =
    '{ a: { value: access_token, max_age: access_lifetime }, r: { value: refresh_token, path: /r } }';
  const { loaded } = loadProgramme(
    'club.yaml',
    programmeText('Club', `token_response: { fields: [{ ok: scope }], cookies: ${cookies} }`),
  );
  assert.ok(loaded);
  const programme = compileProgramme(loaded.id, loaded.definition, 'https://tokens.example');
  const answer = withCookies(programme.renderTokens(tokens, client));
  for (const token of ['accessToken', 'refreshToken'] as const) {
    const place = tokenPlace(programme, client, 'authorization_code', token);
    assert.equal(takeToken(place, answer), tokens[token]);
    assert.ok(place);
    const lines = (answer.headers['Set-Cookie'] ?? '').split('\n');
    const head = lines.map((line) => `Set-Cookie: ${line}\r\n`).join('');
    const script = `ANSWER=$(cat); ${takeOut('ANSWER', 'TOKEN', place)}; printf %s "$TOKEN"`;
    const input = `HTTP/1.1 200 OK\r\n${head}\r\n${answer.body}`;
    const taken = execFileSync('bash', ['-c', script], { input, encoding: 'utf8' });
    assert.equal(taken, tokens[token], `${script}\n${input}`);
  }
});
