// Owns which variables of the environment reach node in the executable. Those that node reads by itself
// can print secrets, believe other authorities or write files, and none of them is documented as ours.

import { isSea } from 'node:sea';

/** Node sets these for processes that it starts itself. */
const needed: ReadonlySet<string> = new Set([
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_UNIQUE_ID',
]);

function isNodes(name: string): boolean {
  return name.startsWith('NODE_') && !needed.has(name);
}

/** Starts the executable anew without node's variables, where there are any (HOSTILE 61). */
export function refuseEnvironment(): void {
  if (!isSea() || !Object.keys(process.env).some(isNodes)) return;
  const kept = Object.entries(process.env).filter(([name]) => !isNodes(name));
  const { execPath, argv } = process;
  process.execve?.(execPath, [execPath, ...argv.slice(2)], Object.fromEntries(kept));
}
