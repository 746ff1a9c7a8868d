// Owns what tests take out of the pages of docs/, so that what a page shows is what was run.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fenced block whose first line is `# name`, or a comment of another sign, as it stands. */
export function blockNamed(name: string, page = 'gateways.md', sign = '#'): string {
  const found = readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8')
    .split(/^```/m)
    .map((part) => part.slice(part.indexOf('\n') + 1))
    .filter((part) => part.startsWith(`${sign} ${name}\n`));
  const [block] = found;
  assert.ok(block !== undefined && found.length === 1, `docs/${page} has one block of ${name}`);
  return block;
}

/** Puts what this run has in place of what the page names; every name must be there. */
export function filledIn(block: string, values: readonly (readonly [string, string])[]): string {
  return values.reduce((text, [name, value]) => {
    assert.ok(text.includes(name), `the page no longer says ${name}`);
    return text.replaceAll(name, value);
  }, block);
}
