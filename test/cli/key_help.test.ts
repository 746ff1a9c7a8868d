// Owns the promise that `jetway help key` knows every key; what it says is in key_help.session.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keyHelp } from '../../src/cli/key_help.ts';
import { configSchema } from '../../src/config/config.ts';
import { definitionSchema } from '../../src/language/definition.ts';
import { keysOf } from '../../src/schema/keys.ts';

test('every key of a programme file and of the configuration has its help', () => {
  for (const { path, entry } of [definitionSchema, configSchema].flatMap(keysOf)) {
    const { text = '', departs = [] } = entry.docs ?? {};
    const start = text.replaceAll(/\[([^\]]+)\]\(#[^)]*\)/g, '$1');
    const lines = departs.map(({ name, message }) => `Departure \`${name}\`: ${message}.`);
    const words = [start, ...lines].join('\n');
    assert.ok(keyHelp(path).startsWith(`${path}\n\n${words}\n\n`), path);
  }
});
