// Tests of the checks of a programme's own paths, and of which programmes with values in their paths can
// stand side by side.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { deploy } from '../../src/programme/deployment.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';
const tokensAt = (path: string, inputs: string, more = ''): string =>
  `token_endpoints: { grant: { path: "${path}", inputs: { ${inputs} }${more} } }\n`;
const loginAt = (path: string, inputs = ''): string =>
  `authorize: { endpoint: { path: "${path}", inputs: { ${inputs} } } }\n`;
const tenant = 'tenant: { in: path, must_equal: client.tenant }';
const value = 'add inputs: { tenant: { in: path, must_equal: client.tenant } }, or allowed values';

function errorsOf(yaml: string): readonly string[] {
  const { faults } = loadProgramme('a.yaml', head + yaml);
  return faults.filter(({ severity }) => severity === 'error').map(formatFault);
}

const refused: readonly (readonly [yaml: string, ...faults: string[]])[] = [
  [
    tokensAt('/{tenant}/token', ''),
    `5:35: error: {tenant} is no input of this endpoint (${value})`,
  ],
  [tokensAt('/{tenant}/{tenant}/token', tenant), '5:35: error: {tenant} stands in this path twice'],
  [tokensAt('/token', tenant), '5:69: error: the path of this endpoint has no {tenant}'],
  [
    tokensAt('/{tenant}/token', 'tenant: { in: path, name: realm }'),
    `5:35: error: {tenant} is no input of this endpoint (${value})`,
    '5:78: error: the path of this endpoint has no {realm}',
  ],
  [
    tokensAt('/{tenant}/token', tenant) + loginAt('/common/token', ''),
    '5:35: error: one path can be /{tenant}/token and /common/token, the path of the login request',
  ],
  [
    `${tokensAt('/{tenant}/token', tenant)}metadata: on\n`,
    '5:35: error: the metadata cannot name /{tenant}/token: it does not know the values in it (set metadata to off; or give the input in the path allowed values and no must_equal of a client, and the metadata names the first value)',
  ],
  [
    `${tokensAt('/{tenant}/token', tenant.replace(' }', ', allowed: [north, south] }'))}metadata: on\n`,
    '5:35: error: the metadata cannot name /{tenant}/token: it does not know the values in it (set metadata to off; or give the input in the path allowed values and no must_equal of a client, and the metadata names the first value)',
  ],
  [
    'login: { path: /auth/login }\n',
    '5:16: error: /auth/login is the path of the login request already',
  ],
  [
    'login: { path: /verify/in }\n',
    '5:16: error: /verify/in lies below /verify, where gateways ask',
  ],
  [
    tokensAt('/x', 'tenant: { must_equal: tenant }'),
    '5:73: error: "tenant" is nothing to compare with: expected one of programme.identifier, client.id, client.business_context, client.partner_id, client.api_key, or client. and the name of a property',
  ],
];

for (const [yaml, ...faults] of refused) {
  test(`HOSTILE 49 C-2: refused: ${yaml.trimEnd()}`, () => {
    assert.deepEqual(
      errorsOf(yaml),
      faults.map((fault) => `a.yaml:${fault}`),
    );
  });
}

test('HOSTILE 49: what no path can hold does not load', () => {
  for (const path of [
    'token',
    '//token',
    '/a/../b',
    '/a%2fb',
    '/a*',
    '/x{tenant}',
    '/{}',
    '/a b',
    '/a?b',
  ]) {
    assert.equal(errorsOf(tokensAt(path, '')).length, 1, path);
  }
});

const taken: readonly string[] = [
  '/',
  '/:token',
  '/Token.php',
  "/odata/Token('me')",
  '/a;v=1,2/$batch!',
  '/oauth2/x@y:token/',
  '/.well-known/token.json',
];

test('paths are those of RFC 3986, without percent-encoding', () => {
  for (const path of taken) assert.deepEqual(errorsOf(tokensAt(path, '')), [], path);
  const fixed = 'introspection: { path: "/:introspect" }\nrevocation: { path: / }\n';
  assert.deepEqual(errorsOf(`${fixed}login: { path: "/sign:in" }\n`), []);
});

test('without a login its paths are free', () => {
  const grants = 'grants: { authorization_code: null, refresh_token: null }\n';
  for (const path of ['/login', '/auth/login']) {
    assert.deepEqual(errorsOf(tokensAt(path, '') + grants), [], path);
  }
});

test('the metadata names the first of the values that are allowed', () => {
  const version = 'version: { in: path, allowed: [v2.0, v1.0] }';
  const { loaded } = loadProgramme(
    'a.yaml',
    `${head}${tokensAt('/{version}/token', version)}metadata: on\n`,
  );
  assert.ok(loaded);
  const { metadata } = compileProgramme(loaded.id, loaded.definition, 'https://tokens.example');
  const text = metadata?.document({ introspection: false, keySet: false }) ?? '{}';
  const { token_endpoint: endpoint } = JSON.parse(text) as { readonly token_endpoint?: string };
  assert.equal(endpoint, 'https://tokens.example/a/v2.0/token');
});

test('a word near one that Jetway compares with is warned of', () => {
  const { faults } = loadProgramme(
    'a.yaml',
    head + tokensAt('/x', 'app: { must_equal: client.partnerid }'),
  );
  assert.deepEqual(
    faults.map(formatFault).filter((text) => text.includes('partnerid')),
    [
      'a.yaml:5:70: warning: client.partnerid is taken for the name of a client property (did you mean "client.partner_id"?) [unused_input]',
    ],
  );
});

/** What is said where programmes of these base paths stand side by side; the first has a value in a path. */
function conflicts(
  ...bases: readonly (readonly [base: string, yaml: string])[]
): readonly string[] {
  const programmes = bases.map(([base, yaml], index) => {
    const text = head.replace('/a\n', `${base}\n`) + yaml;
    const { loaded, faults } = loadProgramme(`p${index}.yaml`, text);
    assert.ok(loaded, faults.map(formatFault).join('\n'));
    return compileProgramme(loaded.id, loaded.definition, 'https://tokens.example');
  });
  return deploy(programmes).conflicts.map(({ message }) => message);
}

test('C-2: programmes whose paths could both be meant are told, in whatever order', () => {
  const pattern = tokensAt('/{tenant}/token', tenant);
  const plain = tokensAt('/token', '');
  const message = (other: string, theirs: string, own: string): string =>
    `${other} answers at ${theirs} already, and one path can be that and ${own}: give one of them another base_path`;
  assert.deepEqual(conflicts(['/', pattern], ['/club', plain]), [
    message('p0', '/{tenant}/token', '/club/token'),
  ]);
  assert.deepEqual(conflicts(['/club', plain], ['/', pattern]), [
    message('p0', '/club/token', '/{tenant}/token'),
  ]);
  assert.deepEqual(
    conflicts(
      ['/', tokensAt('/{shop}/verify/{tenant}', `${tenant}, shop: { in: path }`)],
      ['/club', plain],
    ),
    [message('p0', '/{shop}/verify/{tenant}', '/club/verify/*')],
  );
  assert.deepEqual(conflicts(['/', pattern], ['/club', tokensAt('/grant', '')]), []);
  assert.deepEqual(conflicts(['/one', pattern], ['/other', pattern]), []);
});

test('where a path is that of the login page, the page can have another', () => {
  const { faults } = loadProgramme('a.yaml', head + tokensAt('/login', ''));
  assert.ok(
    faults
      .map(formatFault)
      .some((text) =>
        text.endsWith(
          '/login is the path of the login page already (give that page another one: login: { path: /sign-in })',
        ),
      ),
  );
});

test('an input in camel case is offered in snake case; one that an answer repeats is none unused', () => {
  const messages = (inputs: string, more = ''): readonly string[] =>
    loadProgramme('a.yaml', head + tokensAt('/x', inputs) + more).faults.map(formatFault);
  assert.ok(
    messages('companyId: {}').some((text) =>
      text.includes('by its key name: company_id: { name: companyId }'),
    ),
  );
  const echo = 'token_response: { fields: { echo: sent.echo_token } }\n';
  const isTold = (text: string): boolean => text.includes('no input "echo_token"');
  assert.ok(messages('echo_token: {}').some(isTold));
  assert.ok(!messages('echo_token: {}', echo).some(isTold));
});
