// Owns the promise of `check` about paths that two files claim: each fault is told at its place. Paths of one file are in
// test/rules/paths.cases.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { jetwayEach, programmeText, workFolder } from './command.ts';

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
