// Owns the check of docs/standards.md: each row says how a programme stands to a requirement, and each
// departure that it names is found where a dialect departs, and nowhere else.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { toPlain } from '../../src/lib/document.ts';
import { parseYaml } from '../../src/lib/yaml/yaml.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { departures } from '../../src/rules/warnings.ts';

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
const page = read('../../docs/standards.md');

/** The standards that a dialect is held to. */
const standards = [
  ...[
    '6749',
    '6750',
    '7009',
    '7519',
    '7523',
    '7636',
    '7662',
    '8414',
    '8693',
    '8705',
    '8707',
    '9700',
  ].map((number) => `RFC ${number} `),
  'OpenID Connect Core ',
  'OpenID Connect Discovery ',
];

interface Dialects {
  readonly departs: string | readonly string[];
  readonly keeps?: string | readonly string[];
}

const { root } = parseYaml('departures.yaml', read('departures.yaml'));
assert.ok(root !== undefined);
const dialects = toPlain(root) as Readonly<Record<string, Dialects>>;

const rows = [...page.matchAll(/^\| (?!Section|---)(.+?) \| (.+?) \| (.+?) \|$/gm)].map(
  ([, section = '', requirement = '', stand = '']) => ({ section, requirement, stand }),
);

function departuresOf(text: string): ReadonlySet<string | undefined> {
  const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';
  const { loaded, faults } = loadProgramme('a.yaml', head + text);
  assert.ok(loaded !== undefined, JSON.stringify(faults));
  return new Set(loaded.departures.map(({ warning }) => warning.name));
}

test('every standard has its section, and every row says how a programme stands to it', () => {
  for (const standard of standards) assert.ok(page.includes(`\n## ${standard}`), standard);
  assert.equal([...page.matchAll(/^## /gm)].length, standards.length);
  assert.ok(rows.length > 150);
  for (const { section, requirement, stand } of rows) {
    assert.match(section, /^\d/, requirement);
    assert.match(requirement, /\.$/, requirement);
    assert.match(
      stand,
      /^(?:always(?:: .+)?|no feature(?:: .+)?|(?:operator|never): .+|`[a-z_]+`(?: `[a-z_]+`)*)$/,
      requirement,
    );
  }
});

test('the rows name every departure, and no other', () => {
  const named = rows.flatMap(({ stand }) =>
    stand.startsWith('`') ? [...stand.matchAll(/[a-z_]+/g)].map(([name]) => name) : [],
  );
  assert.deepEqual([...new Set(named)].toSorted(), [...departures.keys()].toSorted());
  assert.deepEqual(Object.keys(dialects), [...departures.keys()].toSorted());
});

for (const [name, { departs, keeps = '' }] of Object.entries(dialects)) {
  test(`${name} is found in a dialect that departs, and in none that does not`, () => {
    for (const text of [departs].flat()) assert.ok(departuresOf(text).has(name), text);
    for (const text of [keeps].flat()) assert.ok(!departuresOf(text).has(name), text);
  });
}
