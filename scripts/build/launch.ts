// Owns the executable's first code: it clears the environment, and runs the bundle unless only the version is
// asked for, which most of the bundle's start would be for nothing.

import { getAsset, getRawAsset } from 'node:sea';
import { Script } from 'node:vm';

import { codeCacheAsset, programAsset, versionAsset } from './program_assets.ts';

/** Variables that node reads, except those that node sets for its child processes. */
const nodesOwn = /^NODE_(?!(?:CHANNEL_FD|CHANNEL_SERIALIZATION_MODE|UNIQUE_ID)$)/;

/**
 * Restarts the executable without the variables that node reads, if any is set: they can print
 * secrets, add certificate authorities or write files (HOSTILE 61).
 */
function refuseEnvironment(): void {
  const all = Object.entries(process.env);
  const others = all.filter(([name]) => !nodesOwn.test(name));
  if (others.length === all.length) return;
  if (process.env['LISTEN_PID'] === String(process.pid)) refuseSockets(all);
  const { execPath, argv } = process;
  process.execve?.(execPath, [execPath, ...argv.slice(2)], Object.fromEntries(others));
}

/** Node has the sockets of a service manager closed by now for whatever it starts. */
function refuseSockets(all: readonly (readonly [string, unknown])[]): never {
  const names = all.map(([name]) => name).filter((name) => nodesOwn.test(name));
  process.stderr.write(
    `sockets that were handed down (LISTEN_FDS) cannot be kept beside ${names.join(', ')} in the environment: take that out (UnsetEnvironment= of the unit)\n`,
  );
  process.exit(3);
}

/** Modules of node that most starts do without, and those that load them. */
const late: ReadonlySet<string> = new Set(
  ['child_process', 'cluster', 'dns', 'https', 'readline', 'tls', 'worker_threads'].flatMap(
    (name) => [name, `node:${name}`],
  ),
);

/** The program's `require`. Of a late module it gives what has the module's exports from their first use on. */
function moduleOf(id: string): unknown {
  if (!late.has(id)) return process.getBuiltinModule(id);
  const module = {};
  const get = (_absent: object, key: PropertyKey): unknown => {
    const loaded = process.getBuiltinModule(id) as object;
    Object.setPrototypeOf(module, Object.prototype);
    Object.defineProperties(module, Object.getOwnPropertyDescriptors(loaded));
    return Reflect.get(module, key);
  };
  return Object.setPrototypeOf(module, new Proxy({}, { get }));
}

function runProgram(): void {
  // ASCII alone (bundle.ts), which as UTF-8 would be looked through first.
  const source = Buffer.from(getRawAsset(programAsset)).toString('latin1');
  // V8 compiles the source as usual if it refuses the cache.
  const program = new Script(source, {
    filename: programAsset,
    cachedData: new Uint8Array(getRawAsset(codeCacheAsset)),
  });
  const run = program.runInThisContext() as (require: (id: string) => unknown) => void;
  run(moduleOf);
}

refuseEnvironment();
const [, , asked, more] = process.argv;
if (asked === '--version' && more === undefined)
  process.stdout.write(getAsset(versionAsset, 'utf8'));
else runProgram();
