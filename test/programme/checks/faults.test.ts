// Owns the table of what is told of programme files (faults.cases): each case's faults, all of them, at their places.
// With `--update` it writes what is told now.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { formatFault } from '../../../src/lib/fault.ts';
import { loadProgramme } from '../../../src/programme/language/load.ts';
import { errorsOf } from '../../support/definition.ts';

const path = join(import.meta.dirname, 'faults.cases');
const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';
const place = /^\d+:\d+: /;

function printed(text: string): readonly string[] {
  return loadProgramme('a.yaml', text).faults.map((fault) =>
    formatFault(fault).replace('a.yaml:', ''),
  );
}

/** Of a file without anything more. */
const usual = new Set(printed(head).map((fault) => fault.replace(place, '')));

function faultsOf(base: string | undefined, yaml: string): readonly string[] {
  if (base === 'executive-club') return errorsOf(yaml);
  if (base === 'nothing') return printed(yaml);
  return printed(head + yaml).filter((fault) => !usual.has(fault.replace(place, '')));
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

const [comment = '', ...texts] = readFileSync(path, 'utf8').split(/^== /m);
const sections = texts.map(parseSection);

for (const { name, base, cases } of sections) {
  test(name, () => {
    for (const [yaml, faults] of cases) {
      const told = faultsOf(base, yaml);
      assert.deepEqual(told.length === 0 ? ['none'] : told, faults, yaml);
    }
  });
}

if (process.argv.includes('--update')) {
  const written = sections.map(({ name, base, cases }) => {
    const lines = cases.map(([yaml]) => {
      const told = faultsOf(base, yaml);
      return `${yaml}${(told.length === 0 ? ['none'] : told).map((one) => `> ${one}\n`).join('')}`;
    });
    return `== ${name}\n${base === undefined ? '' : `on ${base}\n`}${lines.join('')}`;
  });
  writeFileSync(path, comment + written.join('\n'));
}
