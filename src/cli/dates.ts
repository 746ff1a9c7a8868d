// Owns how verbs write a time.

import type { Instant } from '../lib/clock.ts';

/** `2026-01-02T03:04:05Z`: whole seconds, UTC. */
export function dateText(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
