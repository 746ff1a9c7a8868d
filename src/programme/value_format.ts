// Owns the ways a value can be written in an answer: seconds or milliseconds, epochs or dates.

export const valueFormats = [
  'seconds',
  'milliseconds',
  'minutes',
  'epoch',
  'epoch_milliseconds',
  'date',
  'date_time',
  'date_time_milliseconds',
  'http_date',
] as const;
export type ValueFormat = (typeof valueFormats)[number];

/** What a named value is, which decides how it may be written. */
export type ValueKind = 'text' | 'span' | 'instant';

/** Whether a value of that kind can be written that way. */
export function formatFits(kind: ValueKind, format: ValueFormat): boolean {
  const span = format === 'seconds' || format === 'milliseconds' || format === 'minutes';
  return kind === 'span' ? span : kind === 'instant' && !span;
}

/** A function that writes values of that kind, which are milliseconds unless they are text. */
export function formatterOf(
  kind: ValueKind,
  format: ValueFormat | undefined,
): (value: string | number) => string | number {
  if (kind === 'text') return (value) => value;
  switch (format) {
    case 'milliseconds':
    case 'epoch_milliseconds':
      return (value) => value;
    case 'minutes':
      return (value) => Math.floor(Number(value) / 60_000);
    case 'date':
      return (value) => new Date(value).toISOString().slice(0, 10);
    case 'date_time':
      return (value) => `${new Date(value).toISOString().slice(0, 19)}Z`;
    case 'date_time_milliseconds':
      return (value) => new Date(value).toISOString();
    case 'http_date':
      return (value) => new Date(value).toUTCString();
    default:
      return (value) => Math.floor(Number(value) / 1000);
  }
}
