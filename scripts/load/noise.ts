// Owns the control of a campaign: the processor time that other programs took while it ran. Without it
// nobody can say whether a server was slow, or the machine had other work.

import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Shares of the machine's processors that others took, from 0 to 1. */
export interface Noise {
  /** Over the whole run. */
  readonly mean: number;
  /** In the worst two seconds. */
  readonly worst: number;
}

const windowMilliseconds = 2000;

/** A process of proc(5): its parent, and its time in ticks of 10 ms, that of its ended children apart. */
export interface Row {
  readonly parent: number;
  readonly own: number;
  readonly children: number;
}

/** Begins to watch; the result ends it. */
export function watchOthers(): () => Noise {
  const shares: number[] = [];
  let before = { at: performance.now(), rows: processes() };
  const look = (): void => {
    const now = { at: performance.now(), rows: processes() };
    const taken = othersTime(before.rows, now.rows) * 10;
    shares.push(taken / (now.at - before.at) / availableParallelism());
    before = now;
  };
  const timer = setInterval(look, windowMilliseconds);
  timer.unref();
  return () => {
    clearInterval(timer);
    look();
    return {
      mean: shares.reduce((sum, share) => sum + share, 0) / shares.length,
      worst: Math.max(...shares),
    };
  };
}

function processes(): Rows {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return new Map(
    pids.flatMap((pid) => {
      const fields = fieldsOf(pid);
      if (fields.length === 0) return [];
      const sum = (...places: readonly number[]): number =>
        places.reduce((all, place) => all + Number(fields[place]), 0);
      return [[pid, { parent: Number(fields[1]), own: sum(11, 12), children: sum(13, 14) }]];
    }),
  );
}

/** From the third field of proc(5) on, `state`; none of a process that has ended meanwhile. */
function fieldsOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

type Rows = ReadonlyMap<number, Row>;

/** Ticks that went meanwhile to processes that do not descend from this one. */
export function othersTime(before: Rows, now: Rows): number {
  const isOurs = (pid: number): boolean => {
    const parent = now.get(pid)?.parent ?? 0;
    return pid === process.pid || (parent > 1 && isOurs(parent));
  };
  // A process that has ended is counted by its next ancestor, with all the time that it ever had.
  const known = new Map<number, number>();
  for (const [pid, { own, children }] of before) {
    let heir = pid;
    while (heir > 1 && !now.has(heir)) heir = before.get(heir)?.parent ?? 0;
    if (heir !== pid) known.set(heir, (known.get(heir) ?? 0) + own + children);
  }
  let sum = 0;
  for (const [pid, { parent, own, children }] of now) {
    // What the first process has adopted may be ours.
    if (parent <= 1 || isOurs(pid)) continue;
    const last = before.get(pid) ?? { own: 0, children: 0 };
    sum += own - last.own;
    sum += Math.max(0, children - last.children - (known.get(pid) ?? 0));
  }
  return sum;
}
