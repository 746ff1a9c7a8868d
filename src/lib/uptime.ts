// Owns the time since this machine was started, which no setting of its clock moves.

import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

import { type Milliseconds, milliseconds } from './clock.ts';

/** Comparable within one start of one machine. */
export interface Uptime {
  /** Names the start; empty where the system has no name for it. */
  readonly boot: string;
  readonly passed: Milliseconds;
}

let boot: string | undefined;

/** How long the machine has run, to some ten milliseconds. */
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
