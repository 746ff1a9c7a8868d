// Owns the check that the programme files in README and the handbook, and the example configuration,
// load and do what is said.

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme, withLogos } from '../../src/rules/load.ts';
import { jetway } from '../cli/command.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const programmes = readFileSync(join(root, 'docs/handbook/programmes.md'), 'utf8');

test('the login page of the handbook loads as it stands, in every variant', () => {
  const [example = '', ...others] = [...programmes.matchAll(/```yaml\n(login:\n[^]*?)```/g)].map(
    ([, text = '']) => text,
  );
  assert.deepEqual(others, []);
  for (const variant of ['grant', 'partner-login']) {
    const head = `variant: ${variant}\nname: Harbour Club\nprogramme_identifier: Harbour\nbase_path: /harbour\n`;
    const asked: string[] = [];
    const { loaded, faults } = withLogos(loadProgramme('harbour.yaml', head + example), (name) => {
      asked.push(name);
      const png = Buffer.from('89504e470d0a1a0a00', 'hex');
      return name.endsWith('.png') ? png : Buffer.from('<svg></svg>');
    });
    assert.deepEqual(
      faults.filter(({ severity }) => severity === 'error'),
      [],
    );
    assert.ok(loaded);
    assert.deepEqual(asked, ['harbour.svg', 'acme.png']);
    const { id, definition, logos } = loaded;
    const { login } = compileProgramme(id, definition, 'https://tokens.example', logos);
    assert.equal(login.languages.texts('en').title, 'Welcome to Harbour Club');
    assert.equal(login.languages.texts(undefined).title, 'Bienvenue chez Harbour Club');
    assert.equal(login.brands.get('Acme')?.name, 'Acme Hotels');
    assert.equal(login.palettes.light.accent, '#7a2457');
  }
});

test('the programme of the README loads as it stands, without a warning', () => {
  const [, text = ''] = /```yaml\n(variant:[^]*?)```/.exec(readme) ?? [];
  const { loaded, faults } = loadProgramme('harbour.yaml', text);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    [...(loaded?.definition.token_response.fields.keys() ?? [])],
    [
      'access_token',
      'refresh_token',
      'scope',
      'token_type',
      'expires_in',
      'refresh_token_expires_in',
    ],
  );
});

const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })];

test('every file and page that README and docs name exists', () => {
  const lost = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) =>
      join(page, '..', link),
    );
    const paths = [...text.matchAll(/`((?:src|test|docs|scripts)\/[\w./-]+\.\w+)`/g)];
    return [...links, ...paths.map(([, path = '']) => path)]
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`);
  });
  assert.deepEqual(lost, []);
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-'),
    ),
  );
}

test('every heading that a link of README and docs leads to exists', () => {
  const lost = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)];
    return links
      .filter(([, path = '', anchor = '']) => {
        const target = path === '' ? page : join(page, '..', path);
        return !anchorsOf(target).has(anchor);
      })
      .map(([link]) => `${page}: ${link}`);
  });
  assert.ok(pages.length > 40, `${pages.length} pages`);
  assert.deepEqual(lost, []);
});

test('the example configuration and the shipped programmes pass', async () => {
  const ran = await jetway(root, ['check', '--config', 'config.example.yaml']);
  assert.equal(ran.code, 0, ran.stdout);
  assert.match(ran.stdout, /(?:^|\n)\d+ programmes, 0 errors, \d+ warnings?\n$/);
});
