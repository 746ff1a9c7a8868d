// Owns complaints: the findings of checks across keys, and their conversion to faults of a file.

import { positionAt } from '../lib/document.ts';
import { errorAt, type Fault, type Path, warningAt } from '../lib/fault.ts';
import type { YamlNode } from '../lib/yaml/node.ts';

/** The key at fault, the message, and how to mend it. */
export type Complaint = readonly [path: Path, message: string, hint?: string];

export function* wrong(
  ...rows: readonly (readonly [isWrong: boolean, ...Complaint])[]
): Iterable<Complaint> {
  for (const [isWrong, ...complaint] of rows) if (isWrong) yield complaint;
}

/** Turns a complaint into an error at its key's position in the file. */
export function toError(document: YamlNode, [path, ...words]: Complaint): Fault {
  return errorAt(positionAt(document, path), path, ...words);
}

/** Turns a complaint into a warning of that name. */
export function toWarning(name: string, document: YamlNode, [path, ...words]: Complaint): Fault {
  return warningAt(name, positionAt(document, path), path, ...words);
}
