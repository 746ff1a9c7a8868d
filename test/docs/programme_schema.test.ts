// Owns the check that the JSON Schema for editors and the examples of the reference say the same as
// the loader.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';

import { Ajv2020 } from 'ajv/dist/2020.js';

import { makeReference } from '../../scripts/reference.ts';
import { definitionSchema } from '../../src/language/definition.ts';
import { readVariant, variantNames } from '../../src/language/variants.ts';
import { mergeNodes, toPlain } from '../../src/lib/document.ts';
import { formatFault } from '../../src/lib/fault.ts';
import { parseYaml, stringifyYaml, type YamlNode } from '../../src/lib/yaml/yaml.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { keysOf } from '../../src/schema/keys.ts';
import { step } from '../support/property.ts';
import { exampleFile } from './example_file.ts';

const root = join(import.meta.dirname, '../..');
const { page, schema } = makeReference();
const ajv = new Ajv2020({ strictTypes: false });
const validate = ajv.compile(JSON.parse(schema) as object);

function parse(text: string): YamlNode {
  const parsed = parseYaml('f.yaml', text);
  assert.deepEqual(parsed.faults, []);
  assert.ok(parsed.root);
  return parsed.root;
}

function accepts(text: string): boolean {
  return validate(toPlain(parse(text)));
}

function assertAccepted(text: string): void {
  assert.ok(accepts(text), ajv.errorsText(validate.errors));
}

/** The faults for which a file does not load, one a line. */
function errorsOf(file: string, text: string): readonly string[] {
  const { faults } = loadProgramme(file, text);
  return faults.filter(({ severity }) => severity === 'error').map(formatFault);
}

const files = globSync(['programmes/*.yaml', 'test/dialects/*.yaml'], { cwd: root }).toSorted();
assert.ok(files.length >= 3 && variantNames().length >= 2);

describe('files that ship', () => {
  for (const path of files) {
    test(`the JSON Schema accepts ${path}`, () => {
      assertAccepted(readFileSync(join(root, path), 'utf8'));
    });
  }

  for (const name of variantNames()) {
    test(`the JSON Schema accepts the variant ${name}`, () => {
      assertAccepted(stringifyYaml(toPlain(readVariant(name))));
    });
  }

  for (const path of files) {
    test(`the JSON Schema accepts ${path} written out`, () => {
      const { loaded, faults } = loadProgramme(
        basename(path),
        readFileSync(join(root, path), 'utf8'),
      );
      assert.ok(loaded, faults.map(formatFault).join('\n'));
      const { variant: _, ...whole } = toPlain(loaded.document) as Record<string, unknown>;
      assertAccepted(stringifyYaml(whole));
    });
  }
});

describe('examples of the reference', () => {
  // The fields of all answers have the same keys.
  const keys = keysOf(definitionSchema).filter(({ path }) => !/^(error|redirect)_field/.test(path));
  for (const { path, entry } of keys) {
    const { example } = entry.docs ?? {};
    if (example === undefined) continue;
    test(`${path}: ${example}`, () => {
      const text = exampleFile(path, example);
      assert.deepEqual(errorsOf('example.yaml', text), [], text);
      assertAccepted(text);
    });
  }

  const blocks = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text ?? '');
  test('the page shows a whole dialect', () => {
    assert.equal(blocks.filter((text) => text.includes('base_path:')).length, 1);
  });

  for (const text of blocks.filter((block) => !/^#[^\n]*\n$/.test(block))) {
    test(`the block that begins with ${text.split('\n')[1]}`, () => {
      assert.deepEqual(errorsOf('example.yaml', text), []);
      assertAccepted(text);
    });
  }
});

const head = 'variant: grant\nname: N\nprogramme_identifier: N\nbase_path: /n\n';

describe('broken files', () => {
  const broken: Readonly<Record<string, string>> = {
    'no name': head.replace('name: N\n', ''),
    'a name that is removed': head.replace('name: N', 'name: null'),
    'an identifier read as a number': head.replace(
      'programme_identifier: N',
      'programme_identifier: 12',
    ),
    'a path that ends with a slash': head.replace('/n', '/n/'),
    'a variant that is not there': head.replace('grant', 'grants'),
    'an unknown key': `${head}tokns: {}\n`,
    'an unknown key further down': `${head}tokens: { access: { lifetimes: 5m } }\n`,
    'a duration without a unit': `${head}code: { lifetime: 120 }\n`,
    'two units': `${head}code: { lifetime: 1m30s }\n`,
    'a length with one dot': `${head}code: { length: 5.20 }\n`,
    'an unknown character class': `${head}code: { characters: hex }\n`,
    'a failure reason that does not exist': `${head}errors: { reasons: { invalid_client: { status: 401 } } }\n`,
    'a group without reasons': `${head}errors: { groups: [{ status: 400 }] }\n`,
    'a value that does not exist': `${head}token_response: { fields: { a: acess_token } }\n`,
    'a field of two forms': `${head}token_response: { fields: { a: { value: scope, constant: 1 } } }\n`,
    'a page and a redirect': `${head}authorize: { failures: { invalid_scope: { redirect: a, page: { status: 400, title: T, text: T } } } }\n`,
    'a redirect where only pages may be': `${head}authorize: { failures: { unknown_client: { page: null, redirect: a } } }\n`,
    'a list in place of a map': `${head}client: [basic]\n`,
    'a scalar in place of a list': `${head}client: { authentication: { methods: basic } }\n`,
    'half a complete dialect': head.replace('variant: grant\n', ''),
    'nothing but a list': '- a\n',
  };
  for (const [name, text] of Object.entries(broken)) {
    test(`${name}: neither the JSON Schema nor the loader takes it`, () => {
      assert.equal(accepts(text), false);
      assert.notDeepEqual(errorsOf('n.yaml', text), []);
    });
  }
});

describe('files that take something away', () => {
  const removing: Readonly<Record<string, string>> = {
    'a grant': 'grants: { client_credentials: null }',
    'an input and a limit on one':
      'authorize: { endpoint: { inputs: { code_challenge: null, code_challenge_method: null, state: { length: null } } }, pkce: off }',
    'one form of a failure for the other':
      'authorize: { failures: { invalid_scope: { redirect: null, page: { status: 400, title: T, text: T } } } }',
    'one form of a field for another':
      'token_response: { fields: { token_type: { constant: null, value: kind } } }',
    'levels for names':
      'scope: { kind: list, values: [stays], client: null, member_default: null }\nauthorize: { endpoint: { inputs: { scope: {} } } }',
    'a description': 'errors: { reasons: { throttled: { error_description: null, status: 429 } } }',
    'a whole part that has a default': 'throttle: null',
  };
  for (const [name, text] of Object.entries(removing)) {
    test(`${name}: the JSON Schema and the loader take it`, () => {
      assert.deepEqual(errorsOf('n.yaml', head + text), []);
      assertAccepted(head + text);
    });
  }
});

type Path = readonly (string | number)[];

/** The paths of all maps in a value. */
function mapsIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => mapsIn(item, [...path, index]))
    : Object.entries(value).flatMap(([key, member]) => mapsIn(member, [...path, key]));
  return Array.isArray(value) ? inner : [path, ...inner];
}

/** A copy with an odd member in the map at a path: neither its name nor its value is right. */
function withOddMember(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return { ...(value as object), zzPlanted: [0] };
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      index === step ? withOddMember(item, rest) : (item as unknown),
    );
  }
  const map = value as Readonly<Record<string, unknown>>;
  return { ...map, [step]: withOddMember(map[step], rest) };
}

for (const name of variantNames()) {
  test(`whatever map of the variant ${name} gets an odd member: both refuse it`, () => {
    const whole = toPlain(mergeNodes(readVariant(name), parse(head.replace(/^.*\n/, ''))));
    assertAccepted(stringifyYaml(whole));
    const places = mapsIn(whole);
    assert.ok(places.length > 80);
    for (const place of places.filter((_, index) => index % step === 0)) {
      const odd = withOddMember(whole, place);
      assert.notDeepEqual(errorsOf('n.yaml', stringifyYaml(odd)), [], place.join('.'));
      assert.equal(validate(odd), false, place.join('.'));
    }
  });
}
