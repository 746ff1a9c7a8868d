// Owns the formats of values in answers: seconds or milliseconds, epochs or dates, lists.

/** Splits a scope at the dialect's separator. */
export type SplitScope = (scope: string) => readonly string[];

type Written = string | number | readonly string[];
/** Spans and instants are milliseconds. */
type Formatter = (value: string | number, split: SplitScope) => Written;

const seconds: Formatter = (value) => Math.floor(Number(value) / 1000);
const asIs: Formatter = (value) => value;
const iso = (value: string | number): string => new Date(value).toISOString();

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
    date: (value) => iso(value).slice(0, 10),
    date_time: (value) => `${iso(value).slice(0, 19)}Z`,
    date_time_milliseconds: iso,
    date_time_offset: (value) => `${iso(value).slice(0, 19)}+00:00`,
    date_time_space: (value) => iso(value).slice(0, 19).replace('T', ' '),
    date_time_digits: (value) => iso(value).slice(0, 19).replaceAll(/\D/g, ''),
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

/** A function that formats values of the kind; a format that is left out is the usual one. */
export function formatterOf(
  kind: ValueKind,
  format: ValueFormat | undefined,
  split: SplitScope,
): (value: string | number) => Written {
  const known: Readonly<Record<string, Formatter>> = formatters[kind];
  const usual = kind === 'span' || kind === 'instant' ? seconds : asIs;
  const formatter = format === undefined ? usual : (known[format] ?? usual);
  return (value) => formatter(value, split);
}
