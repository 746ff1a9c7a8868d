// Owns the tables of what is told of programme files (*.cases): of each case all faults, at their places. With
// `--update` it writes what is told now: read its difference as you would read code.
//
//   == a test, by its name
//   on executive-club               the YAML is laid over that file, and errors are told by their keys; `on nothing`,
//                                   it is the whole file; else it follows the four lines that a programme of the
//                                   grant variant needs, or of the variant that is named
//   code: { length: 31 }            lines of YAML
//   > 5:9: error: …                 and the faults that a file without them does not have, or `none`

import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { errorsOf } from '../support/definition.ts';

const headOf = (variant: string): string =>
  `variant: ${variant}\nname: A\nprogramme_identifier: A\nbase_path: /a\n`;
const place = /^\d+:\d+: /;

const isUpdate = process.argv.includes('--update');

function printed(text: string): readonly string[] {
  return loadProgramme('a.yaml', text).faults.map((fault) =>
    formatFault(fault).replace('a.yaml:', ''),
  );
}

/** What is told of a file without more, by the file. */
const usualOf = new Map<string, ReadonlySet<string>>();

/** HOSTILE 41: warned of in every file that takes a secret in two places. */
const refusesBoth = '[both_refused]';

function faultsOf({ base, name }: Section, yaml: string): readonly string[] {
  if (base === 'executive-club') return errorsOf(yaml);
  if (base === 'nothing') return printed(yaml);
  const head = headOf(base ?? 'grant');
  const usual = usualOf.get(head) ?? new Set(printed(head).map((one) => one.replace(place, '')));
  usualOf.set(head, usual);
  return printed(head + yaml).filter(
    (fault) =>
      !usual.has(fault.replace(place, '')) &&
      (name.startsWith('HOSTILE 41') || !fault.endsWith(refusesBoth)),
  );
}

/** A test of the table: its name, what its YAML is laid over, and its cases. */
interface Section {
  readonly name: string;
  readonly base: string | undefined;
  readonly cases: readonly (readonly [yaml: string, faults: readonly string[]])[];
}

function parseSection(text: string): Section {
  const [name = '', ...lines] = text.trimEnd().split('\n');
  const [first = ''] = lines;
  const base = /^on (\S+)$/.exec(first)?.[1];
  const cases: [yaml: string, faults: string[]][] = [];
  let isOver = true;
  for (const line of base === undefined ? lines : lines.slice(1)) {
    const isFault = line.startsWith('>');
    if (isFault) cases.at(-1)?.[1].push(line.slice(2));
    else if (isOver) cases.push([`${line}\n`, []]);
    else cases.splice(-1, 1, [`${cases.at(-1)?.[0]}${line}\n`, []]);
    isOver = isFault;
  }
  return { name, base, cases };
}

for (const file of globSync('*.cases', { cwd: import.meta.dirname }).toSorted()) {
  const path = join(import.meta.dirname, file);
  const [comment = '', ...texts] = readFileSync(path, 'utf8').split(/^== /m);
  const sections = texts.map(parseSection);
  const written = sections.map((section) => {
    const lines: string[] = [];
    test(`${section.name} (${file})`, () => {
      for (const [yaml, faults] of section.cases) {
        const found = faultsOf(section, yaml);
        const told = found.length === 0 ? ['none'] : found;
        lines.push(yaml, ...told.map((one) => `> ${one}\n`));
        if (!isUpdate) assert.deepEqual(told, faults, yaml);
      }
    });
    return { section, lines };
  });
  if (!isUpdate) continue;
  after(() => {
    const all = written.map(({ section: { name, base }, lines }) =>
      [`== ${name}\n`, ...(base === undefined ? [] : [`on ${base}\n`]), ...lines].join(''),
    );
    writeFileSync(path, comment + all.join('\n'));
  });
}
