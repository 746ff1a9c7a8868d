// Tests of the checks of assertions: what they need in a file, and which departures are told.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loadProgramme } from '../../src/rules/load.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

/** Severity, path and message of each fault that is about assertions. */
function told(yaml: string): readonly string[] {
  const { faults } = loadProgramme('a.yaml', head + yaml);
  return faults
    .map(({ severity, path, message }) => `${severity} ${path}: ${message}`)
    .filter((text) => /assert|iss|directory|nobody|without that member/.test(text));
}

function errorsIn(yaml: string): readonly string[] {
  return told(yaml).filter((text) => text.startsWith('error'));
}

const signed = (terms: string): string => `
client: { authentication: { methods: [private_key_jwt], assertion: { ${terms} } } }
token_endpoints: { grant: { inputs: { client_assertion: {} } } }
`;
const grant = (subject: string): string => `
token_endpoints: { grant: { inputs: { assertion: {}, client_assertion: {}, client_id: null } } }
grants: { jwt_bearer: { endpoint: grant, role: partner, subject: ${subject} } }
`;

test('the input is needed, except where the grant’s own assertion is all that comes', () => {
  assert.deepEqual(told('client: { authentication: { methods: [private_key_jwt] } }'), [
    'error token_endpoints.grant.inputs: authentication by private_key_jwt needs an input "client_assertion" here',
  ]);
  assert.deepEqual(told(signed('')), []);
});

test('departures are told: audiences, replay, long lives and members without themselves', () => {
  const at = 'warning client.authentication.assertion';
  const texts = {
    'audience: token_endpoint': `${at}.audience: assertions are taken whose audience is not the issuer (RFC 7523bis 4)`,
    'audience: [issuer, absent]': `${at}.audience: assertions are taken that are meant for nobody in particular (RFC 7523 3)`,
    'jti: optional': `${at}.jti: an assertion without jti is good again until it ends (RFC 7523 3, OpenID Connect Core 9)`,
    'longest: 2h': `${at}.longest: assertions may live for more than an hour (RFC 7523 3)`,
  };
  for (const [terms, text] of Object.entries(texts)) assert.deepEqual(told(signed(terms)), [text]);
  // A grant takes assertions without jti unless the file says otherwise.
  const required = 'client: { authentication: { assertion: { jti: required } } }\n';
  assert.deepEqual(told(grant('username') + required), [
    'warning grants.jwt_bearer.subject: clients get tokens for any member without that member (RFC 6749 1.3)',
  ]);
  const replay = texts['jti: optional'];
  assert.deepEqual(told(grant('client')), [replay]);
  assert.deepEqual(told(grant('client') + required), []);
});

test('an assertion must name its client, and a member that the directory can be asked for', () => {
  assert.deepEqual(
    told(
      `client: { authentication: { methods: [private_key_jwt], assertion: { issuer: client.team, jti: required } } }${grant('client')}`,
    ),
    [
      'error token_endpoints.grant.inputs: an assertion whose iss is client.team does not name its client',
    ],
  );
  const hook =
    'members: { directory: http, url: https://members.example/hook, secret_file: ./hook.secret }\n';
  assert.deepEqual(errorsIn(`${grant('[client, username]')}${hook}`), [
    'error grants.jwt_bearer.subject.1: Jetway cannot ask a directory behind a hook for a member by username',
  ]);
  assert.match(
    errorsIn(grant('somebody'))[0] ?? '',
    /"somebody" names nobody: expected client, username/,
  );
});
