// Owns what a partner is told of the values in requests and answers.

import { formatRows } from '../../language/input_formats.ts';
import { comparisonRows } from '../../language/input_schema.ts';
import { knownInput } from '../../language/known_inputs.ts';
import type { ValueFormat } from '../../language/value_format.ts';
import { characterRanges, type ValueShape } from '../../language/value_shape.ts';
import { type Field, type FieldTree, inCase, type NameCase } from '../../language/value_tree.ts';
import {
  clientPropertyPrefix,
  memberPropertyPrefix,
  nothing,
  sentPrefix,
  tokenVocabulary,
} from '../../language/vocabularies.ts';
import type { Programme } from '../../programme/programme.ts';
import type { RequestKind } from '../../programme/requests/grant_places.ts';
import type { Input } from '../../programme/requests/inputs.ts';
import { tellsSeveral } from '../samples/answers.ts';
import { inCode } from './markdown.ts';

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
export interface AnswerValue {
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
