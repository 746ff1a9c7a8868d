// Tests of the checks of how clients authenticate: methods that do not go together, and credentials that
// come twice.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loadProgramme } from '../../src/rules/load.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

/** Severity, path and message of each fault of the file. */
function told(yaml: string): readonly string[] {
  const { faults } = loadProgramme('a.yaml', head + yaml);
  return faults.map(({ severity, path, message }) => `${severity} ${path}: ${message}`);
}

function errors(yaml: string): readonly string[] {
  return told(yaml).filter((text) => text.startsWith('error'));
}

const client = (authentication: string, more = ''): string =>
  `client: { authentication: { ${authentication} } }\n${more}`;

test('RFC 9700 2.1.1: public clients need proof keys, a login, and refresh tokens that change', () => {
  const pkce = 'authorize: { pkce: required }\n';
  const basicToo = client('methods: [basic, none], when_both: refuse', pkce);
  assert.deepEqual(errors(basicToo), []);
  assert.deepEqual(errors(client('methods: [basic, none]')), [
    'error client.authentication.methods: public clients prove nothing, so their codes need proof keys (RFC 9700 2.1.1)',
  ]);
  assert.deepEqual(errors(`${basicToo}tokens: { refresh: { rotation: off } }\n`), [
    'error tokens.refresh.rotation: refresh tokens of public clients must change at each use (RFC 9700 4.14.2)',
  ]);
  assert.deepEqual(
    errors(`${basicToo}grants: { authorization_code: null, refresh_token: null }\n`),
    [
      'error client.authentication.methods: public clients get tokens only for members, and no grant here logs a member in',
    ],
  );
  assert.deepEqual(errors(client('methods: [none]', pkce)), [
    'error client.authentication.methods: the grant client_credentials needs clients that prove themselves, and all are public here',
  ]);
  const alone = client('methods: [none]', `${pkce}grants: { client_credentials: null }\n`);
  assert.deepEqual(errors(alone), []);
});

test('HOSTILE 88: ISO-8859-1 is read of raw credentials in a header, and of nothing else', () => {
  const latin = 'basic_charset: utf-8_or_iso-8859-1';
  for (const good of ['credentials: raw', 'credentials: either', 'methods: [bare_basic]']) {
    assert.deepEqual(errors(client(`${good}, ${latin}`)), []);
  }
  for (const [encoding, words] of [
    ['form', 'form-encoded UTF-8'],
    ['base64', 'base64 again'],
  ]) {
    assert.deepEqual(errors(client(`credentials: ${encoding}, ${latin}`)), [
      `error client.authentication.basic_charset: only raw credentials can be ISO-8859-1, and these are ${words}`,
    ]);
    assert.deepEqual(errors(client(`credentials: ${encoding}, basic_charset: utf-8`)), []);
  }
  const more = 'token_endpoints: { grant: { inputs: { client_id: {}, client_secret: {} } } }\n';
  assert.deepEqual(errors(client(`methods: [parameters], ${latin}`, more)), [
    'error client.authentication.basic_charset: no credentials are read from the header, so basic_charset has no effect',
  ]);
});

test('a token alone needs a grant that takes it, and a method that gives the first', () => {
  assert.deepEqual(errors(client('methods: [basic, token], when_both: refuse')), []);
  assert.deepEqual(errors(client('methods: [token]')), [
    'error client.authentication.methods: if token is the only method, no client gets a first token',
  ]);
  const none = 'grants: { refresh_token: null }\n';
  assert.match(
    errors(client('methods: [basic, token]', none)).join(),
    /no grant here takes a token/,
  );
  const password =
    'grants: { authorization_code: null, client_credentials: null, password: { endpoint: grant, role: member } }\ntoken_endpoints: { grant: { inputs: { username: {}, password: {} } } }\n';
  assert.deepEqual(errors(client('methods: [none]', password)), []);
});

test('a secret alone needs a place of its own', () => {
  assert.deepEqual(errors(client('methods: [secret]')), []);
  const noInput = 'token_endpoints: { grant: { inputs: { client_secret: null } } }\n';
  assert.deepEqual(errors(client('methods: [secret]', noInput)), [
    'error token_endpoints.grant.inputs: authentication by secret needs an input "client_secret" here',
  ]);
  assert.deepEqual(errors(client('methods: [secret], secret_half: either', noInput)), []);
  assert.deepEqual(errors(client('methods: [basic], secret_half: either')), [
    'error client.authentication.secret_half: no secret is read without an identifier: methods has no secret',
  ]);
  assert.deepEqual(errors(client('methods: [basic, secret], secret_half: first')), [
    'error client.authentication.secret_half: a header with identifier and secret looks like one with a secret in the first half',
  ]);
  const bearer = (scheme: string): string =>
    `token_endpoints: { grant: { inputs: { client_secret: { in: header, name: Authorization, scheme: ${scheme} } } } }\n`;
  assert.deepEqual(errors(client('methods: [basic, secret]', bearer('Bearer'))), []);
  assert.deepEqual(errors(client('methods: [basic, secret]', bearer('basic'))), [
    'error token_endpoints.grant.inputs.client_secret: the header Authorization holds the credentials of the client already',
  ]);
});

test('HOSTILE 41: a dialect of its own that refuses credentials in two places is warned of, until it says so', () => {
  const both = (yaml: string): readonly string[] =>
    told(yaml).filter((text) => text.includes('beside the header'));
  const [warning] = both(client('methods: [basic]'));
  assert.match(warning ?? '', /^warning client.authentication.methods: /);
  assert.equal(both('token_endpoints: { grant: { path: /token } }\n').length, 1);
  for (const yaml of [
    '',
    client('methods: [basic], when_both: refuse'),
    client('methods: [basic], when_both: header'),
    client('methods: [parameters]'),
    client('methods: [basic]', 'token_endpoints: { grant: { inputs: { client_secret: null } } }\n'),
  ]) {
    assert.deepEqual(both(yaml), []);
  }
});
