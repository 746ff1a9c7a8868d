// Owns the formats of values in answers: seconds or milliseconds, epochs or dates, lists.

const spanFormats = ['seconds', 'milliseconds', 'minutes'] as const;
const instantFormats = [
  'epoch',
  'epoch_milliseconds',
  'date',
  'date_time',
  'date_time_milliseconds',
  'date_time_offset',
  'date_time_space',
  'date_time_digits',
  'http_date',
] as const;
const scopeFormats = ['spaces', 'commas', 'list'] as const;

type ScopeFormat = (typeof scopeFormats)[number];
export type ValueFormat =
  | (typeof spanFormats)[number]
  | (typeof instantFormats)[number]
  | ScopeFormat;
export const valueFormats: readonly ValueFormat[] = [
  ...spanFormats,
  ...instantFormats,
  ...scopeFormats,
];

/** The kind of a named value, which decides the formats it allows. */
export type ValueKind = 'text' | 'span' | 'instant' | 'scope';

export const formatsOf: Readonly<Record<ValueKind, readonly ValueFormat[]>> = {
  text: [],
  span: spanFormats,
  instant: instantFormats,
  scope: scopeFormats,
};

export function formatFits(kind: ValueKind, format: ValueFormat): boolean {
  return formatsOf[kind].includes(format);
}

/** Splits a scope at the dialect's separator. */
export type SplitScope = (scope: string) => readonly string[];

type Formatter = (value: string | number) => string | number | readonly string[];

const seconds: Formatter = (value) => Math.floor(Number(value) / 1000);
const asIs: Formatter = (value) => value;
const iso = (value: string | number): string => new Date(value).toISOString();

const formatters: Readonly<Record<Exclude<ValueFormat, ScopeFormat>, Formatter>> = {
  seconds,
  milliseconds: asIs,
  minutes: (value) => Math.floor(Number(value) / 60_000),
  epoch: seconds,
  epoch_milliseconds: asIs,
  date: (value) => iso(value).slice(0, 10),
  date_time: (value) => `${iso(value).slice(0, 19)}Z`,
  date_time_milliseconds: iso,
  date_time_offset: (value) => `${iso(value).slice(0, 19)}+00:00`,
  date_time_space: (value) => iso(value).slice(0, 19).replace('T', ' '),
  date_time_digits: (value) => iso(value).slice(0, 19).replaceAll(/\D/g, ''),
  http_date: (value) => new Date(value).toUTCString(),
};

/** A function that formats values of the kind; spans and instants are milliseconds. */
export function formatterOf(
  kind: ValueKind,
  format: ValueFormat | undefined,
  split: SplitScope,
): Formatter {
  switch (format) {
    case 'spaces':
      return (value) => split(String(value)).join(' ');
    case 'commas':
      return (value) => split(String(value)).join(',');
    case 'list':
      return (value) => split(String(value));
    case undefined:
      return kind === 'span' || kind === 'instant' ? seconds : asIs;
    default:
      return formatters[format];
  }
}
