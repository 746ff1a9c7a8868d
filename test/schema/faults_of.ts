// Owns what tests of faults share: a document read, and all faults of it against a schema, printed.

import assert from 'node:assert/strict';

import type * as v from 'valibot';

import { formatFault } from '../../src/lib/fault.ts';
import { parseYaml, type YamlNode } from '../../src/lib/yaml/yaml.ts';
import { validate } from '../../src/schema/faults.ts';

export function read(text: string, file = 'f'): YamlNode {
  const { root, faults } = parseYaml(file, text);
  assert.deepEqual(faults, []);
  assert.ok(root);
  return root;
}

/** All faults as `place [path]: message`. */
export function faultsOf(schema: v.GenericSchema, text: string): readonly string[] {
  return validate(schema, read(text)).faults.map((fault) => {
    const printed = formatFault(fault).replace(/^f:/, '');
    return fault.path === '' ? printed : printed.replace(' error', ` [${fault.path}]`);
  });
}
