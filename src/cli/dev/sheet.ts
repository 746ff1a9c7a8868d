// Owns what `dev` prints when it has started: where to look, and what to log in with.

import { relative } from 'node:path';
import { isSea } from 'node:sea';

import type { Demo } from '../../http/demo/demo.ts';

/** The sheet: short, with the address to open at its end. */
export function startSheet(base: string, demos: readonly Demo[]): string {
  const [first] = demos;
  return [
    `Jetway dev: ${demos.map(({ programme }) => programme.name).join(', ')}.`,
    'Everything is kept in memory and gone when it stops (Ctrl-C).',
    ...demos.flatMap(({ programme, dialect, by, member }) => [
      '',
      `${programme.name} (${programme.id}): ${dialect}, at ${base}${programme.basePath}`,
      `  client ${by.client.id}  secret ${by.secret}`,
      `  member ${member.username}  password ${member.password}`,
    ]),
    '',
    `Commands for curl, one for every grant and error: ${ownName()} dev --commands ${first?.programme.id ?? 'NAME'}`,
    `Ready. Click through it all in a browser: ${base}/`,
  ].join('\n');
}

/** How the running program is called from here. */
function ownName(): string {
  const path = isSea() ? relative(process.cwd(), process.execPath) : '';
  return path === '' || path.startsWith('..') ? 'jetway' : path;
}
