// Owns complaints: the findings of checks across keys, and their conversion to faults of a file.

import { positionAt } from '../lib/document.ts';
import type { Fault, Path } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import type { YamlNode } from '../lib/yaml/node.ts';

/** The key at fault, the message, and how to mend it. */
export type Complaint = readonly [path: Path, message: string, hint?: string];

export function* wrong(
  ...rows: readonly (readonly [isWrong: boolean, ...Complaint])[]
): Iterable<Complaint> {
  for (const [isWrong, ...complaint] of rows) if (isWrong) yield complaint;
}

/** Turns a complaint into a fault at its key's position in the file. */
export function toFault(
  severity: Fault['severity'],
  document: YamlNode,
  [path, message, hint]: Complaint,
): Fault {
  const at = positionAt(document, path);
  return present({ severity, at, path: path.join('.'), message, hint });
}
