// Owns what a worker is started with: the files that all workers have taken up, whatever became of those on
// the disk since.

import type { Config } from '../../config/config.ts';
import type { Listening, ServedVersion, Start, Taken, VersionName } from '../answering.ts';
import type { Look } from '../programme_folder.ts';
import type { Reading } from '../reload/reading.ts';
import type { ReloadReport } from '../reload/report.ts';
import { keyOfLook, type ReadingNews } from './messages.ts';

export class Provisions {
  #start: Start;
  #known: ReadonlySet<string>;
  #version = 0;

  constructor(start: Start) {
    this.#start = start;
    this.#known = new Set(start.looks.map(keyOfLook));
  }

  get start(): Start {
    return this.#start;
  }

  /** Another number after each reload. */
  get version(): number {
    return this.#version;
  }

  get config(): Config {
    return this.#start.config;
  }

  /** The first worker answers. */
  begun({ report, versions }: Listening): void {
    const { looks } = this.#start;
    // A time is accepted once.
    this.#start = { ...this.#start, acceptClock: false, former: former(looks, versions, report) };
  }

  /** Every worker has taken the reading up. */
  taken({ looks, tls }: Reading, { config, report, versions }: Taken): void {
    const { former: before } = this.#start;
    const all = [
      ...(looks ?? this.#start.looks),
      ...(before?.served ?? []).map(({ look }) => look),
    ];
    this.#start = {
      ...this.#start,
      config,
      tls: { ...this.#start.tls, ...tls },
      looks: looks ?? this.#start.looks,
      former: former(all, versions, report),
    };
    this.#known = new Set(this.#start.looks.map(keyOfLook));
    this.#version += 1;
  }

  /** The reading without what all workers have: to take files over costs them time. */
  newsOf(reading: Reading): ReadingNews {
    const { looks, ...rest } = reading;
    if (looks === undefined) return rest;
    const news = looks.map((look) =>
      this.#known.has(keyOfLook(look)) ? { path: look.path, digest: look.digest } : look,
    );
    return { ...rest, looks: news };
  }
}

function former(
  looks: readonly Look[],
  versions: readonly VersionName[],
  last: ReloadReport,
): NonNullable<Start['former']> {
  const served = versions.flatMap(({ programme, digest, since }): readonly ServedVersion[] => {
    const look = looks.find((one) => one.id === programme && one.digest === digest);
    return look === undefined ? [] : [{ look, since }];
  });
  return { served, last };
}
