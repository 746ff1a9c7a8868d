// Owns the check that faults stand somewhere: in the file that was read, or in a built-in variant.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { type Fault, formatFault } from '../../../src/lib/fault.ts';

/** Each fault stands at a line and column that the file it names has. */
export function assertPlaced(
  faults: readonly Fault[],
  own: { readonly file: string; readonly text: string },
): void {
  const texts = new Map([[own.file, own.text.replace(/^\uFEFF/, '').split('\n')]]);
  for (const fault of faults) {
    const { file, line, column } = fault.at;
    assert.ok(file === own.file || /^src\/variants\/[a-z-]+\.yaml$/.test(file), formatFault(fault));
    const lines = texts.get(file) ?? readFileSync(file, 'utf8').split('\n');
    texts.set(file, lines);
    const text = lines[line - 1];
    const isInside = text !== undefined && column >= 1 && column <= text.length + 1;
    assert.ok(isInside, `outside the file: ${formatFault(fault)}`);
    assert.notEqual(fault.message, '');
  }
}
