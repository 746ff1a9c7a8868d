// Owns finding a token in a programme's answers: a walk through its layout marks what differs between
// answers, and the marked layout is written once, so that it works for every encoding.

import type { Field, FieldTree } from '../../language/value_tree.ts';
import { instant } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import type { Client } from '../../oauth/client.ts';
import type { GrantType } from '../../oauth/grant.ts';
import type { Reply } from '../../oauth/reply.ts';
import type { Programme } from '../programme.ts';
import { compileTokenLayout } from './token_layout.ts';

export type TokenName = 'accessToken' | 'refreshToken';

/** The token follows the texts `behind`, searched for in turn, and ends at the text `before`. */
export interface TokenPlace {
  /** The header that holds the token; absent if the body does. */
  readonly header?: string;
  readonly behind: readonly string[];
  /** Empty if the token ends the text. */
  readonly before: string;
}

interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Finds the place of a token in the answers to a grant; undefined if they have no such token. */
export function tokenPlace(
  programme: Programme,
  client: Client,
  grant: GrantType,
  name: TokenName,
): TokenPlace | undefined {
  const answer = markedAnswer(programme, client, grant, name);
  const holder = Object.entries(answer.headers).find(([, value]) => value.includes(token));
  const where = answer.body.includes(token) ? {} : { header: holder?.[0] ?? '' };
  if (where.header === '') return undefined;
  const text = textOf(where, answer);
  const at = text.indexOf(token);
  const before = ending(text.slice(at + token.length));
  if (before.includes(other)) return undefined;
  return candidates(text.slice(0, at))
    .map((behind) => ({ ...where, behind, before }))
    .find((place) => cutOut(place, text) === token);
}

/** Reads the token from an answer; undefined if the answer has none at that place. */
export function takeToken(place: TokenPlace | undefined, answer: Answer): string | undefined {
  return place && cutOut(place, textOf(place, answer));
}

/** The answer with its cookies in one header, a line each. */
export function withCookies<Any extends Answer & Pick<Reply, 'cookies'>>(
  answer: Any,
): Omit<Any, 'cookies'> {
  const { cookies = [], ...plain } = answer;
  if (cookies.length === 0) return plain;
  return { ...plain, headers: { ...plain.headers, 'Set-Cookie': cookies.join('\n') } };
}

function textOf({ header }: Pick<TokenPlace, 'header'>, { headers, body }: Answer): string {
  if (header === undefined) return body;
  const found = Object.entries(headers).find(
    ([name]) => name.toLowerCase() === header.toLowerCase(),
  );
  return found?.[1] ?? '';
}

function cutOut({ behind, before }: TokenPlace, text: string): string | undefined {
  let at = 0;
  for (const landmark of behind) {
    const found = text.indexOf(landmark, at);
    if (found < 0) return undefined;
    at = found + landmark.length;
  }
  const end = before === '' ? text.length : text.indexOf(before, at);
  return end <= at ? undefined : text.slice(at, end);
}

/** The text after a token, up to the first character that tokens never contain. */
function ending(rest: string): string {
  return /^[\w.~+-]*[^\w.~+-]?/.exec(rest)?.[0] ?? '';
}

/** Texts to search for before the token, shortest first. */
function candidates(text: string): readonly (readonly string[])[] {
  // A value without quotes has none around it.
  const landmarks = text.split(new RegExp(`"?${other}"?`)).filter((part) => part !== '');
  const last = landmarks.at(-1) ?? '';
  const starts = [...last.matchAll(/["<&\n]/g)].map(({ index }) => last.slice(index)).toReversed();
  const short = starts.filter((start) => /\w/.test(start)).map((start) => [start]);
  return [...short, ...(last === '' ? [[]] : landmarks.map((_, at) => landmarks.slice(-1 - at)))];
}

/** Marks in an answer, which every encoding writes as they are. */
const token = 'jetway.token.jetway';
const other = 'jetway.other.jetway';

/** Values that differ between the answers to one client. */
const differing =
  /^(?:(?:access|refresh)_(?:token|lifetime|expires_at)|client_token\w*|issued_at|token_id|subject|kind|membership_number|scope|request_id)$/;

/** An answer to the grant with marks in place of the token and of all that differs between answers. */
function markedAnswer(
  { scope, refreshing, layouts: { tokens: layout }, values }: Programme,
  client: Client,
  grant: GrantType,
  name: TokenName,
): Answer {
  const hasRefresh = grant === 'refresh_token' || refreshing.has(grant);
  const wanted = name === 'accessToken' ? 'access_token' : 'refresh_token';
  const markOf: MarkOf = (value) => {
    const isWritten = hasRefresh || !value.startsWith('refresh_');
    if (!isWritten || !differing.test(value)) return undefined;
    return value === wanted ? token : other;
  };
  const cookies = Object.entries(layout.cookies).map(
    ([cookie, { value, ...more }]) => [cookie, { ...more, value: marked(value, markOf) }] as const,
  );
  const headers = Object.entries(layout.headers).map(
    ([header, field]) =>
      [header, typeof field === 'string' ? field : marked(field, markOf)] as const,
  );
  const written = {
    ...layout,
    fields: markedTree(layout.fields, markOf),
    headers: Object.fromEntries(headers),
    cookies: Object.fromEntries(cookies),
  };
  const now = instant(0);
  const facts = {
    grant,
    kind: 'member',
    subject: '',
    issuedAt: now,
    accessExpiresAt: now,
  } as const;
  const render = compileTokenLayout(written, values, scope);
  return withCookies(render({ ...facts, tokenId: '', accessToken: '' }, client));
}

type MarkOf = (value: string) => string | undefined;

function markedTree(tree: FieldTree, markOf: MarkOf): FieldTree {
  return new Map([...tree].map(([name, field]) => [name, marked(field, markOf)]));
}

/** The field with marks as constants, under the same conditions. */
function marked(field: Field, markOf: MarkOf): Exclude<Field, string> {
  const all = (fields: readonly Field[]): Field[] => fields.map((one) => marked(one, markOf));
  if (typeof field === 'string') return marked({ value: field }, markOf);
  if ('object' in field) return { ...field, object: markedTree(field.object, markOf) };
  if ('array' in field) return { ...field, array: all(field.array) };
  if ('first' in field) return { ...field, first: all(field.first) };
  if ('joined' in field) return { ...field, joined: all(field.joined) };
  const constant = 'value' in field ? markOf(field.value) : undefined;
  if (constant === undefined) return field;
  const { only, attribute } = field;
  return { constant, ...present({ only, attribute }) };
}
