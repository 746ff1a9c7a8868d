// Owns what `check` says of the password grant (P-9, RFC 9700 2.4): it loads, and is warned of.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { loadProgramme } from '../../src/rules/load.ts';

const head = 'name: A\nprogramme_identifier: A\nbase_path: /a\n';

/** What is said of passwords, at its place. */
function told(yaml: string): { readonly loads: boolean; readonly warnings: readonly string[] } {
  const { loaded, faults } = loadProgramme('a.yaml', head + yaml);
  const errors = faults.filter(({ severity }) => severity === 'error').map(formatFault);
  assert.deepEqual(errors, []);
  const about = faults.filter(({ message }) => /password|credentials of members/.test(message));
  return { loads: loaded !== undefined, warnings: about.map(formatFault) };
}

test('turned on over either variant: RFC 9700 2.4 is cited', () => {
  const overGrant = told(`variant: grant
token_endpoints: { grant: { inputs: { username: {}, password: {} } } }
grants: { password: { endpoint: grant, role: member } }
`);
  const partner = `variant: partner-login
token_endpoints: { refresh: { path: /secure/token, inputs: { username: {}, password: {} } } }
grants: { password: { endpoint: refresh, role: member } }
`;
  const seen =
    'a.yaml:6:21: warning: partners see the passwords of members, who learn to type them anywhere (RFC 9700 2.4) (the directory is asked as by the login page, and passwords are never logged) [password_grant]';
  assert.deepEqual(overGrant, { loads: true, warnings: [seen] });
  assert.deepEqual(told(`${partner}throttle: { limit: 9, window: 1m }\n`), {
    loads: true,
    warnings: [seen],
  });
  assert.deepEqual(told(partner), {
    loads: true,
    warnings: [
      seen,
      'a.yaml:6:21: warning: nothing limits how many passwords a partner can try (RFC 6749 4.3.2) (set throttle; the address of a partner stands for all of its customers and is not counted) [password_unlimited]',
    ],
  });
});

test('credentials in the query, where a partner-login club reads its parameters, are warned of', () => {
  const { warnings } = told(`variant: partner-login
token_endpoints: { key: { inputs: { username: {}, password: {} } } }
grants: { password: { endpoint: key, role: member } }
throttle: { limit: 9, window: 1m }
`);
  assert.ok(
    warnings.includes(
      'a.yaml:5:35: warning: the credentials of members stand in the query (username, password): proxies, gateways and partners keep addresses in their logs (RFC 9700 4.2.4) (give the grant an endpoint that reads a form) [password_in_query]',
    ),
    warnings.join('\n'),
  );
});

test('inputs that it lacks are told where it is turned on, or where the file has inputs', () => {
  const turnedOn = `variant: grant
name: A
programme_identifier: A
base_path: /a
grants: { password: { endpoint: grant, role: member } }
`;
  const errors = (text: string): readonly string[] =>
    loadProgramme('a.yaml', text)
      .faults.filter(({ severity }) => severity === 'error')
      .map(formatFault);
  assert.deepEqual(errors(turnedOn), [
    'a.yaml:5:21: error: the token endpoint "grant" lacks the inputs of this grant: username, password (add token_endpoints: { grant: { inputs: { username: {}, password: {} } } })',
  ]);
  assert.deepEqual(
    errors(`${turnedOn}token_endpoints: { grant: { inputs: { username: {} } } }\n`),
    ['a.yaml:6:37: error: the grant password needs an input "password" here'],
  );
});

test('headers are no query', () => {
  const { warnings } = told(`variant: partner-login
token_endpoints: { key: { inputs: { username: { in: header }, password: { in: header } } } }
grants: { password: { endpoint: key, role: member } }
`);
  assert.ok(!warnings.join().includes('query'));
});
