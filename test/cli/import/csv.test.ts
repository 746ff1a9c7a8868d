// Tests of the CSV reader against RFC 4180, and of the places it tells.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parseCsv } from '../../../src/cli/import/csv.ts';
import { cpuTimeOf } from '../../support/usage.ts';

function read(text: string): unknown {
  const { records, faults } = parseCsv('a.csv', text);
  assert.deepEqual(faults, []);
  return records.map((record) => record.map((value) => value.text).join('|'));
}

describe('csv', () => {
  test('reads what RFC 4180 allows', () => {
    /** The fields of each record, with `|` between. */
    const texts = [
      ['', []],
      ['a,b\n', ['a|b']],
      ['a,b\r\nc,d', ['a|b', 'c|d']],
      ['a,\n,b\n', ['a|', '|b']],
      ['a,', ['a|']],
      [' a , b', [' a | b']],
      ['"a","b,c"\r\n', ['a|b,c']],
      ['"a ""b""",""\n', ['a "b"|']],
      ['"two\r\nlines",x\n', ['two\r\nlines|x']],
      ['\uFEFFa\n\n\r\nb\n', ['a', 'b']],
      ['""""\n', ['"']],
      ['a;b\n"1;2";3,4\n', ['a|b', '1;2|3,4']],
      ['a\tb\n1,5\t;\n', ['a|b', '1,5|;']],
      ['a,b;c\n1;2,3\n', ['a|b;c', '1;2|3']],
      ['a\n1;2\n', ['a', '1;2']],
    ] as const;
    for (const [text, expected] of texts) assert.deepEqual(read(text), expected, text);
  });

  test('knows the place of each value, inside its quotes', () => {
    const { records } = parseCsv('a.csv', 'a,"b",c\r\n"x\ny",zwölf,"q"\r\n');
    assert.deepEqual(
      records.map((record) => record.map(({ at }) => `${at.line}:${at.column}`).join(' ')),
      ['1:1 1:4 1:7', '2:2 3:4 3:11'],
    );
  });

  test('tells what it does not allow, at its place, and reads the next line', () => {
    const faults = [
      ['a,b"c\nd\n', '1:4', /must stand in quotes/, [['d']]],
      ['"a"b\nc\n', '1:4', /must follow a closing quote/, [['c']]],
      ['x\n"a,b\nc\n', '2:1', /never closed/, [['x']]],
      ['a\rb\n', '1:2', /lone carriage return/, []],
      ['a\0\n', '1:2', /NUL/, []],
      ['a\uFFFD\n', '1:2', /U\+FFFD/, []],
    ] as const;
    for (const [text, place, message, expected] of faults) {
      const { records, faults: found } = parseCsv('a.csv', text);
      const [fault] = found;
      assert.ok(fault && found.length === 1, text);
      assert.deepEqual([`${fault.at.line}:${fault.at.column}`, fault.at.file], [place, 'a.csv']);
      assert.match(fault.message, message);
      assert.deepEqual(
        records.map((record) => record.map((value) => value.text)),
        expected,
      );
    }
  });

  test('is done with a large text, all in quotes, in no time', () => {
    const text = `"${'""'.repeat(2_000_000)}"\n`.repeat(2);
    const took = cpuTimeOf(() => assert.equal(parseCsv('a.csv', text).records.length, 2));
    assert.ok(took < 20_000);
  });
});
