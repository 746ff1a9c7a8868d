// Owns the test that the rules which sources and tests cite stand in docs/rules.md, each with a test.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const root = join(import.meta.dirname, '../..');

/** `G-14`, `HOSTILE 26`, `FAULTS 10, 11 and 13`, `HOSTILE 23 to 31`. */
const citation =
  /\b[CGP]-[0-9]{1,2}\b|\b(HOSTILE|FAULTS) ([0-9]+(?:(?:,| to| and|, and) [0-9]+)*)\b/g;

/** The rules that a text names, ranges and lists written out. */
function rulesIn(text: string): readonly string[] {
  return [...text.matchAll(citation)].flatMap(([all, table, numbers]) =>
    table === undefined || numbers === undefined
      ? [all]
      : numbers.split(/, and |, | and /).flatMap((part) => {
          const [first = 0, last = first] = part.split(' to ').map(Number);
          return Array.from({ length: last - first + 1 }, (_, step) => `${table} ${first + step}`);
        }),
  );
}

function citedIn(pattern: string): ReadonlyMap<string, string> {
  const places = globSync(pattern, { cwd: root })
    .filter((path) => !path.endsWith('docs/rules.test.ts'))
    .flatMap((path) =>
      rulesIn(readFileSync(join(root, path), 'utf8')).map((rule) => [rule, path] as const),
    );
  return new Map(places);
}

/** Each row of the tables: the rule, what holds, and the source. */
function rows(): readonly (readonly string[])[] {
  return readFileSync(join(root, 'docs/rules.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| (?:[CGP]-|HOSTILE|FAULTS)/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

describe('docs/rules.md', () => {
  const known = new Set(rows().map(([rule = '']) => rule));

  test('says each rule once, in a sentence, with its source', () => {
    assert.equal(known.size, rows().length);
    for (const [rule = '', sentence = '', source = '', ...more] of rows()) {
      assert.match(sentence, /^[A-Z`][^|]{20,}\.$/, rule);
      assert.ok(source.length > 3 && more.length === 0, rule);
    }
  });

  test('has every rule that sources, tests, scripts and decisions cite', () => {
    const cited = citedIn(
      '{src,test,scripts,docs/decisions}/**/*.{ts,md,yaml,transcript,session,cases}',
    );
    assert.deepEqual(
      [...cited].filter(([rule]) => !known.has(rule)),
      [],
    );
  });

  test('has no rule without a test that names it', () => {
    const tested = citedIn('test/**/*.{ts,transcript,session,cases}');
    assert.deepEqual(
      [...known].filter((rule) => !tested.has(rule)),
      [],
    );
  });

  test('ranges and lists of citations are written out', () => {
    assert.deepEqual(rulesIn('HOSTILE 3, 9 to 11 and 14; FAULTS 5, do; G-2, P-256'), [
      'HOSTILE 3',
      'HOSTILE 9',
      'HOSTILE 10',
      'HOSTILE 11',
      'HOSTILE 14',
      'FAULTS 5',
      'G-2',
    ]);
  });
});
