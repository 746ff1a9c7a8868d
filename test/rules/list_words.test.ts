// HOSTILE 58: words in lists that the language does not have are told at their place.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { effectiveDocument } from '../../src/rules/effective_document.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { isMap, type Plain, type PlainMap } from '../programme/property/dialect.ts';
import { withValue } from '../programme/property/slips.ts';

type Place = readonly (string | number)[];

/** Every list of texts in a whole dialect, with its place. */
function* listsIn(value: Plain, at: Place = []): Iterable<readonly [Place, readonly string[]]> {
  const parts = Array.isArray(value) ? value.entries() : Object.entries(isMap(value) ? value : {});
  const all = [...parts] as readonly (readonly [string | number, Plain])[];
  const texts = all.flatMap(([, one]) => (typeof one === 'string' ? [one] : []));
  if (Array.isArray(value) && texts.length === all.length) yield [at, texts];
  for (const [key, one] of all) yield* listsIn(one, [...at, key]);
}

/** Lists whose words mean what they say. */
const free =
  /^scope\.values$|assertion\.audience$|\.(?:allowed|within|wrap|media_types|array|varies)$/;

for (const path of globSync(['programmes/*.yaml', 'test/dialects/*.yaml']).toSorted()) {
  test(`HOSTILE 58: a word that stands for nothing is told in any list of ${path}`, () => {
    const original = loadProgramme(path, readFileSync(path, 'utf8')).loaded;
    assert.ok(original);
    const dialect = effectiveDocument(original) as PlainMap;
    for (const [at, list] of listsIn(dialect)) {
      if (free.test(at.join('.'))) continue;
      const text = stringifyYaml(withValue(dialect, at, [...list, 'nowhere']));
      const { faults } = loadProgramme('x.yaml', text);
      const place = at.join('.');
      const isTold = faults.some(
        (one) => `${one.path}.`.startsWith(`${place}.`) && one.message.includes('nowhere'),
      );
      assert.ok(isTold, place);
    }
  });
}
