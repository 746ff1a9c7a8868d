// Owns the time since the machine's start, which setting its clock does not change.

import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

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
