// Owns what the processes of one server say to each other.

import type { Description, Sample } from '../../lib/metrics/families.ts';
import type { Answering, Opened, Start } from '../answering.ts';
import type { Ending } from '../ending.ts';
import type { Look } from '../programme_folder.ts';
import type { Reading } from '../reload/reading.ts';
import type { ReloadOptions, ReloadReport } from '../reload/report.ts';
import type { StatusView } from '../status.ts';

/** A metric with its series, as plain data. */
export interface PlainFamily extends Description {
  readonly series: readonly Sample[];
}

/** What a worker is started with. */
export interface WorkerStart extends Start {
  /** Whether the server's log goes to a terminal. */
  readonly isTerminal: boolean;
}

/** A file that the worker was given before. */
export type LookName = Pick<Look, 'path' | 'digest'>;

/** A reading without the files that a worker has. */
export interface ReadingNews extends Omit<Reading, 'looks'> {
  readonly looks?: readonly (Look | LookName)[];
}

/** What a worker can be asked: as `Answering`, but for what would not be plain data, or too much of it. */
export interface WorkerVerbs extends Omit<Answering, 'lost' | 'metrics' | 'prepare' | 'status'> {
  readonly open: (start: WorkerStart) => Promise<Opened['outcomes']>;
  readonly metrics: () => Promise<readonly PlainFamily[]>;
  readonly prepare: (news: ReadingNews, options: ReloadOptions) => Promise<ReloadReport>;
  readonly status: () => Promise<StatusView>;
  /** Answers at once, as long as the event loop turns. */
  readonly turns: () => Promise<void>;
}

export type Verb = keyof WorkerVerbs;

/** To a worker. */
export interface Question {
  readonly question: number;
  readonly verb: Verb;
  readonly args: readonly unknown[];
}

/** From a worker: that it can be asked; an answer; or why it ends by itself. */
export type FromWorker =
  | { readonly hello: true }
  | { readonly answer: number; readonly result: unknown }
  | { readonly answer: number; readonly failure: Ending }
  | { readonly lost: Ending };

export function keyOfLook({ path, digest }: LookName): string {
  return `${path} ${digest}`;
}
