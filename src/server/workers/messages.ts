// Owns what the processes of one server say to each other.

import type { Description, Family, Sample } from '../../lib/metrics/families.ts';
import type { Ending } from '../ending.ts';
import type { Asked, Start } from '../server.ts';

/** A metric with its series, as plain data. */
export interface PlainFamily extends Description {
  readonly series: readonly Sample[];
}

export function plainFamily({ samples, ...description }: Family): PlainFamily {
  return { ...description, series: [...samples()] };
}

/** What a worker is started with. */
export interface WorkerStart extends Start {
  /** Whether the server's log goes to a terminal. */
  readonly isTerminal: boolean;
}

/** What a worker can be asked: as a server, but for what is no plain data. */
export interface WorkerVerbs extends Omit<Asked, 'lost' | 'outcomes' | 'metrics'> {
  /** Opens the server; resolves to what became of each programme's file. */
  readonly open: (start: WorkerStart) => Promise<Asked['outcomes']>;
  readonly metrics: () => Promise<readonly PlainFamily[]>;
  /** Answers at once, as long as the event loop turns. */
  readonly turns: () => Promise<void>;
}

export type Verb = keyof WorkerVerbs;
export type Args<Name extends Verb> = Parameters<WorkerVerbs[Name]>;
export type Result<Name extends Verb> = Awaited<ReturnType<WorkerVerbs[Name]>>;

/** To a worker. */
export interface Question {
  readonly question: number;
  readonly verb: Verb;
  readonly args: readonly unknown[];
}

/** From a worker: that it can be asked; why it still waits for its store; an answer; or why it ends by itself. */
export type FromWorker =
  | { readonly hello: true }
  | { readonly away: string }
  | { readonly answer: number; readonly result: unknown }
  | { readonly answer: number; readonly failure: Ending }
  | { readonly lost: Ending };
