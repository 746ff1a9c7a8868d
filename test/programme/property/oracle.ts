// Owns what a dialect must answer, worked out from its plain values: the independent half of the
// property that an accepted file answers as it says.

import type { FailureReason } from '../../../src/oauth/failure.ts';
import { jsonHeaders } from '../../support/club.ts';
import type { Answer } from '../../support/wire.ts';
import { at, isMap, mapAt, type Plain, type PlainMap, textAt } from './dialect.ts';

/** What is known of a refusal. */
export interface Facts {
  readonly parameter?: string;
  readonly scope?: string;
  readonly retryAfter?: number;
}

/** Values by name; spans and instants in milliseconds. */
export type Known = Readonly<Record<string, string | number | undefined>>;

/** The whole answer to a refusal. */
export function refusal(dialect: PlainMap, reason: FailureReason, facts: Facts = {}): Answer {
  const mapping = mapAt(dialect, 'errors', 'reasons', reason);
  const errors = mapAt(dialect, 'errors');
  const challenge = challengeOf(dialect, textAt(mapping, 'challenge'), reason);
  return {
    status: Number(mapping['status']),
    headers: {
      ...jsonHeaders,
      'content-type': textAt(errors, 'content_type') ?? 'application/json',
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
      ...lowered(mapAt(mapping, 'headers')),
      ...(facts.retryAfter === undefined
        ? {}
        : { 'retry-after': String(Math.max(1, Math.ceil(facts.retryAfter))) }),
    },
    body: JSON.stringify(
      write(errors['fields'] ?? {}, toldOf(errors, mapping, facts), textAt(errors, 'name_case')),
    ),
  };
}

function challengeOf(
  dialect: PlainMap,
  scheme: string | undefined,
  reason: FailureReason,
): string | undefined {
  const realm = `realm="${plainAscii(textAt(dialect, 'name') ?? '')}"`;
  if (scheme === 'basic') return `Basic ${realm}`;
  if (scheme !== 'bearer') return undefined;
  const isNamed = reason === 'invalid_token' || reason === 'insufficient_scope';
  return isNamed ? `Bearer error="${reason}"` : `Bearer ${realm}`;
}

function toldOf(errors: PlainMap, mapping: PlainMap, facts: Facts): Known {
  const style = textAt(errors, 'parameter_names');
  const given = (facts.parameter ?? '').slice(0, 60).replaceAll(/[^\w.-]/g, '');
  const parameter =
    style === 'spaced'
      ? given
          .split(/[^A-Za-z0-9]+/)
          .join(' ')
          .trim()
      : given;
  const words = textAt(mapping, 'error_description')?.split('{parameter}').join(parameter).trim();
  const textCase = textAt(errors, 'text_case');
  return {
    error: cased(textAt(mapping, 'error') ?? '', textCase),
    error_description: words === undefined ? undefined : cased(words, textCase),
    error_code: mapping['error_code'] as string | number | undefined,
    parameter: facts.parameter === undefined ? undefined : parameter,
    scope: facts.scope,
    status: mapping['status'] as number,
  };
}

/** The whole answer to a success; tokens and the like stand as `{name}` in its body. */
export function success(dialect: PlainMap, known: Known): Answer {
  const response = mapAt(dialect, 'token_response');
  const nameCase = textAt(response, 'name_case');
  const wrap = (at(response, 'wrap') ?? []) as readonly string[];
  const body = wrap.reduceRight<unknown>(
    (inner, name) => ({ [cased(name, nameCase)]: inner }),
    write(response['fields'] ?? {}, known, nameCase),
  );
  return {
    status: Number(response['status'] ?? 200),
    headers: {
      ...jsonHeaders,
      'content-type': textAt(response, 'content_type') ?? 'application/json',
      ...lowered(mapAt(response, 'headers')),
    },
    body: JSON.stringify(body).replaceAll(`"${bareTokenId}"`, '{token_id}'),
  };
}

/** Stands for a token identifier that is written as a number. */
const bareTokenId = '#token_id#';

/** An answer's tree, as a map or as the list that replaces one. */
function write(tree: Plain, known: Known, nameCase: string | undefined): Record<string, unknown> {
  const maps = (Array.isArray(tree) ? tree : [tree]) as readonly PlainMap[];
  const members = maps.flatMap((map) => Object.entries(map));
  const written = members.map(
    ([name, field]) => [cased(name, nameCase), writeField(field, known, nameCase)] as const,
  );
  return Object.fromEntries(written.filter(([, value]) => value !== undefined));
}

function writeField(field: Plain, known: Known, nameCase: string | undefined): unknown {
  if (!isMap(field)) return writeNamed({ value: field }, known);
  const only = field['only'] as readonly string[] | undefined;
  if (only !== undefined && !only.includes(String(known['grant']))) return undefined;
  if ('constant' in field) return field['constant'];
  if ('object' in field) return write(field['object'] ?? {}, known, nameCase);
  if (!('array' in field)) return writeNamed(field, known);
  const items = field['array'] as readonly Plain[];
  return items
    .map((item) => writeField(item, known, nameCase))
    .filter((item) => item !== undefined);
}

function writeNamed({ value, as, type, absent }: PlainMap, known: Known): unknown {
  const name = value as string;
  const found = known[name];
  if (name === 'nothing' || (found === undefined && absent === 'nothing')) return null;
  if (found === undefined) return undefined;
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
  const units: Readonly<Record<string, () => number | string>> = {
    milliseconds: () => milliseconds,
    epoch_milliseconds: () => milliseconds,
    seconds: () => Math.floor(milliseconds / 1000),
    epoch: () => Math.floor(milliseconds / 1000),
    minutes: () => Math.floor(milliseconds / 60_000),
    date: () => iso().split('T')[0] ?? '',
    date_time: () => iso().replace(/\.\d+Z$/, 'Z'),
    date_time_milliseconds: iso,
    http_date: () => date.toUTCString(),
  };
  return units[unit]?.() ?? `there is no unit ${unit}`;
}

function cased(text: string, nameCase: string | undefined): string {
  if (nameCase === 'upper') return text.toUpperCase();
  return nameCase === 'lower' ? text.toLowerCase() : text;
}

function lowered(headers: PlainMap): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name.toLowerCase(), (value as string).trim()]),
  );
}

/** A realm is a quoted string (RFC 9110 5.6.4); what cannot stand in one is left out. */
function plainAscii(text: string): string {
  return text.replaceAll(/[^ -~]|["\\]/g, '');
}
