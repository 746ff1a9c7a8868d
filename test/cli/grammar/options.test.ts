// Owns the promises of an option's row: how its value is read, and what it is refused with or without.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Option } from 'commander';

import {
  type Bond,
  duration,
  type Operand,
  option,
  type OptionSpec,
  readOptions,
} from '../../../src/cli/grammar/options.ts';
import { verbs } from '../../../src/cli/program.ts';
import { milliseconds } from '../../../src/lib/clock.ts';

const rows: readonly (readonly [name: string, row: OptionSpec])[] = [
  [
    'wait',
    option('--wait <duration>', 'how long', {
      value: duration(
        { least: milliseconds(1000), most: milliseconds(60_000) },
        'a duration from 1s to 1m',
        '; --now is at once',
      ),
    }),
  ],
  ['now', option('--now', 'at once', { excludes: [['wait', 'kid'], '--now goes alone'] })],
  ['kid', option('--kid <kid>', 'of this key', { excludes: [['now'], '--now goes alone'] })],
  ['force', option('--force', 'all the same', { needs: [['kid', 'now'], '--force needs a key'] })],
  ['kind', option('--kind <kind>', 'its kind', { excludes: [['force'], 'not of one', 'one'] })],
];

const operands: readonly Operand[] = [
  ['<file>', 'its file', [['force'], 'not to standard output', '-']],
];

function refusalOf(
  given: Readonly<Record<string, unknown>>,
  words: readonly string[] = [],
  asks?: Bond,
): string {
  try {
    readOptions({ options: rows, operands, asks }, given, words);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
}

test('the value of an option is what its text means; a text without a meaning stays', () => {
  assert.deepEqual(readOptions({ options: rows }, { wait: '30s', kid: 'x' }), {
    wait: 30_000,
    kid: 'x',
  });
  for (const wait of ['1s', '1m']) assert.equal(refusalOf({ wait }), '');
  for (const wait of ['999ms', '61s', 'soon', ''])
    assert.equal(
      refusalOf({ wait }),
      `--wait must be a duration from 1s to 1m, not ${JSON.stringify(wait)}; --now is at once`,
    );
});

test('all that is wrong with options is told at once, and what two rows say alike once', () => {
  assert.equal(refusalOf({ now: true, kid: 'x' }), '--now goes alone');
  assert.equal(
    refusalOf({ now: true, wait: 'x' }),
    '--now goes alone\n--wait must be a duration from 1s to 1m, not "x"; --now is at once',
  );
});

test('an option that needs others is refused without any, and is taken with one of them', () => {
  assert.equal(refusalOf({ force: true }), '--force needs a key');
  assert.equal(refusalOf({ force: true, now: true }), '');
  assert.equal(refusalOf({ force: true, kid: 'x' }), '');
});

test('an option may exclude others at one of its values alone', () => {
  assert.equal(refusalOf({ kind: 'one', force: true, kid: 'x' }), 'not of one');
  assert.equal(refusalOf({ kind: 'two', force: true, kid: 'x' }), '');
});

test('an operand may exclude options at one of its values alone', () => {
  const given = { force: true, kid: 'x' };
  assert.equal(refusalOf(given, ['-']), 'not to standard output');
  assert.equal(refusalOf(given, ['file']), '');
  assert.deepEqual(readOptions({ options: rows, operands }, given, ['file']), given);
});

test('of some options and operands one at least must be given', () => {
  for (const [given, words, told] of [
    [{}, [], 'name one'],
    [{}, ['x'], ''],
    [{ kid: 'x' }, [], ''],
    [{ kid: 'x' }, ['x'], ''],
  ] as const) {
    assert.equal(refusalOf(given, words, [['file', 'kid'], 'name one']), told);
  }
});

test('what the row of an option or operand needs or excludes is one of the same verb', () => {
  for (const { words, options = [], operands: own = [], asks } of verbs) {
    const names = new Set([
      ...options.map(({ flags }) => new Option(flags).attributeName()),
      ...own.map(([name]) => name.replaceAll(/[^\w-]/g, '')),
    ]);
    const tied = [
      asks?.[0] ?? [],
      ...options.flatMap(({ needs, excludes }) => [needs?.[0] ?? [], excludes?.[0] ?? []]),
      ...own.map(([, , excludes]) => excludes?.[0] ?? []),
    ];
    const strange = tied.flat().filter((name) => !names.has(name));
    assert.deepEqual(strange, [], words);
  }
});
