// That names decide nothing: a shipped programme whose dialect stands in one file without a variant,
// under names that nobody has heard of, answers as it does under its own. Code that asked for a
// programme or a variant, in whatever way, would answer one of the two otherwise.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { parse } from 'node:path';
import { test, type TestContext } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { effectiveDocument } from '../../src/rules/effective_document.ts';
import { type LoadedProgramme, loadProgramme } from '../../src/rules/load.ts';
import { type Names, transcriptOf } from './renamed/transcript.ts';

function load(id: string, text: string): LoadedProgramme {
  const { loaded, faults } = loadProgramme(`${id}.yaml`, text);
  assert.ok(loaded, faults.map(formatFault).join('\n'));
  return loaded;
}

function namesOf({ id, definition }: LoadedProgramme): Names {
  const { name, programme_identifier: identifier, base_path: base } = definition;
  return { id, name, identifier, base };
}

// One before and one after every shipped name, shorter and longer.
const strangers: readonly Names[] = [
  { id: 'aardvark', name: 'Aard Vark', identifier: 'Aardvark', base: '/aard' },
  {
    id: 'zebra-crossing-of-the-north',
    name: 'Zebra Crossing of the North',
    identifier: 'ZebraCrossingNorth',
    base: '/zebra/crossing/of-the-north',
  },
];

/** The whole dialect under other names, and without its variant. */
function renamed(shipped: LoadedProgramme, to: Names): string {
  const from = namesOf(shipped);
  const document = effectiveDocument(shipped);
  assert.equal('variant' in document, false);
  return stringifyYaml(document)
    .replaceAll(from.base, to.base)
    .replaceAll(from.name, to.name)
    .replaceAll(from.identifier, to.identifier);
}

async function compare(t: TestContext, id: string, to: Names): Promise<void> {
  const text = readFileSync(`programmes/${id}.yaml`, 'utf8');
  const shipped = load(id, text);
  const other = renamed(shipped, to);
  const expected = await transcriptOf(t, shipped, text, namesOf(shipped));
  const found = await transcriptOf(t, load(to.id, other), other, to);
  assert.deepEqual(found, expected);
  // The transcript is not one of refusals alone: tokens by each grant, and a way back with a code.
  const granted = expected.filter((line) => line.includes('"access_token"'));
  assert.ok(granted.length >= Object.keys(shipped.definition.grants).length, granted.join('\n'));
  assert.ok(expected.some((line) => line.includes('?code={random}&state=s')));
}

for (const id of globSync('*.yaml', { cwd: 'programmes' }).map((file) => parse(file).name)) {
  for (const to of strangers) {
    test(`C-1: ${id} answers the same by the name of ${to.id}`, (t) => compare(t, id, to));
  }
}
