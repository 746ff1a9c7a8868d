// Owns `npm start`: brings dist/jetway up to date and becomes `jetway dev`.

import { buildIfStale } from './build.ts';

const executable = await buildIfStale();

// The process is replaced, not wrapped: signals, exit code and terminal are the executable's own.
process.execve?.(executable, [executable, 'dev', ...process.argv.slice(2)], process.env);
throw new Error(`this platform cannot replace a process; run ${executable} dev`);
