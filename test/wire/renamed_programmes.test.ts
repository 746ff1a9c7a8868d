// That names decide nothing: a shipped programme whose dialect stands in one file without a variant,
// under names that nobody has heard of, speaks as its transcript says under its own. Code that asked for a
// programme or a variant, in whatever way, would answer one of the two otherwise.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { effectiveDocument } from '../../src/rules/effective_document.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { play } from '../support/transcript/play.ts';
import { parseTranscript } from '../support/transcript/transcript.ts';

// One before and one after every shipped name, shorter and longer.
const strangers = [
  { id: 'aardvark', name: 'Aard Vark', programme_identifier: 'Aardvark', base_path: '/aard' },
  {
    id: 'zebra-crossing-of-the-north',
    name: 'Zebra Crossing of the North',
    programme_identifier: 'ZebraCrossingNorth',
    base_path: '/zebra/crossing/of-the-north',
  },
] as const;

for (const shipped of ['executive-club', 'second-club']) {
  const text = readFileSync(`programmes/${shipped}.yaml`, 'utf8').replace(/^ {2}logo: .*\n/m, '');
  const { loaded, faults } = loadProgramme(`${shipped}.yaml`, text);
  assert.ok(loaded, faults.map(formatFault).join('\n'));
  const document = effectiveDocument(loaded);
  assert.equal('variant' in document, false);
  const transcript = readFileSync(`test/dialects/shipped/${shipped}.transcript`, 'utf8');
  for (const to of strangers) {
    const renamed = (said: string): string =>
      (['base_path', 'name', 'programme_identifier'] as const).reduce(
        (all, key) => all.replaceAll(loaded.definition[key], to[key]),
        said,
      );
    test(`C-1: ${shipped} answers the same by the name of ${to.id}`, async (t) => {
      await play(t, to.id, renamed(stringifyYaml(document)), parseTranscript(renamed(transcript)));
    });
  }
}
