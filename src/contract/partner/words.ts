// Owns the words of a partner's page: Markdown that takes no text for markup, what is told of the values in requests
// and answers, and spans, examples and tables that several sections share.

import { formatRows } from '../../language/input_formats.ts';
import { comparisonRows } from '../../language/input_schema.ts';
import { knownInput } from '../../language/known_inputs.ts';
import type { ValueFormat } from '../../language/value_format.ts';
import { type ValueShape, characterRanges } from '../../language/value_shape.ts';
import { type Field, type FieldTree, type NameCase, inCase } from '../../language/value_tree.ts';
import {
  clientPropertyPrefix,
  memberPropertyPrefix,
  nothing,
  sentPrefix,
  tokenVocabulary,
} from '../../language/vocabularies.ts';
import type { Milliseconds } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { Parts } from '../../lib/present.ts';
import type { Programme } from '../../programme/programme.ts';
import type { RequestKind } from '../../programme/requests/grant_places.ts';
import type { Input } from '../../programme/requests/inputs.ts';
import { answerText } from '../answers.ts';
import { type Told, tellsSeveral } from '../samples/answers.ts';
import type { SampleRequest } from '../samples/requests.ts';
import { curlLines } from './curl.ts';
import type { Guide } from './guide.ts';

/** A part of a page: paragraphs, tables and code in their order. */
export type Block = Parts<string>;

/** Characters that begin markup anywhere in a line, or at its start. */
const markup = /[\\`*_[\]<>&|#~]/g;

/** Text of a programme or a partner, as text. */
export function escaped(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(markup, String.raw`\$&`);
}

/** A text in one line of code, also inside a table. */
export function inCode(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', String.raw`\|`);
  const ticks = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  if (ticks === 0) return `\`${line}\``;
  const fence = '`'.repeat(ticks + 1);
  return `${fence} ${line} ${fence}`;
}

/** The cells of a row; `false` stands for one, or a whole row, that is left out. */
export type Row = false | readonly (string | false)[];

/** Cells are Markdown already. */
export function table(head: Row, rows: readonly Row[]): string {
  const cells = [head, ...rows].flatMap((row) =>
    row === false ? [] : [row.filter((cell) => cell !== false)],
  );
  const [first = [], ...others] = cells;
  return [first, first.map(() => '---'), ...others]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

export function codeBlock(language: string, code: string): string {
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;
}

/** The first letter in upper case. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What to send as an input, in words. */
export function inputText(
  input: Input<unknown>,
  { scopes: scope, tokenEndpoints, identifier, login: { draws } }: Programme,
  kind?: RequestKind,
): string {
  const { role, allowed, format, prefix, characters, length, scheme } = input;
  // What one endpoint compares is the same value at another that does not.
  const [elsewhere] = tokenEndpoints.flatMap(({ reading }) =>
    reading.inputs.flatMap((one) => (one.role === role ? (one.must_equal ?? []) : [])),
  );
  const equal = input.must_equal ?? elsewhere;
  const isShaped = [prefix, characters, length].some((one) => one !== undefined);
  const isScope = role === 'scope' && allowed === undefined;
  const listed = allowed ?? (isScope ? scopesFor(scope, kind) : undefined);
  const several = isScope && tellsSeveral(scope) ? scope.separator : undefined;
  const known = knownInput(role);
  return [
    known?.partner,
    draws.has(role) && 'the value that came back from the login with your code',
    equal === 'programme.identifier'
      ? `always ${inCode(identifier)}`
      : equal && registeredText(equal),
    listed &&
      input.meaning === undefined &&
      `${listed.length === 1 ? 'always' : 'one of'} ${listed.map(inCode).join(', ')}`,
    input.meaning,
    isScope && scope.kind === 'list' && scope.unknown === 'ignore' && 'others are ignored',
    several && `several with ${several === ' ' ? 'a space' : inCode(several)} between`,
    isScope &&
      scope.kind === 'list' &&
      scope.default &&
      `without it, ${scope.default.map(inCode).join(', ')}`,
    isShaped &&
      listed === undefined &&
      equal === undefined &&
      known?.hasOwnForm !== true &&
      shapeText(input),
    format && formatRows[format].partner,
    scheme && `after the word ${inCode(scheme.toLowerCase())}`,
  ]
    .filter((text) => typeof text === 'string')
    .join('; ');
}

/** The scopes that a request may name: of levels, a client's own token has one. */
export function scopesFor(
  scope: Programme['scopes'],
  kind: RequestKind | undefined,
): readonly string[] {
  return scope.kind !== 'list' && kind === 'client_credentials' ? [scope.client] : scope.values;
}

/** `ghu_` and 36 letters and digits. */
export function shapeText({ prefix, characters, length }: ValueShape): string {
  const { min = 0, max = 0 } = length ?? {};
  const count = length === undefined ? '' : `${min === max ? max : `${min} to ${max}`} `;
  const rest = count + (characters === undefined ? 'characters' : characterRanges[characters][2]);
  return prefix === undefined || prefix === '' ? rest : `${inCode(prefix)} and ${rest}`;
}

function registeredText(comparison: string): string | undefined {
  if (comparison === 'client.id') return undefined;
  const name = comparison.slice(clientPropertyPrefix.length);
  return comparisonRows[comparison] ?? `the ${inCode(name)} registered for you`;
}

/** A member of an answer and what it holds. */
interface AnswerValue {
  readonly path: string;
  /** Its name in programme files. */
  readonly value: string;
  readonly text: string;
}

const formatNames: Readonly<Partial<Record<ValueFormat, string>>> = {
  seconds: 'in seconds',
  milliseconds: 'in milliseconds',
  minutes: 'in minutes',
  epoch: 'in seconds since 1970',
  epoch_milliseconds: 'in milliseconds since 1970',
  date: 'a date',
  http_date: 'an HTTP date',
  list: 'as a list',
};

const usualFormats: Readonly<Record<string, ValueFormat>> = { span: 'seconds', instant: 'epoch' };

/** What a member holds that is the same in every answer. */
const constant = 'constant';

/** The members of an answer and what they hold, by their path. */
export function answerValues(
  { fields, name_case: nameCase, wrap }: Programme['layouts']['tokens'],
  occasion: string,
): readonly AnswerValue[] {
  const above = wrap.map((name) => inCase(name, nameCase));
  return treeValues(fields, occasion, nameCase, above);
}

function treeValues(
  tree: FieldTree,
  occasion: string,
  nameCase: NameCase,
  above: readonly string[],
): readonly AnswerValue[] {
  return [...tree].flatMap(([name, field]) => {
    const path = [...above, inCase(name, nameCase)];
    if (typeof field === 'object' && field.only?.includes(occasion) === false) return [];
    if (typeof field === 'object' && 'object' in field) {
      return treeValues(field.object, occasion, nameCase, path);
    }
    const told = valueOf(field);
    return told === undefined ? [] : [{ path: path.join('.'), ...told }];
  });
}

/** Of several parts in one member, the first that changes from answer to answer. */
function valueOfAll(fields: readonly Field[]): Omit<AnswerValue, 'path'> | undefined {
  const all = fields.flatMap((field) => valueOf(field) ?? []);
  return all.find(({ value }) => value !== constant) ?? all[0];
}

function valueOf(field: Field): Omit<AnswerValue, 'path'> | undefined {
  if (typeof field === 'string') return valueOf({ value: field });
  if ('first' in field) return valueOf(field.first[0] ?? '');
  if ('joined' in field) return valueOfAll(field.joined);
  if ('array' in field) {
    const empty = { value: constant, text: 'always an empty list' };
    return field.array.length === 0 ? empty : valueOfAll(field.array);
  }
  if ('constant' in field) {
    const text = String(field.constant);
    return { value: constant, text: text === '' ? 'always empty' : `always ${inCode(text)}` };
  }
  if (!('value' in field)) return undefined;
  const { value, as } = field;
  if (value === nothing) return { value, text: 'always `null`' };
  if (value.startsWith(sentPrefix)) return { value, text: 'what your request said' };
  const isOwn = value.startsWith(clientPropertyPrefix);
  const ofMember = value.startsWith(memberPropertyPrefix) ? 'a value of the member' : undefined;
  const text = isOwn
    ? 'a value registered for you'
    : (ofMember ?? tokenVocabulary.values[value]?.[2]);
  if (text === undefined) return undefined;
  const format = as ?? usualFormats[tokenVocabulary.values[value]?.[0] ?? ''];
  const unit = format === undefined ? undefined : formatNames[format];
  return { value, text: unit === undefined ? text : `${text}, ${unit}` };
}

const units: Readonly<Record<string, string>> = {
  ms: 'millisecond',
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
};

/** `90 seconds`. */
export function spanText(span: Milliseconds): string {
  const [, count = '', unit = ''] = /^(\d+)(\w+)$/.exec(formatDuration(span)) ?? [];
  return `${count} ${units[unit] ?? unit}${count === '1' ? '' : 's'}`;
}

/** The request by curl. `header` is the header of the answer that holds the token, if its body does not. */
export function example(base: string, request: SampleRequest, header?: string): string {
  const flags = header === undefined ? '-sS' : '-sS -i';
  return codeBlock('sh', curlLines(base, request, flags));
}

/** The inputs of a request, those it must have first. */
export function inputTable(
  { programme }: Guide,
  inputs: readonly (readonly [input: Input<unknown>, isNeeded: boolean, text?: string])[],
): string {
  const rows = inputs
    .toSorted(([, one], [, other]) => Number(other) - Number(one))
    .map(([input, isNeeded, text]) => [
      inCode(input.name),
      placeText(input),
      isNeeded ? 'yes' : 'no',
      sentence(text ?? inputText(input, programme)),
    ]);
  return table(['Name', 'Where', 'Required', 'Value'], rows);
}

const placeTexts = {
  query: 'query',
  form: 'form body',
  multipart: 'multipart body',
  json: 'JSON body',
  xml: 'XML body',
  header: 'header',
  path: 'path',
  cookie: 'cookie',
} as const;

function placeText({ places, attribute }: Input<unknown>): string {
  if (attribute) return 'XML attribute';
  return places.map((place) => placeTexts[place]).join(' or ');
}

/** The keys whose paragraphs stand among others. */
const places = [
  'client',
  'authorize',
  'code',
  'login',
  'tokens.access',
  'tokens.refresh',
  'token_response',
  'errors',
] as const;

/** What partners are told by each key below one alone; without one, by those that have no other place. */
export function paragraphs({ told }: Programme, under?: (typeof places)[number]): Block {
  return told.flatMap(({ key, page }) => {
    const place = places.find((one) => key.startsWith(`${one}.`));
    return page !== undefined && place === under ? [page] : [];
  });
}

/** An answer as it comes over the wire; JSON is laid out for reading. */
export function answerBlock({ status = 200, headers, body }: Told): string {
  return codeBlock('http', `HTTP/1.1 ${answerText({ status, headers, body: laidOut(body) })}`);
}

function laidOut(body: string): string {
  try {
    return `\n${JSON.stringify(JSON.parse(body), undefined, 2)}`;
  } catch {
    return body === '' ? '' : `\n${body}`;
  }
}

/** An answer in one line: status and body. */
export function shortAnswer({ status, body }: Told): string {
  return `${status} ${inCode(body)}`;
}
