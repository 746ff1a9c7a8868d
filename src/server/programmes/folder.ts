// Owns what a server knows of its folder of programmes: each file as it was read last, and whether
// anything that was read for it has changed since.

import { hash } from 'node:crypto';
import { basename } from 'node:path';

import { type ServableFile, withCredentials } from '../../config/directory_credentials.ts';
import {
  listProgrammeFiles,
  type ProgrammeFile,
  readProgrammeFile,
} from '../../config/programme_files.ts';
import type { Instant } from '../../lib/clock.ts';
import { FaultsError, spellOut } from '../../lib/fault.ts';
import { pause } from '../../lib/pause.ts';
import { type FileRead, noteReads, stampOf } from '../../lib/read_file.ts';
import type { ProgrammeId } from '../../oauth/client.ts';

/** A programme file as it was read, with its logos and the credentials of its member directory. */
export interface Look {
  readonly id: ProgrammeId;
  readonly path: string;
  readonly file: ServableFile;
  /** SHA-256 of the file itself, in hex. */
  readonly fileDigest: string;
  /** Differs where the file or a logo of it differs; the same wherever the folder lies. */
  readonly servedDigest: string;
  /** Differs where the file, a logo or a credential of it differs. */
  readonly digest: string;
  /** The file itself and its logos. */
  readonly sources: readonly FileRead[];
  /** The same, and its credentials. */
  readonly reads: readonly FileRead[];
  /** Since when it was served; of a last good version alone. */
  readonly since?: Instant;
}

export class ProgrammeFolder {
  readonly path: string;
  readonly #looks = new Map<string, Look>();

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Another text whenever a file was added, changed or removed, or the folder cannot be read. The folder
   * is asked, not watched: notices do not come from network file systems, and get lost where links and
   * mounts change.
   */
  stamp(): string {
    try {
      const paths = listProgrammeFiles(this.path);
      return this.#describe(paths, ({ path }) => stampOf(path));
    } catch (error) {
      if (!(error instanceof FaultsError)) throw error;
      return error.message;
    }
  }

  /** What `stamp` would have told at the time of the last `read`. */
  stampAtRead(): string {
    return this.#describe([...this.#looks.keys()], ({ stamp }) => stamp);
  }

  #describe(paths: readonly string[], stamp: (read: FileRead) => string): string {
    const lines = (path: string): readonly string[] =>
      (this.#looks.get(path)?.reads ?? []).map((read) => `${read.path} ${stamp(read)}`);
    return paths.flatMap((path) => [path, ...lines(path)]).join('\n');
  }

  /**
   * All files in order of name; reads only those that have changed, and gives way after each.
   * @param paths as `listProgrammeFiles` finds them
   * @throws FaultsError where the folder cannot be read
   */
  async read(paths = listProgrammeFiles(this.path)): Promise<readonly Look[]> {
    const former = new Map(this.#looks);
    // In order of name again, as new files are among them.
    this.#looks.clear();
    for (const path of paths) {
      const known = former.get(path);
      const isSame = known?.reads.every((read) => stampOf(read.path) === read.stamp);
      this.#looks.set(path, isSame === true && known !== undefined ? known : lookAt(path));
      if (isSame !== true) await pause();
    }
    return [...this.#looks.values()];
  }
}

function lookAt(path: string): Look {
  const { result: file, reads } = noteReads(() => readProgrammeFile(path));
  return lookOf(path, file, reads);
}

/**
 * A file as it was read, with the credentials that it names as they are now.
 * @param sources what was read for it
 */
export function lookOf(path: string, read: ProgrammeFile, sources: readonly FileRead[]): Look {
  const { result: file, reads: secrets } = noteReads(() => withCredentials(read));
  // Also the name of a file that is none of a programme, which operators read (HOSTILE 66). A `*.yml`
  // keeps its ending: it is not the programme of the `*.yaml` beside it.
  const id = spellOut(basename(path, '.yaml')) as ProgrammeId;
  const reads = [...sources, ...secrets];
  const digest = hash('sha256', reads.map((one) => `${one.path} ${one.digest}`).join('\n'));
  const fileDigest = sources[0]?.digest ?? '';
  // The names of logos hold digests.
  const logos = [...(file.loaded?.logos.values() ?? [])].map(({ fileName }) => fileName);
  const servedDigest = hash('sha256', [fileDigest, ...logos].join('\n'));
  return { id, path, file, fileDigest, servedDigest, digest, sources, reads };
}
