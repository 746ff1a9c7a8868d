// Owns reading YAML for tests: its faults as printed.

import { formatFault } from '../../../src/lib/fault.ts';
import { parseYaml } from '../../../src/lib/yaml/yaml.ts';

/** All faults of a text as printed, and whether it has a root to check. */
export function read(text: string): {
  readonly faults: readonly string[];
  readonly rooted: boolean;
} {
  const { root, faults } = parseYaml('f', text);
  return { faults: faults.map(formatFault), rooted: root !== undefined };
}
