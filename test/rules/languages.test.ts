// Tests of the languages that are shipped beside those of every variant.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { languageNames, variantNames } from '../../src/language/variants.ts';
import { loadProgramme } from '../../src/rules/load.ts';

/** Words that are the same as in English. */
const alike = new Set(['es labels.error', 'it labels.password', 'it labels.privacy']);

function languages(variant: string, tag?: string): Readonly<Record<string, object>> {
  const login = tag === undefined ? '' : `login:\n  languages:\n    ${tag}: {}\n`;
  const text = `variant: ${variant}\nname: A\nbase_path: /a\nprogramme_identifier: A\n${login}`;
  const { loaded, faults } = loadProgramme('a.yaml', text);
  assert.ok(loaded, JSON.stringify(faults.filter(({ severity }) => severity === 'error')));
  const { title, messages, labels, pages } = loaded.definition.login;
  return { ...loaded.definition.login.languages, en: { title, messages, labels, pages } };
}

function textsOf(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  return Object.entries(value ?? {}).flatMap(([key, one]) =>
    textsOf(one, path === '' ? key : `${path}.${key}`),
  );
}

const placeholders = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

for (const variant of variantNames()) {
  test(`${variant} offers no language that a file does not name`, () => {
    assert.deepEqual(Object.keys(languages(variant)).toSorted(), ['en', 'fr']);
  });

  for (const tag of languageNames()) {
    test(`${variant} in ${tag}: G-7, every text is there, is translated and keeps its names`, () => {
      const all = languages(variant, tag);
      const own = new Map(textsOf(all[tag]));
      const french = textsOf(all['fr']);
      assert.deepEqual([...own.keys()].toSorted(), french.map(([path]) => path).toSorted());
      for (const [path, text] of french)
        assert.deepEqual(placeholders(own.get(path) ?? ''), placeholders(text), path);
      for (const [path, text] of textsOf(all['en']))
        assert.ok(alike.has(`${tag} ${path}`) || own.get(path) !== text, path);
      assert.equal(own.get('failures.unregistered_redirect_uri.title'), 'Security Issue');
    });
  }
}
