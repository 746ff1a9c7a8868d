// Owns the formats of values in answers: seconds or milliseconds, epochs or dates, lists.

/** Splits a scope at the dialect's separator. */
export type SplitScope = (scope: string) => readonly string[];

type Written = string | number | readonly string[];
/** How a time is written: its zone, and the digits of the fraction of a second. */
interface TimeWriting {
  readonly zone: string;
  readonly fraction: number;
}
/** Spans and instants are milliseconds; a time is written as `iso` tells it. */
type Formatter = (value: string | number, split: SplitScope, writing: TimeWriting) => Written;

const seconds: Formatter = (value) => Math.floor(Number(value) / 1000);
const asIs: Formatter = (value) => value;

/** The time in a zone, without the zone. It is known to the millisecond: further digits are zeros. */
function iso(value: string | number, { zone, fraction }: TimeWriting): string {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const ahead = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  const at = Math.min(Math.max(Number(value) + ahead, firstInstant), lastInstant);
  const text = new Date(at).toISOString();
  const digits = text.slice(20, 23).padEnd(mostFraction, '0').slice(0, fraction);
  return text.slice(0, 19) + (digits === '' ? '' : `.${digits}`);
}

/** Nanoseconds. */
export const mostFraction = 9;

/** What is earlier or later has no year of four digits, or no date at all (HOSTILE 77). */
const firstInstant = Date.parse('0001-01-02T00:00:00Z');
const lastInstant = Date.UTC(10_000, 0) - 1;

/** Formats of a time whose fraction can have any number of digits. */
const fractionFormatters = {
  date_time: (value, _, writing) => iso(value, writing) + writing.zone,
  date_time_offset: (value, _, writing) => iso(value, writing) + offset(writing),
  date_time_offset_digits: (value, _, writing) =>
    iso(value, writing) + offset(writing).replace(':', ''),
  date_time_space: (value, _, writing) => iso(value, writing).replace('T', ' '),
} as const satisfies Readonly<Record<string, Formatter>>;

/** Formats of a time in which a zone other than UTC can be meant. */
const zonedFormatters = {
  date: (value, _, writing) => iso(value, writing).slice(0, 10),
  ...fractionFormatters,
  date_time_milliseconds: (value, _, { zone }) => iso(value, { zone, fraction: 3 }) + zone,
  date_time_microseconds: (value, _, { zone }) => iso(value, { zone, fraction: 6 }) + zone,
  date_time_digits: (value, _, writing) => iso(value, writing).replaceAll(/\D/g, ''),
} as const satisfies Readonly<Record<string, Formatter>>;

function offset({ zone }: TimeWriting): string {
  return zone === utc ? '+00:00' : zone;
}

const utc = 'Z';

/** The formats of each kind of value. */
const formatters = {
  text: {},
  span: {
    seconds,
    milliseconds: asIs,
    minutes: (value) => Math.floor(Number(value) / 60_000),
  },
  instant: {
    epoch: seconds,
    epoch_milliseconds: asIs,
    ...zonedFormatters,
    http_date: (value) => new Date(value).toUTCString(),
  },
  scope: {
    spaces: (value, split) => split(String(value)).join(' '),
    commas: (value, split) => split(String(value)).join(','),
    list: (value, split) => split(String(value)),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Formatter>>>>;

/** The kind of a named value, which decides the formats it allows. */
export type ValueKind = keyof typeof formatters;
type FormatOf<Kind> = Kind extends ValueKind ? keyof (typeof formatters)[Kind] : never;
export type ValueFormat = FormatOf<ValueKind>;

export function formatsOf(kind: ValueKind): readonly ValueFormat[] {
  return Object.keys(formatters[kind]) as ValueFormat[];
}

export const valueFormats: readonly ValueFormat[] = (
  Object.keys(formatters) as ValueKind[]
).flatMap(formatsOf);

export function allowsZone(format: ValueFormat | undefined): boolean {
  return format !== undefined && Object.hasOwn(zonedFormatters, format);
}

export function allowsFraction(format: ValueFormat | undefined): boolean {
  return format !== undefined && Object.hasOwn(fractionFormatters, format);
}

/** A function that formats values of the kind; a format that is left out is the usual one. */
export function formatterOf(
  kind: ValueKind,
  format: ValueFormat | undefined,
  split: SplitScope,
  { zone = utc, fraction = 0 }: Partial<TimeWriting> = {},
): (value: string | number) => Written {
  const known: Readonly<Record<string, Formatter>> = formatters[kind];
  const usual = kind === 'span' || kind === 'instant' ? seconds : asIs;
  const formatter = format === undefined ? usual : (known[format] ?? usual);
  const writing = { zone, fraction };
  return (value) => formatter(value, split, writing);
}
