// Owns the check that the sources keep to the layout of the house, and the proof that each rule
// of it can fail.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';

import { build } from 'esbuild';

import { type SourceFile, modulesNamed } from './architecture/imports.ts';
import { violations } from './architecture/rules.ts';

const root = join(import.meta.dirname, '..');

const files: readonly SourceFile[] = globSync('{src,test,scripts}/**/*.ts', { cwd: root })
  .toSorted()
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** A name with a hyphen is no plain word of the code, so finding it there is telling. */
const shippedNames = globSync('{programmes,src/variants}/*.yaml', { cwd: root }).flatMap((path) => [
  ...[basename(path, '.yaml')].filter((name) => name.includes('-')),
  ...(/(?<=^programme_identifier: )\w+/m.exec(readFileSync(join(root, path), 'utf8')) ?? []),
]);

/** A minimal house that breaks no rule, into which a case plants its files. */
const sound: Readonly<Record<string, string>> = {
  'src/lib/clock.ts': "// Clock.\nimport { hrtime } from 'node:process';\n",
  'src/lib/document.ts': "// Documents.\nimport { parse } from 'yaml';\n",
  'src/oauth/client.ts': "// Clients.\nimport type { Clock } from '../lib/clock.ts';\n",
  'src/store/sqlite/store.ts': "// Memory.\nimport { DatabaseSync } from 'node:sqlite';\n",
  'src/config/config.ts': "// Config.\nimport * as v from 'valibot';\n",
  'src/server/serve.ts': "// Serve.\nimport { read } from '../config/config.ts';\n",
  'src/cli/program.ts': "// Verbs.\nimport { serve } from '../server/serve.ts';\n",
  'src/main.ts': "// Entry.\nimport './cli/program.ts';\n",
  'test/lib/clock.test.ts': "// Clock tests.\nimport '../../src/lib/clock.ts';\n",
};

/** Rule, then the file planted, then its text. */
const plants: readonly (readonly [rule: string, path: string, text: string])[] = [
  ['floor', 'src/lib/a.ts', "// A.\nimport { b } from '../oauth/client.ts';\n"],
  ['floor', 'src/lib/a.ts', "// A.\nimport type { B } from '../oauth/client.ts';\n"],
  ['floor', 'src/lib/a.ts', "// A.\nexport { b } from '../oauth/client.ts';\n"],
  ['floor', 'src/lib/a.ts', "// A.\nimport {\n  b,\n  c as d,\n} from '../oauth/client.ts';\n"],
  ['floor', 'src/lib/a.ts', "// A.\nimport '../oauth/client.ts';\n"],
  ['floor', 'src/lib/a.ts', "// A.\nconst b = await import('../oauth/client.ts');\n"],
  ['floor', 'src/lib/a.ts', "// A.\ntype B = import('../oauth/client.ts').Client;\n"],
  ['floor', 'src/lib/a.ts', "// A.\nconst quote = /['`]/;\nimport '../oauth/client.ts';\n"],
  ['floor', 'src/token/a.ts', "// A.\nimport { b } from '../store/sqlite.ts';\n"],
  ['floor', 'src/config/a.ts', "// A.\nimport { b } from '../cli/serve.ts';\n"],
  ['floor', 'src/server/a.ts', "// A.\nimport { b } from '../cli/program.ts';\n"],
  ['floor', 'src/http/a.ts', "// A.\nimport { b } from '../server/serve.ts';\n"],
  ['floor', 'src/http/a.ts', "// A.\nimport { b } from '../main.ts';\n"],
  ['floor', 'src/cli/a.ts', "// A.\nimport { b } from '../../test/b.ts';\n"],
  ['floor', 'src/variants/a.ts', '// A.\n'],
  ['floor', 'src/extra/a.ts', '// A.\n'],
  ['package', 'src/engine/a.ts', "// A.\nimport { Hono } from 'hono';\n"],
  ['package', 'src/engine/a.ts', "// A.\nimport { html } from 'hono/html';\n"],
  ['package', 'src/engine/a.ts', "// A.\nimport { serve } from '@hono/node-server';\n"],
  ['package', 'src/engine/a.ts', "// A.\nimport { jwtVerify } from 'jose';\n"],
  ['package', 'src/config/a.ts', "// A.\nimport { parse } from 'yaml';\n"],
  [
    'definition',
    'src/contract/a.ts',
    "// A.\nimport type { Definition } from '../language/definition.ts';\n",
  ],
  ...['cli', 'config', 'contract', 'engine', 'http', 'server', 'audit'].map(
    (folder) =>
      [
        'definition',
        `src/${folder}/a.ts`,
        '// A.\nconst methods = loaded?.definition.client;\n',
      ] as const,
  ),
  [
    'definition',
    'src/cli/a.ts',
    "// A.\nimport type { Definition } from '../language/definition.ts';\n",
  ],
  [
    'definition',
    'src/http/a.ts',
    "// A.\nimport type { Definition } from '../language/definition.ts';\n",
  ],
  [
    'definition',
    'src/engine/a.ts',
    "// A.\nimport { definitionSchema } from '../language/definition.ts';\n",
  ],
  ['floor', 'src/contract/a.ts', "// A.\nimport '../engine/service.ts';\n"],
  ['floor', 'src/contract/a.ts', "// A.\nimport '../rules/load.ts';\n"],
  ['floor', 'src/rules/a.ts', "// A.\nimport '../contract/contract.ts';\n"],
  ['floor', 'src/language/a.ts', "// A.\nimport '../programme/programme.ts';\n"],
  ['floor', 'src/programme/a.ts', "// A.\nimport '../rules/load.ts';\n"],
  ['floor', 'src/http/a.ts', "// A.\nimport '../server/server.ts';\n"],
  ['package', 'src/programme/a.ts', "// A.\nimport * as v from 'valibot';\n"],
  ['package', 'src/http/a.ts', "// A.\nimport * as v from 'valibot';\n"],
  ['package', 'src/config/a.ts', "// A.\nimport { Command } from 'commander';\n"],
  ['package', 'src/cli/a.ts', "// A.\nimport { DatabaseSync } from 'node:sqlite';\n"],
  ['package', 'src/cli/a.ts', "// A.\nprocess.getBuiltinModule('node:sqlite');\n"],
  ['package', 'src/lib/a.ts', "// A.\nimport lodash from 'lodash';\n"],
  ['package', 'src/lib/a.ts', "// A.\nimport { join } from 'path';\n"],
  ['computed import', 'src/lib/a.ts', '// A.\nawait import(name);\n'],
  ['computed import', 'src/lib/a.ts', '// A.\nawait import(`../${name}.ts`);\n'],
  ['file name', 'src/lib/theClock.ts', '// A.\n'],
  ['file name', 'src/lib/the-clock.ts', '// A.\n'],
  ['file name', 'test/lib/clock.spec.ts', '// A.\n'],
  ['utils', 'src/lib/utils.ts', '// A.\n'],
  ['utils', 'src/http/reply_helpers.ts', '// A.\n'],
  ['utils', 'src/lib/util/text.ts', '// A.\n'],
  ['barrel', 'src/lib/index.ts', '// A.\n'],
  ['barrel', 'src/lib/all.ts', "// A.\nexport * from './clock.ts';\n"],
  ['default export', 'src/lib/a.ts', '// A.\nexport default function a() {}\n'],
  ['default export', 'scripts/a.ts', '// A.\nconst a = 1;\nexport { a as default };\n'],
  ['opening comment', 'src/lib/a.ts', 'export const a = 1;\n// A.\n'],
  ['length', 'src/lib/a.ts', `// A.\n${'\n'.repeat(400)}`],
  ['length', 'test/lib/a.test.ts', `// A.\n${'\n'.repeat(400)}`],
  ['import cycle', 'src/lib/a.ts', "// A.\nimport type { A } from './a.ts';\n"],
  ['shipped name', 'src/cli/a.ts', "// A.\nconst demo = 'executive-club';\n"],
  ['shipped name', 'src/engine/a.ts', "// A.\nconst demo = 'executive' + '-club';\n"],
  ['shipped name', 'src/http/a.ts', "// A.\nconst demo = `executive${'-'}club`;\n"],
  ['shipped name', 'src/programme/a.ts', '// A.\nif (/executive.?club/i.test(name)) b();\n'],
  ['shipped name', 'src/programme/a.ts', "// A.\nif (identifier === 'ExecutiveClub') b();\n"],
  ['variant comparison', 'src/http/a.ts', "// A.\nif (programme.variant === 'grant') b();\n"],
  ['variant comparison', 'src/http/a.ts', "// A.\nif ('grant' !== variant) b();\n"],
  ['variant comparison', 'src/http/a.ts', '// A.\nswitch (programme.variant) {\n}\n'],
  ['variant comparison', 'src/http/a.ts', '// A.\nconst { variant: kind } = programme;\n'],
  ['variant comparison', 'src/engine/a.ts', "// A.\nconst kind = programme['variant'];\n"],
  ['variant comparison', 'src/engine/a.ts', '// A.\nconst rules = byVariant[variant];\n'],
  ['variant comparison', 'src/programme/a.ts', '// A.\nif (variant === `grant`) b();\n'],
  ['variant comparison', 'src/programme/a.ts', "// A.\nif (variant?.startsWith('g')) b();\n"],
  ['programme comparison', 'src/engine/a.ts', "// A.\nif (service.programme.id === 'a') b();\n"],
  ['programme comparison', 'src/http/a.ts', "// A.\nif ('a' !== programme.identifier) b();\n"],
  ['programme comparison', 'src/http/a.ts', '// A.\nswitch (programme.basePath) {\n}\n'],
  ['programme comparison', 'src/http/a.ts', "// A.\nif (programme.id.startsWith('a')) b();\n"],
  ['programme comparison', 'src/programme/a.ts', '// A.\nif (/^a/.test(definition.name)) b();\n'],
  ['programme comparison', 'src/engine/a.ts', "// A.\nif (['a'].includes(programme.id)) b();\n"],
];

describe('architecture', () => {
  test('the sources keep to every rule', () => {
    assert.deepEqual(violations(files, shippedNames), []);
  });

  test('a folder of src/ has at most 25 files, its folders apart', () => {
    const shelf = (count: number): Readonly<Record<string, string>> =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`src/lib/yaml/a${at}.ts`, '// A.\n'] as const),
      );
    assert.deepEqual(violations(houseWith(shelf(25)), []), []);
    assert.deepEqual(violations(houseWith(shelf(26)), []), [
      { rule: 'shelf', path: 'src/lib/yaml/a0.ts', detail: '26 files in src/lib/yaml, at most 25' },
    ]);
  });

  test('the contract of the store is four files of a screen or two, and 38 verbs at most', () => {
    const textOf = (name: string): string =>
      files.find(({ path }) => path === `src/store/${name}.ts`)?.text ?? '';
    const [, listed = ''] = /interface Store extends ([\w, ]+) \{\}/.exec(textOf('contract')) ?? [];
    const contracts = listed.split(', ').map((name) => {
      const text = textOf(name.toLowerCase());
      const [, body = ''] = text.split(`export interface ${name} {`);
      return { lines: text.split('\n').length, verbs: body.match(/^ {2}\w+[<(]/gm)?.length ?? 0 };
    });
    assert.equal(contracts.length, 4);
    for (const { lines, verbs } of contracts) assert.ok(lines <= 180 && verbs >= 5 && verbs <= 14);
    const all = contracts.reduce((sum, { verbs }) => sum + verbs, 0);
    assert.ok(all >= 30 && all <= 38, `${all} verbs`);
  });

  test('a sound house has no violation', () => {
    assert.deepEqual(violations(houseWith({}), ['executive-club']), []);
  });

  test('comments, strings and templates import nothing', () => {
    const text = "// import 'jose';\n/* import 'hono' */\nconst a = `import 'jose';`;\n";
    assert.deepEqual(modulesNamed(text), []);
  });

  for (const [rule, path, text] of plants) {
    test(`${rule} fails on ${path}: ${firstOf(text)}`, () => {
      const found = violations(houseWith({ [path]: text }), ['executive-club']);
      assert.deepEqual(
        [...new Set(found.map((one) => `${one.rule} ${one.path}`))],
        [`${rule} ${path}`],
      );
    });
  }

  test('a cycle of three files is found at each of them', () => {
    const found = violations(
      houseWith({
        'src/lib/a.ts': "// A.\nimport './b.ts';\n",
        'src/lib/b.ts': "// B.\nimport './c.ts';\n",
        'src/lib/c.ts': "// C.\nimport './a.ts';\n",
      }),
      [],
    );
    assert.deepEqual(
      found.map(({ rule, detail }) => `${rule}: ${detail}`),
      [
        'import cycle: src/lib/a.ts > src/lib/b.ts > src/lib/c.ts > src/lib/a.ts',
        'import cycle: src/lib/b.ts > src/lib/c.ts > src/lib/a.ts > src/lib/b.ts',
        'import cycle: src/lib/c.ts > src/lib/a.ts > src/lib/b.ts > src/lib/c.ts',
      ],
    );
  });

  // The rules read imports by pattern; a real parser must see none that they miss.
  test('no import of the sources escapes the rules', async () => {
    const result = await build({
      absWorkingDir: root,
      // One bundle of them all: each file is read and parsed once.
      stdin: {
        contents: files.map(({ path }) => `import './${path}';`).join('\n'),
        resolveDir: root,
      },
      write: false,
      metafile: true,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
    for (const { path, text } of files) {
      const named = new Set(modulesNamed(text));
      const seen = result.metafile.inputs[path]?.imports;
      assert.ok(seen, path);
      const missed = seen.map((one) => one.original ?? one.path).filter((one) => !named.has(one));
      assert.deepEqual(missed, [], path);
    }
  });
});

function houseWith(planted: Readonly<Record<string, string>>): readonly SourceFile[] {
  return Object.entries({ ...sound, ...planted }).map(([path, text]) => ({ path, text }));
}

function firstOf(text: string): string {
  return text.split('\n')[1]?.slice(0, 60) ?? '';
}
