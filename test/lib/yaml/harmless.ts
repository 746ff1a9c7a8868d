// Owns holding hostile text to what it may do: be read quickly, or be refused in its own lines.

import assert from 'node:assert/strict';

import { type ParsedYaml, parseYaml } from '../../../src/lib/yaml/yaml.ts';
import { cpuTimeOf } from '../../support/usage.ts';

export function assertHarmless(text: string, name: string): void {
  const { root, faults } = readQuickly(text, name);
  assert.ok(root !== undefined || faults.length > 0, name);
  const inside = text.split('\n');
  for (const { at, message, severity } of faults) {
    const line = inside[at.line - 1];
    assert.ok(line !== undefined && at.column >= 1 && at.column <= line.length + 1, name);
    assert.equal(severity, 'error');
    assert.match(message, /^[^\n\p{Cc}]+$/u, name);
    assert.doesNotMatch(message, /cannot be read as YAML/, name);
  }
}

/** Reads a text within some seconds of the processor's time. */
function readQuickly(text: string, name: string): ParsedYaml {
  let parsed: ParsedYaml | undefined;
  const took = cpuTimeOf(() => {
    parsed = parseYaml('f', text);
  });
  assert.ok(parsed !== undefined && took < 4000, `${name} takes ${took} ms`);
  return parsed;
}
