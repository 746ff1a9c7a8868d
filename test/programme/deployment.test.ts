// Which programmes may stand side by side, and what is said of those that may not (C-2, C-8).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { deploy } from '../../src/programme/deployment.ts';
import { compileProgramme, type Programme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { publicUrl, shippedProgramme } from '../support/jetway.ts';

/** A shipped programme with YAML laid over it. */
function programme(id: string, ...over: readonly string[]): Programme {
  return compiled(id, shippedProgramme(id, ...over));
}

function compiled(id: string, text: string): Programme {
  const { loaded, faults } = loadProgramme(`${id}.yaml`, text);
  assert.ok(loaded, faults.map(formatFault).join('\n'));
  return compileProgramme(loaded.id, loaded.definition, publicUrl);
}

const shared = 'base_path: /clubs';
const isDefault = `${shared}\nselector: { input: programme, default: true }`;
const isOther = `${shared}\nselector: { input: programme, default: false }`;

/** Who is mounted, and what is said of who is not. */
function outcome(...programmes: readonly Programme[]): unknown {
  const { mounted, conflicts } = deploy(programmes);
  return {
    mounted: mounted.map(({ id }) => id),
    conflicts: conflicts.map(({ programme: { id }, other, path, message }) => [
      id,
      other.id,
      path,
      message,
    ]),
  };
}

test('C-2: two programmes with a selector share a path, whichever comes first', () => {
  const [second, third] = [programme('second-club', isDefault), programme('third-club', isOther)];
  const both = { mounted: ['second-club', 'third-club'], conflicts: [] };
  assert.deepEqual(outcome(second, third), both);
  assert.deepEqual(outcome(third, second), { ...both, mounted: ['third-club', 'second-club'] });
  assert.deepEqual([...deploy([second, third]).deployment.keys()].toSorted(), [
    '/clubs/second-club/.well-known/jwks.json',
    '/clubs/second-club/login',
    '/clubs/second-club/verify/*',
    '/clubs/secure/code',
    '/clubs/secure/key',
    '/clubs/secure/refresh',
    '/clubs/third-club/.well-known/jwks.json',
    '/clubs/third-club/login',
    '/clubs/third-club/verify/*',
  ]);
});

test('C-4: a shared endpoint below a programme’s own verify paths is no endpoint', () => {
  const path = 'token_endpoints: { key: { path: /second-club/verify/key } }';
  const second = programme('second-club', isDefault, path);
  const message =
    'two of its own endpoints answer at /clubs/second-club/verify/key: give one of them another path';
  assert.deepEqual(outcome(second), {
    mounted: [],
    conflicts: [['second-club', 'second-club', '/clubs/second-club/verify/key', message]],
  });
  const third = programme('third-club', isOther);
  const theirs = programme(
    'second-club',
    isDefault,
    'token_endpoints: { key: { path: /third-club/verify/key } }',
  );
  const { conflicts } = deploy([theirs, third]);
  assert.match(conflicts[0]?.message ?? '', /^second-club answers at /);
});

test('C-2: three may share a path as well', () => {
  const text = shippedProgramme('third-club', isOther, 'programme_identifier: FourthClub');
  const fourth = compiled('fourth-club', text);
  const [second, third] = [programme('second-club', isDefault), programme('third-club', isOther)];
  assert.deepEqual(outcome(second, third, fourth), {
    mounted: ['second-club', 'third-club', 'fourth-club'],
    conflicts: [],
  });
});

test('C-2: without a default none of them is mounted, and each is told', () => {
  const [second, third] = [programme('second-club', isOther), programme('third-club', isOther)];
  const message =
    'second-club and third-club share /clubs/secure/code, but none of them has selector.default: true';
  assert.deepEqual(outcome(second, third), {
    mounted: [],
    conflicts: [
      ['second-club', 'second-club', '/clubs/secure/code', message],
      ['third-club', 'second-club', '/clubs/secure/code', message],
    ],
  });
  // Those beside them are none the worse for it, the keys of what they signed before included.
  const beside = programme('executive-club');
  const { mounted, deployment } = deploy([second, beside, third], new Set([beside.id]));
  assert.deepEqual(
    mounted.map(({ id }) => id),
    ['executive-club'],
  );
  const alone = deploy([beside], new Set([beside.id]));
  assert.equal(deployment.has('/executive-club/.well-known/jwks.json'), true);
  assert.deepEqual([...deployment.keys()], [...alone.deployment.keys()]);
});

test('HOSTILE 69: programmes that read the selector after different schemes are not told apart', () => {
  const inputs = 'token_endpoints: { key: { inputs: { programme: { scheme: Club } } } }';
  const { conflicts } = deploy([
    programme('second-club', isDefault),
    programme('third-club', isOther, inputs),
  ]);
  assert.deepEqual(
    conflicts.map(({ message }) => message),
    [
      'second-club answers at /clubs/secure/key too, but is told apart by the header "programme-identifier", not the header "programme-identifier" with the scheme "club"',
    ],
  );
});

/** What is wrong with the third club beside a second club that is the default, and how it is told. */
const ambiguous: readonly (readonly [name: string, over: readonly string[], message: string])[] = [
  [
    'two defaults',
    [isDefault],
    'second-club is the default at /clubs/secure/code already: only one can be',
  ],
  [
    'the same identifier',
    [isOther, 'programme_identifier: SecondClub'],
    'second-club answers at /clubs/secure/code too and has the same programme_identifier "SecondClub"',
  ],
  [
    'no selector',
    [shared],
    'second-club answers at /clubs/secure/code already: give one of them another base_path, or both a selector',
  ],
  [
    'another name of the selector',
    [isOther, 'authorize: { endpoint: { inputs: { programme: { name: club } } } }'],
    'second-club answers at /clubs/secure/code too, but is told apart by the query "programme-identifier", not the query "club"',
  ],
  [
    'another place of the selector',
    [isOther, 'authorize: { endpoint: { inputs: { programme: { in: header } } } }'],
    'second-club answers at /clubs/secure/code too, but is told apart by the query "programme-identifier", not the header "programme-identifier"',
  ],
];

for (const [name, over, message] of ambiguous) {
  test(`C-2: ambiguous: ${name}`, () => {
    const second = programme('second-club', isDefault);
    const third = programme('third-club', ...over);
    assert.deepEqual(outcome(second, third), {
      mounted: ['second-club'],
      conflicts: [['third-club', 'second-club', '/clubs/secure/code', message]],
    });
  });
}

test('C-2: one selector for two is not enough, whichever has it', () => {
  const [second, third] = [programme('second-club', shared), programme('third-club', isDefault)];
  assert.deepEqual(
    deploy([second, third]).conflicts.map(({ message }) => message),
    [
      'second-club answers at /clubs/secure/code already: give one of them another base_path, or both a selector',
    ],
  );
});

test('C-2: a difference at one of the shared endpoints is enough', () => {
  const over = 'token_endpoints: { refresh: { inputs: { programme: { name: club } } } }';
  const { conflicts } = deploy([
    programme('second-club', isDefault),
    programme('third-club', isOther, over),
  ]);
  assert.deepEqual(
    conflicts.map(({ path, message }) => [path, message.split(', ')[1]]),
    [['/clubs/secure/refresh', 'but is told apart by the header "programme-identifier"']],
  );
});

test('C-2: names of headers that differ in case are one name', () => {
  const over =
    'token_endpoints: { key: { inputs: { programme: { name: PROGRAMME-Identifier } } } }';
  const second = programme('second-club', isDefault);
  assert.deepEqual(deploy([second, programme('third-club', isOther, over)]).conflicts, []);
});
