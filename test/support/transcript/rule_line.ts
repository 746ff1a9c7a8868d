// Owns holding a line that an explanation names against the file that it names.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import type { RuleLine } from '../../../src/server/why/explain.ts';

/** The line has the last key of its path, or of a default the nearest one above; or is a group of `errors`. */
export function assertWritten(
  { at, key, is_default: isDefault }: RuleLine,
  name: string,
  yaml: string,
): void {
  const [, file = '', line = '', column = ''] = /^(.*):(\d+):(\d+)$/.exec(at) ?? [];
  const text = file === `${name}.yaml` ? yaml : readFileSync(`src/${file}`, 'utf8');
  const written = text.split('\n')[Number(line) - 1]?.slice(Number(column) - 1) ?? '';
  const keys = key.split('.');
  const [, group] = /^(?:\{ )?reasons: (.*)/.exec(written) ?? [];
  if (key.startsWith('errors.reasons.') && group !== undefined) {
    assert.ok(
      group.startsWith('all') || group.includes(keys[2] ?? ''),
      `${key} at ${at}: ${written}`,
    );
    return;
  }
  const found = keys.findLastIndex(
    (one) => written.startsWith(one) || written.startsWith(`"${one}"`),
  );
  if (found < 0 && isDefault) {
    // Neither file nor variant has the section.
    assert.ok(!text.includes(`\n${keys[0] ?? ''}:`), `${key} is not at ${at}`);
    return;
  }
  assert.ok(found >= 0, `${key} is not at ${at}: ${written}`);
  assert.equal(found === keys.length - 1, !isDefault, `${key} at ${at}: ${written}`);
}
