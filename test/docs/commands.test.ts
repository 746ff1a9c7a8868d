// Owns the check that each command that a page tells to type is one of the program's: its verb, its
// options, what they need, and how many operands stand behind.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { optionsOf, type Verb } from '../../src/cli/grammar/grammar.ts';
import { groups, verbs } from '../../src/cli/program.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** Decisions tell of their time, and extending.md adds a verb that is not part of Jetway. */
const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].filter(
  (page) => !page.startsWith('docs/decisions/') && page !== 'docs/extending.md',
);

/** Words of a command line as a shell splits them; its end is an operator, a comment or the line's end. */
function wordsOf(line: string): readonly string[] {
  const [words = ''] =
    /^(?:\s+(?![#|<>&;)]|2>)(?:'[^']*'|"[^"]*"|[^\s'";|&<>)])+)*/.exec(line) ?? [];
  return words.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
}

/** What is wrong with the words behind `jetway`; `whole` is false of a command that a text only names. */
function faultsOf(words: readonly string[], whole: boolean): readonly string[] {
  const [first = '', second = ''] = words;
  const verb = verbs.find((one) => one.words === `${first} ${second}` || one.words === first);
  if (verb === undefined) {
    const isGroup = groups[first] !== undefined && words.length === 1 && !whole;
    return isGroup || first.startsWith('--version') ? [] : [`no verb ${first} ${second}`];
  }
  return faultsAfter(verb, words.slice(verb.words.split(' ').length), whole);
}

function faultsAfter(verb: Verb, words: readonly string[], whole: boolean): readonly string[] {
  const specs = optionsOf(verb).map(({ flags, required }) => {
    const [name = '', value] = flags.split(' ');
    return { name, takes: value !== undefined, required };
  });
  const given = new Set<string>();
  const unknown: string[] = [];
  let operands = 0;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('--')) {
      operands += 1;
      continue;
    }
    const spec = specs.find(({ name }) => name === word);
    if (spec === undefined) unknown.push(`no option ${word}`);
    if (spec?.takes === true) at += 1;
    given.add(word);
  }
  const names = (verb.operands ?? []).map(([name]) => name);
  const least = names.filter((name) => name.startsWith('<')).length;
  const most = names.some((name) => name.includes('...')) ? Infinity : names.length;
  if (operands > most) unknown.push(`${operands} operands`);
  if (!whole) return unknown;
  if (operands < least) unknown.push(`${operands} operands`);
  const missing = specs.filter(({ name, required }) => required === true && !given.has(name));
  return [...unknown, ...missing.map(({ name }) => `without ${name}`)];
}

/** Where a shell takes a word as a program: at the begin of a line, behind a pipe, or behind runuser's options. */
const typed = /(?:^ *|\| |&& |\$\(|-- (?:env \S+ )?)(?:[\w./]+\/)?jetway( [a-z].*)$/gm;

/** The ends of lines behind `jetway`, of blocks for a shell. */
function typedIn(text: string): readonly string[] {
  return [...text.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].flatMap(([, block = '']) =>
    [...block.replaceAll(/\\\n/g, ' ').matchAll(typed)].map(([, end = '']) => end),
  );
}

/** The same of commands that a text names in backticks. */
function namedIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^ *```[^]*?^ *```$/gm, '');
  return [...prose.matchAll(/`(?:[^`\n]* )?jetway( [a-z][^`\n]*)`/g)].map(([, end = '']) => end);
}

describe('a command that a page', () => {
  test('tells to type is whole, and one of the program’s', () => {
    const faults = pages.flatMap((page) =>
      typedIn(read(page)).flatMap((end) =>
        faultsOf(wordsOf(end), true).map((fault) => `${page}: jetway${end}: ${fault}`),
      ),
    );
    assert.deepEqual(faults, []);
  });

  test('names has a verb and options of the program', () => {
    const faults = pages.flatMap((page) =>
      namedIn(read(page)).flatMap((end) =>
        faultsOf(wordsOf(end), false).map((fault) => `${page}: jetway${end}: ${fault}`),
      ),
    );
    assert.deepEqual(faults, []);
  });

  test('has wrong is seen', () => {
    const ends = typedIn(
      '```sh\nrunuser -u jetway -- jetway client ad --x\na | jetway show # y\nsystemctl stop jetway x\n```\n',
    );
    assert.deepEqual(ends, [' client ad --x', ' show # y']);
    assert.deepEqual(faultsOf(wordsOf(' client ad'), true), ['no verb client ad']);
    assert.deepEqual(faultsOf(wordsOf(' gateway add --nam x # why'), true), [
      'no option --nam',
      '1 operands',
      'without --programme',
      'without --name',
    ]);
    assert.deepEqual(faultsOf(wordsOf(' check a b | less'), true), []);
  });
});
