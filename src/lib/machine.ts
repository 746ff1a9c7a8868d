// Owns what a process knows of its machine: the time since its start, which setting its clock does not
// change, and the cores that are the process's part.

import { readFileSync } from 'node:fs';
import { availableParallelism, uptime } from 'node:os';

import { type Milliseconds, milliseconds } from './clock.ts';

/** Comparable within one start of one machine. */
export interface Uptime {
  /** Identifies the start; empty where the system does not tell. */
  readonly boot: string;
  readonly passed: Milliseconds;
}

let boot: string | undefined;

/** How long the machine has run, exact to some ten milliseconds. */
export function readUptime(): Uptime {
  boot ??= bootName();
  return { boot, passed: milliseconds(Math.round(uptime() * 1000)) };
}

function bootName(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** In the environment of a worker: its number, and how many there are, as in `2/4`. */
const variable = 'JETWAY_WORKER';

/** The environment of a worker. */
export function workerEnvironment(worker: number, workers: number): Record<string, string> {
  return { [variable]: `${worker}/${workers}` };
}

/** 1 for the first; undefined for a process that is no worker. */
export function workerNumber(): number | undefined {
  return numbers()?.[0];
}

/** Cores that no other worker of the server counts on; 1 or more. */
export function ownCores(): number {
  return Math.max(1, Math.floor(availableParallelism() / (numbers()?.[1] ?? 1)));
}

function numbers(): readonly number[] | undefined {
  const value = process.env[variable];
  // HOSTILE 61: anybody's environment may hold the variable. Loaded here alone: commands need no cluster.
  if (value === undefined || !process.getBuiltinModule('node:cluster').isWorker) return undefined;
  return value.split('/').map(Number);
}
