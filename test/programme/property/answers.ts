// Owns what a layout comes to, worked out from its plain values: members in order, then the text of a
// body in each encoding.

import { at, isMap, keysOf, type Plain, type PlainMap, textAt } from './dialect.ts';

/** Values by name; spans and instants in milliseconds. */
export type Known = Readonly<Record<string, string | number | undefined>>;

/** What stands in a body; members keep their order. */
type Told = string | number | boolean | null | readonly Told[] | Members;

interface Members {
  readonly members: readonly (readonly [string, Told])[];
}

/** What does not follow from the layout. */
interface Circumstances {
  readonly known: Known;
  readonly nameCase: string | undefined;
  /** The grant or the reason, which `only` names. */
  readonly occasion: string;
  readonly separator: string | undefined;
}

/** Stands for a token identifier that is written as a number. */
const bareTokenId = '#token_id#';

/** The body that a part of a dialect, its token response or its errors, lays out. */
export function bodyOf(part: PlainMap, circumstances: Omit<Circumstances, 'nameCase'>): string {
  const nameCase = textAt(part, 'name_case');
  const told = membersOf(part['fields'] ?? {}, { ...circumstances, nameCase });
  const wrap = (at(part, 'wrap') ?? []) as readonly string[];
  const whole = wrap.reduceRight<Members>(
    (inner, name) => ({ members: [[cased(name, nameCase), inner]] }),
    told,
  );
  const encode = encoders[textAt(part, 'encoding') ?? 'json'] ?? encoders['json'];
  return (encode?.(whole) ?? '').replaceAll(
    /"#token_id#"|#token_id#|%23token_id%23/g,
    '{token_id}',
  );
}

/** Its media type, where the file says none. */
export const usualTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'application/xml',
  text: 'text/plain; charset=utf-8',
};

const encoders: Readonly<Record<string, (told: Members) => string>> = {
  json,
  form: ({ members }) =>
    members
      .flatMap(([name, value]) => itemsOf(value).map((item) => [name, plain(item)] as const))
      .map((pair) => pair.map((part) => encodeURIComponent(part).replaceAll('%20', '+')).join('='))
      .join('&')
      .replaceAll(/%7B([a-z_]+)%7D/g, '{$1}'),
  xml: (told) => `<?xml version="1.0" encoding="UTF-8"?>\n${xml(told)}`,
  text: ({ members }) => members.map(([, value]) => plain(value)).join(''),
};

function json(told: Told): string {
  if (Array.isArray(told)) return `[${told.map(json).join(',')}]`;
  if (typeof told !== 'object' || told === null) return JSON.stringify(told);
  const { members } = told as Members;
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${json(value)}`).join(',')}}`;
}

function xml(told: Told): string {
  if (typeof told !== 'object' || told === null) {
    return plain(told).replaceAll(/[&<>"']/g, (one) => `&${names[one]};`);
  }
  return (told as Members).members
    .flatMap(([name, value]) => itemsOf(value).map((item) => [name, xml(item)] as const))
    .map(([name, inner]) => (inner === '' ? `<${name}/>` : `<${name}>${inner}</${name}>`))
    .join('');
}

const names: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

function itemsOf(value: Told): readonly Told[] {
  return Array.isArray(value) ? value.flatMap((item: Told) => itemsOf(item)) : [value];
}

function plain(value: Told): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A layout, as a map or as the list that replaces one. */
function membersOf(tree: Plain, circumstances: Circumstances): Members {
  const maps = (Array.isArray(tree) ? tree : [tree]) as readonly PlainMap[];
  const fields = maps.flatMap((map) =>
    keysOf(map).map((name) => [name, map[name] ?? null] as const),
  );
  return {
    members: fields.flatMap(([name, field]) => {
      const value = valueOf(field, circumstances);
      return value === undefined ? [] : [[cased(name, circumstances.nameCase), value] as const];
    }),
  };
}

function valueOf(field: Plain, circumstances: Circumstances): Told | undefined {
  if (!isMap(field)) return namedOf({ value: field }, circumstances);
  const only = field['only'] as readonly string[] | undefined;
  if (only?.includes(circumstances.occasion) === false) return undefined;
  if ('constant' in field) return field['constant'] as Told;
  if ('object' in field) return membersOf(field['object'] ?? {}, circumstances);
  const parts = ['array', 'first', 'joined'].flatMap((form) => field[form] ?? []) as Plain[];
  const told = parts.map((part) => valueOf(part, circumstances));
  const present = told.filter((value) => value !== undefined);
  if ('array' in field) return present;
  if ('first' in field) return present[0];
  if (!('joined' in field)) return namedOf(field, circumstances);
  if (present.length < told.length || present.includes(null)) return undefined;
  return present.map((value) => itemsOf(value).map(plain).join(' ')).join('');
}

function namedOf(
  { value, as, type, absent }: PlainMap,
  { known, separator }: Circumstances,
): Told | undefined {
  const name = value as string;
  const found = known[name];
  if (name === 'nothing' || (found === undefined && absent === 'nothing')) return null;
  if (found === undefined) return undefined;
  if (name === 'scope' && as !== undefined) {
    const scopes = separator === undefined ? [String(found)] : String(found).split(separator);
    return as === 'list' ? scopes : scopes.join(as === 'commas' ? ',' : ' ');
  }
  const usual = name.endsWith('_lifetime') ? 'seconds' : 'epoch';
  const isTime = name.endsWith('_lifetime') || name.endsWith('_at');
  const written = isTime ? inUnits(Number(found), (as as string | undefined) ?? usual) : found;
  if (type === 'string') return String(written);
  if (type === 'number' && name === 'token_id' && known['token_id_form'] === 'number') {
    return bareTokenId;
  }
  const isWhole =
    /^(?:0|[1-9]\d*)$/.test(String(written)) && BigInt(written) <= BigInt(Number.MAX_SAFE_INTEGER);
  return type === 'number' && isWhole ? Number(written) : written;
}

function inUnits(milliseconds: number, unit: string): number | string {
  const date = new Date(milliseconds);
  const iso = (): string => date.toJSON();
  const whole = (): string => iso().replace(/\.\d+Z$/, '');
  const units: Readonly<Record<string, () => number | string>> = {
    milliseconds: () => milliseconds,
    epoch_milliseconds: () => milliseconds,
    seconds: () => Math.floor(milliseconds / 1000),
    epoch: () => Math.floor(milliseconds / 1000),
    minutes: () => Math.floor(milliseconds / 60_000),
    date: () => iso().split('T')[0] ?? '',
    date_time: () => `${whole()}Z`,
    date_time_milliseconds: iso,
    date_time_offset: () => `${whole()}+00:00`,
    date_time_space: () => whole().split('T').join(' '),
    date_time_digits: () => whole().split(/[-:T]/).join(''),
    http_date: () => date.toUTCString(),
  };
  return units[unit]?.() ?? `there is no unit ${unit}`;
}

export function cased(text: string, nameCase: string | undefined): string {
  if (nameCase === 'upper') return text.toUpperCase();
  return nameCase === 'lower' ? text.toLowerCase() : text;
}
