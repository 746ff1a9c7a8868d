// Owns the promises of a contract's changes: nothing where nobody could tell two versions apart, and
// each change before and after where somebody could.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import {
  type ContractChange,
  contractChanges,
  formatChanges,
} from '../../../src/contract/diff/changes.ts';
import { definitionSchema } from '../../../src/language/definition.ts';
import { formatFault } from '../../../src/lib/fault.ts';
import type { ProgrammeId } from '../../../src/oauth/client.ts';
import { compileProgramme } from '../../../src/programme/programme.ts';
import { type LoadedProgramme, loadProgramme, withLogos } from '../../../src/rules/load.ts';
import { keysOf } from '../../../src/schema/keys.ts';
import { exampleFile, fileAround } from '../../docs/example_file.ts';
import { shippedProgramme } from '../../support/jetway.ts';

type Version = LoadedProgramme;

const serviceUrl = 'https://jetway.example';

function load(name: string, text: string, folder = 'programmes'): Version {
  const { loaded, faults } = withLogos(loadProgramme(`${name}.yaml`, text), (logo) =>
    readFileSync(join(folder, logo)),
  );
  assert.ok(loaded, faults.map(formatFault).join('\n'));
  return loaded;
}

function changes(
  before: Version | undefined,
  after: Version | undefined,
  address = serviceUrl,
): readonly ContractChange[] {
  const id = (after ?? before)?.id;
  const [was, is] = [before, after].map(
    (one) => one && id && compileProgramme(id, one.definition, address, one.logos),
  );
  return contractChanges(was || undefined, is || undefined);
}

/**
 * Each case: a shipped programme, YAML to lay over it, and all that is printed. Where the programme is not as it is
 * shipped before, that stands in front, above `--`.
 */
const cases = readFileSync(join(import.meta.dirname, 'changes.cases'), 'utf8')
  .split(/^== /m)
  .slice(1)
  .map((block) => {
    const [title = ''] = block.split('\n');
    const [said = '', expected = ''] = block.slice(title.length + 1).split('\n---\n');
    const [after = '', before = ''] = said.split('\n--\n').toReversed();
    return { title, name: title.split(':')[0] ?? '', before, after, expected: expected.trimEnd() };
  });

describe('a change in the file', () => {
  assert.ok(cases.length >= 15);
  for (const { title, name, before, after, expected } of cases) {
    test(title, () => {
      const [was, is] = [before, after].map((over) => load(name, shippedProgramme(name, over)));
      assert.equal(formatChanges(changes(was, is)), expected);
    });
  }
});

describe('every dialect', () => {
  const files = globSync(['programmes/*.yaml', 'test/dialects/*.yaml']).toSorted();
  assert.ok(files.length >= 20);
  for (const file of files) {
    const name = basename(file, '.yaml');
    const version = load(name, readFileSync(file, 'utf8'), dirname(file));
    test(`${name} has no change from itself, by whatever name`, () => {
      assert.deepEqual(changes(version, version), []);
      assert.deepEqual(changes({ ...version, id: 'other' as ProgrammeId }, version), []);
    });

    test(`${name} differs from another dialect in both directions alike`, () => {
      const club = load('executive-club', shippedProgramme('executive-club'));
      const both = [changes(club, version), changes(version, club)];
      for (const found of both) {
        assert.equal(found.length > 0, name !== 'executive-club');
        for (const { before, after } of found) assert.notEqual(before, after);
        assert.match(
          formatChanges(found),
          / on the wire(?:, of which \d+ for certain break partners)?$/,
        );
      }
    });
  }
});

test('a programme that is new or gone is told as such, with its endpoints', () => {
  const club = load('second-club', shippedProgramme('second-club'));
  const paths = [
    'login request /second-club/secure/code',
    'token endpoint /second-club/secure/key',
    'token endpoint /second-club/secure/refresh',
    'verification /second-club/verify/*',
    'key set /second-club/.well-known/jwks.json',
  ].join('\n');
  const whole = { endpoint: 'programme', item: 'Second Club' };
  assert.deepEqual(changes(undefined, club), [{ ...whole, after: paths }]);
  assert.deepEqual(changes(club, undefined), [{ ...whole, before: paths, breaks: 'it is gone' }]);
  assert.deepEqual(changes(undefined, undefined), []);
});

test('the path of the service address stands before the paths', () => {
  const club = load('second-club', shippedProgramme('second-club'));
  const [change] = changes(undefined, club, 'https://jetway.example/oauth');
  assert.match(change?.after ?? '', /^login request \/oauth\/second-club\/secure\/code\n/);
});

test('a language that is gone from the login page breaks no partner', () => {
  const [before, after] = ['', 'login: { languages: null }'].map((over) =>
    load('third-club', shippedProgramme('third-club', over)),
  );
  assert.ok(before && after);
  const [first, ...others] = changes(before, after);
  assert.deepEqual(first, {
    endpoint: 'login page',
    item: 'languages',
    before: 'en, fr',
    after: 'en',
  });
  assert.deepEqual(
    others.filter(({ breaks }) => breaks !== undefined),
    [],
  );
});

test('the order of two checks is a change where the answer tells which came first (C-8)', () => {
  const club = load('second-club', shippedProgramme('second-club'));
  const { key } = club.definition.token_endpoints;
  assert.ok(key);
  const inputs = Object.fromEntries(Object.entries(key.inputs).toReversed());
  const token_endpoints = { ...club.definition.token_endpoints, key: { ...key, inputs } };
  const other = { ...club, definition: { ...club.definition, token_endpoints } };
  const [change, ...more] = changes(club, other);
  assert.deepEqual(more, []);
  const { before = '', after = '', ...rest } = change ?? {};
  assert.deepEqual(rest, {
    endpoint: 'token endpoint /second-club/secure/key',
    item: 'order of the checks',
  });
  assert.deepEqual(after.split(', ').toReversed(), before.split(', '));
  const parameters = before.split(', ').filter((name) => name.startsWith('parameter'));
  assert.ok(parameters.length > 2);
  // Which of two optional parameters without a shape is read first, nobody can tell.
  const free = { device: { required: false }, channel: { required: false } };
  const [one, reversed] = [free, { channel: free.channel, device: free.device }].map((some) => {
    const all = { ...token_endpoints, key: { ...key, inputs: { ...key.inputs, ...some } } };
    return { ...club, definition: { ...club.definition, token_endpoints: all } };
  });
  assert.ok(one && reversed);
  assert.deepEqual(changes(one, reversed), []);
});

/** Examples that say what holds already, or what only comes with another key, or is nobody's to see. */
const unseen: ReadonlySet<string> = new Set(
  `
    variant login.language login.language_switch grants.authorization_code grants.refresh_token
    grants.client_credentials client.authentication.methods errors.name_case login_failure.redirect
    level_scope.kind colour_scheme.accent_text language.pages.failed error_answer.error
    programme_identifier interface_version audience tokens.access.algorithm tokens.access.token_id
    tokens.access.claims login_failure.error_description error_answer.error_code error_answer.extra
    error_group.reasons error_group.status error_group.error_description error_group.error_code
    error_group.extra error_group.challenge members.membership_number
    login.logo brand.logo
    accepts members members.directory members.url members.secret_file members.previous_secret_file
    members.certificate_file members.key_file members.authorities_file members.concurrency
  `
    .trim()
    .split(/\s+/),
);

describe('the example of each key of the language changes what is seen', () => {
  const keys = keysOf(definitionSchema).filter(({ path }) => !/^(error|redirect)_field/.test(path));
  for (const { path, entry } of keys) {
    const { example } = entry.docs ?? {};
    if (example === undefined) continue;
    const { loaded: before } = loadProgramme('example.yaml', fileAround(path));
    // Some keys cannot be left out beside what their example needs.
    if (before === undefined) continue;
    test(`${path}: ${example}`, () => {
      const { loaded: after } = loadProgramme('example.yaml', exampleFile(path, example));
      assert.ok(after);
      assert.equal(changes(before, after).length === 0, unseen.has(path));
    });
  }
});
