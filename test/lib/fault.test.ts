// Owns the check of how faults read.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  byPosition,
  errorAt,
  type Fault,
  FaultsError,
  formatFault,
  quote,
} from '../../src/lib/fault.ts';

const at = { file: 'a.yaml', line: 3, column: 5 };

test('a fault reads file:line:column: severity: message (hint)', () => {
  const fault = errorAt(at, ['clients', 0, 'id'], 'expected text', 'quote it');
  const printed = 'a.yaml:3:5: error: expected text (quote it)';
  assert.equal(formatFault(fault), printed);
  assert.equal(fault.path, 'clients.0.id');
  assert.equal(
    formatFault({ severity: 'warning', at, path: '', message: 'x' }),
    'a.yaml:3:5: warning: x',
  );
  assert.deepEqual(errorAt(at, [], 'x'), { severity: 'error', at, path: '', message: 'x' });
  const thrown = new FaultsError([fault, errorAt(at, [], 'x')]);
  assert.equal(String(thrown), `FaultsError: ${printed}\na.yaml:3:5: error: x`);
  assert.equal(thrown.faults.length, 2);
});

test('HOSTILE 66: a fault is one line, whatever a file of the folder is called', () => {
  const file = 'a\nb.yaml:1:1: error: x';
  const fault = errorAt({ ...at, file }, [], `"${file}" cannot name a programme`, file);
  const shown = String.raw`a\u{a}b.yaml:1:1: error: x`;
  assert.equal(
    formatFault(fault),
    `${shown}:3:5: error: "${shown}" cannot name a programme (${shown})`,
  );
});

test('faults sort by file, then by place', () => {
  const places: readonly (readonly [string, number, number])[] = [
    ['b', 1, 1],
    ['a', 10, 1],
    ['a', 9, 2],
    ['a', 9, 1],
  ];
  const faults = places.map(([file, line, column]): Fault => {
    return errorAt({ file, line, column }, [], '');
  });
  const sorted = faults.toSorted(byPosition).map((fault) => Object.values(fault.at).join(':'));
  assert.deepEqual(sorted, ['a:9:1', 'a:9:2', 'a:10:1', 'b:1:1']);
});

test('HOSTILE 51: quoted text stays on its line, short, and shows what does not show', () => {
  assert.equal(quote('a"b'), '"a\\"b"');
  assert.equal(quote('a\nb\u001b\u009b\u202e\u2028'), '"a\\nb\\u001b\\u{9b}\\u{202e}\\u{2028}"');
  assert.equal(quote('x'.repeat(61)), `"${'x'.repeat(60)}…"`);
});
