// Owns reading the files of a running server: its configuration, programmes and certificates; and whether
// any of them has changed since.

import { type Config, readConfig } from '../../config/config.ts';
import { listProgrammeFiles } from '../../config/programme_files.ts';
import { readTls, tlsPaths, type TlsReading } from '../../config/tls.ts';
import { type Fault, orFaults } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import { stampOf } from '../../lib/read_file.ts';
import type { Look, ProgrammeFolder } from '../programmes/folder.ts';
import { followed } from '../settings.ts';
import type { ReloadOptions } from './report.ts';

/** The files as they were at one time; plain data. */
export interface Reading {
  /** Absent where it was not read or has faults. */
  readonly config?: Config;
  readonly tls: TlsReading;
  /** Absent where the folder cannot be read. */
  readonly looks?: readonly Look[];
  /** What keeps the configuration, a certificate or the folder as a whole from being taken up. */
  readonly faults: readonly Fault[];
  /** Those of the configuration that was read last, where it was not read now. */
  readonly standing: readonly Fault[];
}

export class ServerFiles {
  readonly #path: string;
  readonly #folder: ProgrammeFolder;
  #stamp: string;
  #tlsPaths: readonly string[];
  #configFaults: readonly Fault[] = [];

  /**
   * @param path of the configuration
   * @param folder as it was read at the start
   */
  constructor(path: string, folder: ProgrammeFolder, config: Config) {
    this.#path = path;
    this.#folder = folder;
    this.#tlsPaths = tlsPaths(config);
    this.#stamp = `${folder.stampAtRead()}\n${stampsOf(this.#tlsPaths)}`;
  }

  /** Undefined while programmes and certificates are as they were read last; else a text for each state. */
  change(): string | undefined {
    const stamp = `${this.#folder.stamp()}\n${stampsOf(this.#tlsPaths)}`;
    return stamp === this.#stamp ? undefined : stamp;
  }

  /**
   * @param current the configuration that is gone by
   */
  async read(
    current: Config,
    { filesAlone = false, dryRun = false }: Pick<ReloadOptions, 'filesAlone' | 'dryRun'>,
  ): Promise<Reading> {
    const faults: Fault[] = [];
    const config = filesAlone ? undefined : orFaults(faults, () => readConfig(this.#path));
    const standing = filesAlone ? this.#configFaults : [];
    if (!filesAlone && !dryRun) this.#configFaults = [...faults];
    const next = config === undefined ? current : followed(current, config);
    const paths = tlsPaths(next);
    const certificates = stampsOf(paths);
    const tls = readTls(next);
    faults.push(...tls.faults.filter(({ severity }) => severity === 'error'));
    const files = orFaults(faults, () => listProgrammeFiles(this.#folder.path));
    const looks = files && (await this.#folder.read(files));
    if (!dryRun) {
      const folder = looks === undefined ? this.#folder.stamp() : this.#folder.stampAtRead();
      this.#stamp = `${folder}\n${certificates}`;
      this.#tlsPaths = paths;
    }
    return present({ config, tls, looks, faults, standing });
  }
}

function stampsOf(paths: readonly string[]): string {
  return paths.map((path) => `${path} ${stampOf(path)}`).join('\n');
}
