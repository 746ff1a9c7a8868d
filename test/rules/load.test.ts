// Tests of loading: a file laid over its variant becomes a definition, or its faults.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { readVariant } from '../../src/language/variants.ts';
import { toPlain } from '../../src/lib/document.ts';
import { formatFault } from '../../src/lib/fault.ts';
import { stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { definitionOf } from '../support/definition.ts';

const head = `variant: grant
name: Club
programme_identifier: Club
base_path: /club
`;

/** Faults of severity error as they are printed. */
function printed(text: string, file = 'club.yaml'): readonly string[] {
  const { faults } = loadProgramme(file, text);
  return faults.filter(({ severity }) => severity === 'error').map(formatFault);
}

describe('loadProgramme', () => {
  test('four lines are a programme: the variant says the rest', () => {
    const { loaded } = loadProgramme('programmes/club.yaml', head);
    assert.equal(loaded?.id, 'club');
    const { definition } = loaded;
    assert.deepEqual([definition.name, definition.base_path], ['Club', '/club']);
    assert.equal(definition.code.lifetime, 120_000);
    assert.deepEqual(definition.client.identifier, {
      prefix: 'partnerapi-',
      characters: 'digits',
      length: { min: 5, max: 5 },
    });
    assert.equal(definition.interface_version, 'v1');
  });

  test('G-1 G-2 G-18 G-23: what the shipped file comes to', () => {
    const { code, tokens, throttle, authorize } = definitionOf();
    assert.deepEqual(code, {
      characters: 'lower_hex',
      length: { min: 64, max: 64 },
      lifetime: 120_000,
    });
    assert.deepEqual(
      [tokens.access.format, tokens.access.lifetime, tokens.access.algorithm],
      ['opaque', 1_800_000, 'ES256'],
    );
    const { lifetime, longest, grace } = tokens.refresh;
    assert.deepEqual([lifetime, longest, grace], [86_400_000, 30 * 86_400_000, 10_000]);
    assert.deepEqual(throttle, { limit: 600, window: 60_000, headers: {} });
    // RFC 9207 is off in the shipped files (C-9).
    assert.equal(authorize.answer.issuer, undefined);
    assert.ok(readFileSync('programmes/executive-club.yaml', 'utf8').split('\n').length <= 40);
  });

  test('a file without a variant has to say everything, and says all that it lacks', () => {
    const faults = printed('name: Club\nprogramme_identifier: Club\nbase_path: /club\n');
    const missing = [
      'authorize',
      'client',
      'code',
      'errors',
      'grants',
      'login',
      'scope',
      'token_endpoints',
      'token_response',
      'tokens',
    ];
    assert.equal(faults.length, 1);
    const told = /without one (.*) are missing/.exec(faults[0] ?? '')?.[1]?.split(', ');
    assert.deepEqual(told?.toSorted(), missing);
  });

  test('a variant is a dialect that a file can hold in its own words', () => {
    const { entries } = Object;
    for (const variant of ['grant', 'partner-login']) {
      const text = stringifyYaml(toPlain(readVariant(variant)));
      const [own, laid] = [
        loadProgramme('club.yaml', head.replace('variant: grant\n', '') + text),
        loadProgramme('club.yaml', head.replace('grant', variant)),
      ];
      const { variant: _variant, ...definition } = laid.loaded?.definition ?? {};
      assert.ok(entries(definition).length > 0);
      assert.deepEqual(own.loaded?.definition, definition, variant);
    }
  });

  test('what is no map is no programme', () => {
    for (const text of [
      '',
      '# nothing',
      '- a',
      'text',
      '42',
      'null',
      '--- {}\n--- {}',
      ': :',
      '\u0000',
    ]) {
      const { loaded, faults } = loadProgramme('club.yaml', text);
      assert.equal(loaded, undefined, text);
      assert.ok(faults.length > 0, text);
    }
  });

  test('a file’s name is the programme’s', () => {
    const long = 'a'.repeat(41);
    const form = 'lower-case letters, digits and "-", a letter first, such as frequent-flyer.yaml';
    for (const [name, why] of [
      ['Club', 'it holds "C"'],
      ['the club', 'it holds " "'],
      ['club_a', 'it holds "_"'],
      ['a.b', 'it holds "."'],
      ['9club', 'it begins with "9"'],
      ['-club', 'it begins with "-"'],
      ['', 'it is empty'],
      [long, 'it has 41 characters, and 40 at most are taken'],
    ] as const) {
      assert.deepEqual(printed(head, `${name}.yaml`), [
        `${name}.yaml:1:1: error: "${name}" cannot name a programme: ${why} (name the file with ${form})`,
      ]);
    }
    assert.equal(loadProgramme('a/b/third-club-2.yaml', head).loaded?.id, 'third-club-2');
  });

  test('HOSTILE 54: names that JavaScript gives a meaning load nothing', () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      assert.ok(printed(`${head}${key}: { name: x }\n`).length > 0, key);
      assert.ok(
        printed(`${head}grants: { ${key}: { endpoint: grant, role: member } }\n`).length > 0,
        key,
      );
    }
    assert.equal(Object.hasOwn(Object.prototype, 'name'), false);
  });
});
