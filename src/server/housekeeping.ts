// Owns the tasks that a server runs every second: checks and sweeps its store, reloads and
// renews keys, records its time, and watches the wall clock.

import type { Log, Service } from '../engine/service.ts';
import { admission } from '../http/admission.ts';
import { allowedDrift, type SystemClock } from '../lib/clock.ts';
import { pause } from '../lib/pause.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { Store } from '../store/contract.ts';
import type { PublishedKeys } from '../token/key_chest.ts';
import { type GuardedTask, guarded, type Task } from './guarded_task.ts';
import { renewTokenKey } from './keys/changes.ts';
import type { ServerLog } from './log_writer.ts';
import type { ServerNode } from './node.ts';
import { wallName } from './store_clock.ts';

export interface Housekeeping {
  readonly store: Store;
  readonly clock: SystemClock;
  /** Those that are served at the time. */
  readonly services: () => readonly Service[];
  readonly log: Log & Partial<Pick<ServerLog, 'info'>>;
  /** Records the time, and follows the store's other servers. */
  readonly keepTime: () => Promise<void>;
  /** The store for changes of keys; `store` if left out. */
  readonly keyRecords?: Store;
  /** Absent if no other process can open the store. */
  readonly node?: Pick<ServerNode, 'changes'>;
  /** Runs first in every round. */
  readonly checkStore?: () => void;
  /** Whether the log tells what an operator should mend at the store (`Keeping.warnings`). */
  readonly tellsWarnings?: boolean;
}

const roundInterval = 1000;
/** Few rows a step, so that sweeping never delays a request noticeably. */
const rowsPerStep = 500;
const stepsPerRound = 20;

export interface Upkeep {
  readonly stop: () => void;
  /** Why keys were not read or renewed in the last round; empty where they were. */
  readonly keyTroubles: () => readonly string[];
}

/** Runs until it is stopped. */
export function startHousekeeping(options: Housekeeping): Upkeep {
  const { keepTime, checkStore, log } = options;
  const guard = (task: Task): GuardedTask => guarded(task, log);
  const keyTasks = [keyTask(options), tokenKeyTask(options)].map(guard);
  const tasks = [
    guard(async () => checkStore?.()),
    guard(sweepTask(options)),
    ...keyTasks,
    ...[keepTime, async () => tellRefused(log)].map(guard),
  ];
  const watchClock = clockWatch(options);
  const warn = guard(warningsTask(options));
  void warn.run();
  tasks.push(warn);
  const timer = setInterval(() => {
    watchClock();
    for (const { run } of tasks) void run();
  }, roundInterval);
  return {
    stop: () => clearInterval(timer),
    keyTroubles: () => keyTasks.flatMap(({ trouble }) => trouble() ?? []),
  };
}

/** Sweeps in steps; requests are answered between them. */
function sweepTask({ store, clock }: Housekeeping): Task {
  return async () => {
    for (let step = 0; step < stepsPerRound; step += 1) {
      const removed = await store.sweep(clock.now(), rowsPerStep);
      if (removed < rowsPerStep) return;
      await pause();
    }
  };
}

/**
 * Reloads the keys of JWTs within a second after a command has changed them; once also those of a
 * service that is new: they may have changed between its reading them and its being served. And
 * whenever other servers change: the last of them may have stopped to sign by keys of former times.
 */
function keyTask({ store, services, node }: Housekeeping): Task {
  const known = new WeakMap<
    PublishedKeys,
    { readonly stored: unknown; readonly changes: unknown }
  >();
  return async () => {
    const changes = node?.changes();
    const look = async (id: ProgrammeId, keys: PublishedKeys): Promise<void> => {
      const stored = await store.list(keys.kind, id);
      const before = known.get(keys);
      if (before?.stored === stored && before.changes === changes) return;
      await keys.reload();
      known.set(keys, { stored, changes });
    };
    const all = services().flatMap(({ keys, programme: { id } }) =>
      keys.map((one) => look(id, one)),
    );
    await Promise.all(all);
  };
}

/** Reads changed token keys, and adds the next one when it is time. */
function tokenKeyTask({ services, store, keyRecords = store }: Housekeeping): Task {
  return () =>
    Promise.all(
      services().map(async (service) => {
        await service.tokenKeys.reloadIfMoved();
        await renewTokenKey({ ...service, store: keyRecords });
      }),
    );
}

/** Milliseconds between two lines about one shortcoming. */
const warningInterval = 60_000;

/** Tells at once, and every minute again, what commits depend on that they should not. */
function warningsTask({ store, log, tellsWarnings = false }: Housekeeping): Task {
  let told = Number.NEGATIVE_INFINITY;
  return async () => {
    if (!tellsWarnings || performance.now() - told < warningInterval) return;
    told = performance.now();
    for (const detail of (await store.warnings?.()) ?? []) log.error('store_warning', { detail });
  };
}

/** One line for the requests of a second: each refusal would cost a line (HOSTILE 59). */
function tellRefused(log: Log): void {
  const refused = admission.takeRefused();
  if (refused === 0) return;
  log.error('overloaded', {
    detail: `${refused} requests were refused in a second: there were more than the server can answer`,
  });
}

/**
 * Logs each jump of the wall clock once, and its end; expiry uses the service's own clock. That clock goes
 * on by itself after a suspension of the machine (FAULTS 34).
 */
function clockWatch({ store, clock, log }: Housekeeping): () => void {
  let wasApart = false;
  return () => {
    const slept = clock.slept();
    if (slept > 0) {
      const span = String(Math.round(slept / 1000));
      const detail = `the machine was suspended for ${span} s: the service goes on at the right time, and what ended meanwhile has ended`;
      log.info?.('machine_suspended', { seconds: span, detail });
    }
    const drift = clock.drift();
    const isApart = Math.abs(drift) > allowedDrift;
    if (isApart === wasApart) return;
    wasApart = isApart;
    const seconds = String(Math.round(drift / 1000));
    const wall = wallName(store);
    const detail = isApart
      ? `${wall} is ${seconds} s from the service's, which goes on by its own: one of the two is wrong. If ${wall} is right (a machine that was paused, or begun again from a snapshot), make the service follow it with SIGUSR2 or a restart; if not, set ${wall} right`
      : `${wall} agrees with the service's again`;
    log.error('clock_jump', { seconds, detail });
  };
}
