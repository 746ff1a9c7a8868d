// Owns what a check across keys finds: a complaint, and the fault that it becomes in a file.

import { positionAt } from '../lib/document.ts';
import type { Fault, Path } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import type { YamlNode } from '../lib/yaml/node.ts';

/** What is wrong at which key, and what to do about it. */
export type Complaint = readonly [path: Path, message: string, hint?: string];

/** The complaints whose condition is true. */
export function* wrong(
  ...rows: readonly (readonly [isWrong: boolean, ...Complaint])[]
): Iterable<Complaint> {
  for (const [isWrong, ...complaint] of rows) if (isWrong) yield complaint;
}

/** A complaint as a fault at its key's place in a file. */
export function toFault(
  severity: Fault['severity'],
  document: YamlNode,
  [path, message, hint]: Complaint,
): Fault {
  const at = positionAt(document, path);
  return present({ severity, at, path: path.join('.'), message, hint });
}
