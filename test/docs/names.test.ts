// Owns the check that what documents name is there: variables, keys of the configuration and of programmes.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { configSchema } from '../../src/config/config.ts';
import { definitionSchema } from '../../src/language/definition.ts';
import { parseYaml } from '../../src/lib/yaml/yaml.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { validate } from '../../src/schema/faults.ts';
import { keysOf } from '../../src/schema/keys.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const sources = globSync('src/**/*.ts', { cwd: root }).map(read).join('\n');
const pages = [
  ...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'config.example.yaml'],
  ...globSync('{docs/**/*.md,programmes/*.yaml}', { cwd: root }),
];

/** What a hook's credentials are read from; each file has a variable. */
const hookFiles = keysOf(definitionSchema)
  .map(({ path }) => /^members\.(\w+_file)$/.exec(path)?.[1]?.toUpperCase())
  .filter((name) => name !== undefined);

/** Variables that the program reads, as its source spells them. */
const own = new Set([
  ...[...sources.matchAll(/process\.env\['([A-Z_]+)'\]/g)].map(([, name = '']) => name),
  ...[...sources.matchAll(/const \{([^}]*)\} = (?:process\.env|environment);/g)].flatMap(
    ([, names = '']) => names.match(/\b[A-Z]+(?:_[A-Z]+)*\b/g) ?? [],
  ),
  ...[...sources.matchAll(/\bvariable(?:: | = )'([A-Z_]+)'/g)].map(([, name = '']) => name),
  ...hookFiles.map((file) => `JETWAY_PROGRAMME_MEMBERS_${file}`),
]);

/** What node and its libraries read of the executable's environment. */
const beneath = new Set(['TZ', 'UV_THREADPOOL_SIZE']);

/** Named because the executable takes no notice of them; test/executable.slow.test.ts. */
const withoutEffect = new Set([
  ...['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'NODE_REPL_EXTERNAL_MODULE'],
  ...['OPENSSL_CONF', 'LD_PRELOAD'],
]);

/** Words with an underscore that are no variables: error codes of dialects, names of C, a gateway's own. */
const others = new Set([
  ...['REJECT_REQUEST', 'LOGIN_AGAIN', 'SLOW_DOWN', 'GATEWAY_ID', 'GATEWAY_SECRET'],
  ...['SQLITE_BUSY', 'SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE', 'CLOCK_BOOTTIME'],
]);

const testing = ['test/**/*.ts', 'scripts/**/*.ts', 'package.json']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((path) => !path.endsWith('docs/names.test.ts'))
  .map(read)
  .join('\n');

/** Whether something reads a variable that a page names. */
function isRead(name: string, page: string): boolean {
  const general = name.replace(/^JETWAY_[A-Z_]+_MEMBERS_/, 'JETWAY_PROGRAMME_MEMBERS_');
  if (own.has(general) || beneath.has(name) || withoutEffect.has(name)) return true;
  if (page === 'docs/developers.md') return testing.includes(name);
  return others.has(name);
}

/** Without blocks of code, where a shell has variables of its own; Jetway's are found there too. */
function variablesIn(text: string): readonly string[] {
  const prose = text.replaceAll(/```[^]*?```/g, '');
  const found = prose.match(/(?<![\w$%-])[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]\b/g) ?? [];
  return [...found, ...(text.match(/\bJETWAY_[A-Z0-9_]*[A-Z0-9]\b/g) ?? [])];
}

describe('HOSTILE 91: variables', () => {
  test('that a page names are read by something', () => {
    // Those of partners' own programs, in pages that are generated, aside.
    const unread = pages
      .filter((page) => !page.startsWith('docs/partners/'))
      .flatMap((page) =>
        [...new Set(variablesIn(read(page)))]
          .filter((name) => !isRead(name, page))
          .map((name) => `${page}: ${name}`),
      );
    assert.deepEqual(unread, []);
    assert.ok(!isRead('JETWAY_CONFIGURATION', 'README.md') && isRead('JETWAY_CONFIG', 'README.md'));
  });

  test('that the executable reads are those of the table in docs/reference.md', () => {
    const [, table = ''] =
      /## Environment\n\n\| variable [^\n]*\n\|---\|---\|\n((?:\|[^\n]*\n)+)/.exec(
        read('docs/reference.md'),
      ) ?? [];
    const told = table.split('\n').flatMap((row) => {
      const [, cell = ''] = row.split('|');
      const names = [...cell.matchAll(/`(…)?_?([A-Z_]+)`/g)];
      return names.map(([, rest, name = '']) => (rest ? `JETWAY_PROGRAMME_MEMBERS_${name}` : name));
    });
    assert.deepEqual(told.toSorted(), [...own, ...beneath].toSorted());
  });
});

const programmeKeys = keysOf(definitionSchema);
const configKeys = keysOf(configSchema).map(({ path }) => path);

/** `key: value` and a dotted path of keys, in backticks. */
const dotted = /`([a-z_]+(?:\.[a-z_]+)+)(?:: ?[^`]*)?`/g;

/** Words of requests and answers that look like paths: values, and names that a file chooses. */
const values = /^(?:client|member|programme|login|refresh)\.[a-z_]+$/;
const chosen =
  /^(?:token_endpoints|login\.messages|scope)\.|\.(?:yaml|db|control|key|jsonl|head|lock|ts|md)$/;

describe('HOSTILE 91: keys', () => {
  const paths = new Set([...configKeys, ...programmeKeys.map(({ path }) => path)]);
  const firsts = new Set([...paths].map((path) => path.split('.')[0]));

  test('that a page names by their path are keys of the configuration or of a programme', () => {
    const lost = pages
      .filter((page) => !page.startsWith('docs/decisions/'))
      .flatMap((page) =>
        [...read(page).matchAll(dotted)]
          .map(([, path = '']) => path)
          .filter((path) => firsts.has(path.split('.')[0]) && !paths.has(path))
          .filter((path) => !chosen.test(path) && !values.test(path))
          .map((path) => `${page}: ${path}`),
      );
    assert.deepEqual([...new Set(lost)], []);
  });

  test('of the configuration stand in config.example.yaml, and in no other spelling', () => {
    const text = read('config.example.yaml');
    const bare = text.replaceAll(/^#(?=(?:  )?[a-z_]+:(?: |$))/gm, '');
    const named = [...bare.matchAll(/^(?:  )?([a-z_]+):(?: |$)/gm)].map(([, name = '']) => name);
    const keys = new Set(configKeys.flatMap((path) => path.split('.')));
    assert.deepEqual(
      named.filter((name) => !keys.has(name)),
      [],
    );
    assert.deepEqual(
      [...keys].filter((name) => !text.includes(`${name}:`) && !text.includes(` ${name} `)),
      [],
    );
  });

  test('in the YAML of a page are keys of the configuration, or of a programme', () => {
    const unknown = pages
      .filter((page) => page.endsWith('.md') && !page.startsWith('docs/decisions/'))
      .flatMap((page) =>
        [...read(page).matchAll(/```yaml\n([^]*?)```/g)]
          .filter(([, text = '']) => !foreign.has(page) || hasOwnKey(text))
          .flatMap(([, text = '']) => unknownKeys(text).map((fault) => `${page}: ${fault}`)),
      );
    assert.deepEqual(unknown, []);
  });
});

/** Pages with the YAML of other programs: proxies, monitoring, an operator of databases. */
const foreign = new Set(['docs/fleet.md', 'docs/gateways.md', 'docs/monitoring/README.md']);

function hasOwnKey(text: string): boolean {
  if (/^apiVersion:/m.test(text)) return false;
  const first = [...text.matchAll(/^([A-Za-z_]+):/gm)].map(([, name = '']) => name);
  return [...configKeys, ...programmeKeys.map(({ path }) => path)].some((key) =>
    first.includes(key),
  );
}

const heads = ['grant', 'partner-login'].map((variant) => ({
  variant: `variant: ${variant}`,
  name: 'name: Club',
  programme_identifier: 'programme_identifier: Club',
  base_path: 'base_path: /club',
}));

/** What no reading of a text knows: as a configuration, or as part of a programme of either variant. */
function unknownKeys(text: string): readonly string[] {
  const { root: node } = parseYaml('page.yaml', text);
  const asConfig = node === undefined ? [] : validate(configSchema, node).faults;
  const readings = [
    asConfig,
    ...heads.map((head) => {
      const missing = Object.entries(head).filter(
        ([key]) => !new RegExp(`^${key}:`, 'm').test(text),
      );
      const whole = [...missing.map(([, line]) => line), text].join('\n');
      return loadProgramme('page.yaml', whole).faults;
    }),
  ].map((faults) => faults.map(({ message }) => message).filter((one) => /^unknown key/.test(one)));
  return readings.toSorted((one, other) => one.length - other.length)[0] ?? [];
}
