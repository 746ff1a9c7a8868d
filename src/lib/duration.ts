// Owns durations as people write them in files (`10s`, `30m`, `24h`, `30d`), and dates as text.

import { type Instant, milliseconds, type Milliseconds } from './clock.ts';

const unitSizes: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A whole number of at most nine digits, and a unit. */
export const durationForm: RegExp = /^(\d{1,9})(ms|s|m|h|d)$/;

/** Milliseconds of a text such as `90s`; undefined when it is not a duration. */
export function parseDuration(text: string): Milliseconds | undefined {
  const match = durationForm.exec(text);
  const size = unitSizes[match?.[2] ?? ''];
  return size === undefined ? undefined : milliseconds(Number(match?.[1]) * size);
}

/** The shortest exact spelling of a span. */
export function formatDuration(span: Milliseconds): string {
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    const size = unitSizes[unit] ?? 1;
    if (span !== 0 && span % size === 0) return `${span / size}${unit}`;
  }
  return span === 0 ? '0s' : `${span}ms`;
}

/** A time for JSON output, where an unknown time is null. */
export function dateOrNull(at: Instant | undefined): string | null {
  return at === undefined ? null : dateText(at);
}

/** `2026-01-02T03:04:05Z`: whole seconds, UTC. */
export function dateText(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** `20260102T030405.678Z`, for names of files: UTC, in the order of the times. */
export function fileDate(at: Instant): string {
  return new Date(at).toISOString().replaceAll(/[-:]/g, '');
}
