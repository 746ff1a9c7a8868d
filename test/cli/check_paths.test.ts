// Owns the promise of `check` about paths: what the service answers at by itself is no endpoint's to
// take, in one file or in two, and each fault is told at its place.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { jetwayEach, programmeText, workFolder } from './command.ts';

/** YAML laid below line 6 of a programme, and the fault: line:column, what is said. */
const taken: readonly (readonly [yaml: string, at: string, message: string])[] = [
  ...['/verify/none', '/verify/member/x', '/verify/other'].map(
    (path) =>
      [
        `token_endpoints: { grant: { path: ${path} } }`,
        '7:35',
        `${path} lies below /verify, where gateways ask`,
      ] as const,
  ),
  [
    'token_endpoints: { grant: { path: /login/assets/x.svg } }',
    '7:35',
    '/login/assets/x.svg lies below /login/assets, where the login page has its pictures',
  ],
  [
    'token_endpoints: { grant: { path: /login } }',
    '7:35',
    '/login is the path of the login page already (give that page another one: login: { path: /sign-in })',
  ],
  [
    'token_endpoints: { grant: { path: /.well-known/jwks.json } }',
    '7:35',
    '/.well-known/jwks.json is the path of the key set already',
  ],
  [
    'authorize: { endpoint: { methods: [POST, GET] } }\ntoken_endpoints: { grant: { path: /auth/login } }',
    '8:35',
    '/auth/login is the path of the login request already (give each of them a method of its own)',
  ],
  [
    'authorize: { endpoint: { path: /verify/login } }',
    '7:32',
    '/verify/login lies below /verify, where gateways ask',
  ],
  [
    'authorize: { endpoint: { path: /login } }',
    '7:32',
    '/login is the path of the login page already (give that page another one: login: { path: /sign-in })',
  ],
  [
    'authorize: { endpoint: { path: /.well-known/jwks.json } }',
    '7:32',
    '/.well-known/jwks.json is the path of the key set already',
  ],
  ...(['introspection', 'revocation'] as const).flatMap((key) =>
    (
      [
        ['/verify/it', 'lies below /verify, where gateways ask'],
        [
          '/login',
          'is the path of the login page already (give that page another one: login: { path: /sign-in })',
        ],
        ['/auth/login', 'is the path of the login request already'],
        ['/api/grant', 'is the path of the token endpoint grant already'],
        ['/.well-known/jwks.json', 'is the path of the key set already'],
      ] as const
    ).map(
      ([path, why]) =>
        [
          `${key}: { path: ${path} }`,
          key === 'introspection' ? '7:24' : '7:21',
          `${path} ${why}`,
        ] as const,
    ),
  ),
  [
    'introspection: { path: /token }\nrevocation: { path: /token }',
    '8:21',
    '/token is the path of introspection already',
  ],
];

test('C-2 C-4: a path that is the service’s own is refused where it stands', async (t) => {
  const files = taken.map(
    ([yaml], index) => [`broken/club-${index}.yaml`, programmeText('Club', `${yaml}\n`)] as const,
  );
  const folder = workFolder(t, Object.fromEntries(files));
  const runs = await jetwayEach(
    folder,
    files.map(([path]) => ['check', path]),
  );
  assert.equal(runs.length, taken.length);
  for (const [index, { code, stdout }] of runs.entries()) {
    const [yaml = '', at = '', message = ''] = taken[index] ?? [];
    const [fault, ...others] = stdout.split('\n').filter((line) => line.includes(': error: '));
    assert.equal(fault, `broken/club-${index}.yaml:${at}: error: ${message}`, yaml);
    assert.deepEqual([code, others], [3, []], yaml);
  }
});

/** A file at another path by its lines, and what is said at its base path of the other and at its own. */
const beside: readonly (readonly [
  what: string,
  files: Readonly<Record<string, string>>,
  faults: string[],
])[] = [
  [
    'below another programme’s verify paths',
    { club: at('/club'), other: at('/club/verify') },
    [
      'club.yaml:4:12: error: other answers at /club/verify/auth/login as well (see other.yaml:4:12)',
      'other.yaml:4:12: error: club answers at /club/verify/auth/login already: give one of them another base_path, or both a selector (see club.yaml:4:12)',
    ],
  ],
  [
    'on one base path without a selector',
    { club: at('/club'), other: at('/club') },
    [
      'club.yaml:4:12: error: other answers at /club/auth/login as well (see other.yaml:4:12)',
      'other.yaml:4:12: error: club answers at /club/auth/login already: give one of them another base_path, or both a selector (see club.yaml:4:12)',
    ],
  ],
  [
    'where standard clients look for another’s metadata',
    { club: at('/other', 'metadata: on'), other: at('/club', 'metadata: on') },
    [
      'club.yaml:4:12: error: other answers at /.well-known/oauth-authorization-server/other as well (see other.yaml:4:12)',
      'other.yaml:4:12: error: club answers at /.well-known/oauth-authorization-server/other already: give one of them another base_path, or both a selector (see club.yaml:4:12)',
    ],
  ],
  [
    'on its own metadata',
    {
      club: at(
        '/.well-known/oauth-authorization-server',
        'metadata: on\ntoken_endpoints: { grant: { path: /club } }',
      ),
    },
    [
      'club.yaml:4:12: error: two of its own endpoints answer at /.well-known/oauth-authorization-server/club: give one of them another path (see club.yaml:4:12)',
    ],
  ],
];

function at(basePath: string, more = ''): string {
  const text = programmeText('Club', `${more}\n`);
  return text.replace('base_path: /club', `base_path: ${basePath}`);
}

test('C-2 C-4: programmes that claim one path are told so, each at its place', async (t) => {
  const files = beside.flatMap(([, texts], index) =>
    Object.entries(texts).map(([id, text]) => [`broken-${index}/${id}.yaml`, text] as const),
  );
  const folder = workFolder(t, Object.fromEntries(files));
  const runs = await jetwayEach(
    folder,
    beside.map(([, texts], index) => [
      'check',
      ...Object.keys(texts).map((id) => `broken-${index}/${id}.yaml`),
    ]),
  );
  for (const [index, { code, stdout }] of runs.entries()) {
    const [what = '', , faults = []] = beside[index] ?? [];
    const told = stdout
      .split('\n')
      .filter((line) => line.includes(': error: '))
      .map((line) => line.replaceAll(`broken-${index}/`, ''));
    assert.deepEqual([code, told], [3, faults], what);
  }
});
