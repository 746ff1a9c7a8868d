// Owns the last good version of each programme's file, in a folder of this machine: a server that starts
// while a file is broken serves that version (FAULTS 16). Credentials are never copied.

import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { rename, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';

import type { Config } from '../../config/config.ts';
import { programmeFileOf, shownPath } from '../../config/programme_files.ts';
import type { Log } from '../../engine/service.ts';
import type { Instant } from '../../lib/clock.ts';
import { makeFolder } from '../../lib/make_folder.ts';
import { type FileRead, readSourceFile, UnreadableFile } from '../../lib/read_file.ts';
import { type Look, lookOf } from './folder.ts';

/** A version as it is kept. Its file's name tells the programme, the path and the digest. */
interface Kept {
  /** Of the programme's file. */
  readonly path: string;
  /** Since when it is served. */
  readonly since: Instant;
  /** The programme's file first, then its logos; by their names in the folder, in base64. */
  readonly files: readonly (readonly [name: string, bytes: string])[];
}

/** A version that is served. */
interface Version {
  readonly look: Look;
  readonly since: Instant;
}

/** Characters of a digest in a name. */
const shownDigits = 16;

/** Where a server of the configuration keeps versions: what systemd names, or else beside the control socket. */
export function lastGoodFolder({ control }: Pick<Config, 'control'>): string {
  const [state = ''] = (process.env['STATE_DIRECTORY'] ?? '').split(':');
  return state === '' ? `${control.replace(/\.control$/, '')}.served` : join(state, 'served');
}

export class LastGood {
  readonly #folder: string;
  readonly #log: Log;
  #done: Promise<void> = Promise.resolve();

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** The version of a programme's file that was kept last, if the present language still reads it. */
  find(path: string): Look | undefined {
    const ages = this.#namesFor(path).map(
      (name) => [name, ageOf(join(this.#folder, name))] as const,
    );
    for (const [name] of ages.toSorted(([, one], [, other]) => one - other)) {
      const look = readKept(join(this.#folder, name));
      // What was cut off or changed is no version that was served.
      if (look?.file.loaded !== undefined && nameOf(look) === name) return look;
    }
    return undefined;
  }

  /** Of those files that are there and cannot be loaded, the versions that are served in their place. */
  standIns(looks: readonly Look[]): readonly Look[] {
    const broken = looks.filter(({ file }) => file.loaded === undefined);
    return broken.flatMap(({ path }) => this.find(path) ?? []);
  }

  /** Keeps versions in place of former ones of the same paths. Never rejects: a server serves without it. */
  keep(versions: readonly Version[]): Promise<void> {
    return this.#next(async () => {
      makeFolder(this.#folder, 0o700);
      const there = new Set(readdirSync(this.#folder));
      for (const name of there)
        if (isLeft(name)) await unlink(join(this.#folder, name)).catch(() => undefined);
      for (const one of versions) if (!there.has(nameOf(one.look))) await this.#put(one);
    });
  }

  /** Forgets the versions of all files of a folder but these. */
  prune(folder: string, paths: readonly string[]): Promise<void> {
    const kept = new Set(paths.map(pathDigest));
    return this.#next(async () => {
      for (const name of namesIn(this.#folder)) {
        const [, path = ''] = name.split('.');
        if (kept.has(path)) continue;
        const version = parseKept(join(this.#folder, name));
        if (version !== undefined && dirname(version.path) === resolve(folder)) {
          await unlink(join(this.#folder, name));
        }
      }
    });
  }

  /** Resolves once nothing is being written. */
  idle(): Promise<void> {
    return this.#done;
  }

  async #put({ look, since }: Version): Promise<void> {
    const files = readAgain(look);
    if (files === undefined) return;
    const path = join(this.#folder, nameOf(look));
    const former = this.#namesFor(look.path);
    const text = JSON.stringify({ path: resolve(look.path), since, files } satisfies Kept);
    const unfinished = `${path}.${process.pid}`;
    await writeFile(unfinished, text, { mode: 0o600, flush: true });
    await rename(unfinished, path);
    for (const name of former) await unlink(join(this.#folder, name)).catch(() => undefined);
  }

  #namesFor(path: string): readonly string[] {
    const start = `${basename(path, '.yaml')}.${pathDigest(path)}.`;
    return namesIn(this.#folder).filter((name) => name.startsWith(start));
  }

  #next(task: () => Promise<void>): Promise<void> {
    this.#done = this.#done.then(task).catch((error: unknown) => {
      this.#log.error('last_version_not_kept', { detail: String(error) });
    });
    return this.#done;
  }
}

function nameOf({ id, path, servedDigest }: Look): string {
  return `${id}.${pathDigest(path)}.${servedDigest.slice(0, shownDigits)}.json`;
}

/** Whether a process that has ended left a version unfinished; this one writes one after the other. */
function isLeft(name: string): boolean {
  const [, writer] = /\.json\.(\d+)$/.exec(name) ?? [];
  if (writer === undefined) return false;
  try {
    return Number(writer) === process.pid || !process.kill(Number(writer), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function pathDigest(path: string): string {
  return hash('sha256', resolve(path)).slice(0, shownDigits);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

/** Milliseconds since it was written; of a file that has gone meanwhile, more than of any other. */
function ageOf(path: string): number {
  const { mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return Date.now() - mtimeMs;
}

/** The files of a version; undefined if one of them has changed since: then the next reload keeps it. */
function readAgain({ path, sources }: Look): Kept['files'] | undefined {
  const files: (readonly [string, string])[] = [];
  for (const one of sources) {
    let bytes: Buffer;
    try {
      bytes = readFileSync(one.path);
    } catch {
      return undefined;
    }
    if (hash('sha256', bytes) !== one.digest) return undefined;
    files.push([relative(dirname(path), one.path), bytes.toString('base64')]);
  }
  return files;
}

/** A programme with its logos is far smaller. */
const mostKeptBytes = 64 * 1024 * 1024;

function parseKept(path: string): Kept | undefined {
  try {
    const value: unknown = JSON.parse(readSourceFile(path, mostKeptBytes));
    return isKept(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the folder holds may be anything: a disk, a hand or another program has written it (HOSTILE 54). */
function isKept(value: unknown): value is Kept {
  const { path, since, files } = Object(value) as Partial<Record<keyof Kept, unknown>>;
  const isFile = (one: unknown): boolean =>
    Array.isArray(one) && one.length === 2 && one.every((text) => typeof text === 'string');
  return (
    typeof path === 'string' &&
    typeof since === 'number' &&
    Array.isArray(files) &&
    files.every(isFile)
  );
}

function readKept(from: string): Look | undefined {
  const kept = parseKept(from);
  if (kept === undefined) return undefined;
  const { path } = kept;
  const files = new Map(kept.files.map(([name, text]) => [name, Buffer.from(text, 'base64')]));
  const [own] = files.values();
  if (own === undefined) return undefined;
  const file = programmeFileOf(shownPath(path), own.toString('utf8'), (name) => {
    const bytes = files.get(join(name));
    if (bytes === undefined) throw new UnreadableFile('does not exist');
    return bytes;
  });
  const sources = [...files].map(([name, bytes]): FileRead => ({
    path: join(dirname(path), name),
    stamp: '',
    digest: hash('sha256', bytes),
  }));
  return { ...lookOf(path, file, sources), since: kept.since };
}
