// Owns finding a token in a programme's answers. The place is found by comparing two sample
// answers, so it works for every layout and encoding.

import { instant } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import type { Client } from '../../oauth/client.ts';
import type { GrantType } from '../../oauth/grant.ts';
import type { Reply } from '../../oauth/reply.ts';
import type { TokenSet } from '../../oauth/token_set.ts';
import type { Programme } from '../programme.ts';

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
  const samples = sampleTokens(programme, client, grant).map((tokens) => ({
    token: tokens[name] ?? '',
    answer: withCookies(programme.renderTokens(tokens, client)),
  }));
  const [first] = samples;
  if (first === undefined || first.token === '') return undefined;
  const holder = Object.entries(first.answer.headers).find(([, value]) =>
    value.includes(first.token),
  );
  const where = first.answer.body.includes(first.token) ? {} : { header: holder?.[0] ?? '' };
  if (where.header === '') return undefined;
  const texts = samples.map(({ answer, token }) => ({ text: textOf(where, answer), token }));
  const isRight = (place: TokenPlace): boolean =>
    texts.every(({ text, token }) => cutOut(place, text) === token);
  const [before = ''] = texts.map(({ text, token }) => ending(text.slice(after(text, token))));
  return candidates(texts.map(({ text, token }) => text.slice(0, text.indexOf(token))))
    .map((behind) => ({ ...where, behind, before }))
    .find(isRight);
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

function after(text: string, token: string): number {
  return text.indexOf(token) + token.length;
}

/** The text after a token, up to the first character that tokens never contain. */
function ending(rest: string): string {
  return /^[\w.~+-]*[^\w.~+-]?/.exec(rest)?.[0] ?? '';
}

/** Texts to search for before the token, shortest first; both samples contain each of them. */
function candidates([one = '', other = '']: readonly string[]): readonly (readonly string[])[] {
  const landmarks = constantParts(one, other);
  const last = landmarks.at(-1) ?? '';
  const starts = [...last.matchAll(/["<&]/g)].map(({ index }) => last.slice(index)).toReversed();
  const short = starts.filter((text) => /\w/.test(text)).map((text) => [text]);
  return [...short, ...(last === '' ? [[]] : [[last]]), landmarks];
}

/** The texts that two samples of one layout have in common. */
function constantParts(one: string, other: string): readonly string[] {
  const words = (text: string): readonly string[] => text.match(/[\w.~+%-]+|[^\w.~+%-]/g) ?? [];
  const others = words(other);
  const parts = [''];
  for (const [index, word] of words(one).entries()) {
    if (word === others[index]) parts[parts.length - 1] += word;
    else parts.push('');
  }
  return parts.filter((part) => part !== '');
}

/** Two token sets that differ in every value that can differ between answers. */
function sampleTokens(
  { scope, clientSubject, refreshing }: Programme,
  client: Client,
  grant: GrantType,
): readonly TokenSet[] {
  const isClient = grant === 'client_credentials';
  const hasRefresh = grant === 'refresh_token' || refreshing.has(grant);
  const ofMember = scope.ofLogin(undefined, undefined) ?? scope.unasked;
  const granted = isClient ? scope.ofClient(undefined) : ofMember;
  return (['2001-02-03T04:05:06.789Z', '2032-11-25T17:38:49.123Z'] as const).map((text, index) => {
    const issuedAt = Date.parse(text);
    const lifetime = 1_000_000 * (index + 1);
    const digit = String(index + 1);
    const refresh = {
      refreshToken: `refresh${digit.repeat(9)}`,
      refreshExpiresAt: instant(issuedAt + lifetime * 7),
    };
    return {
      grant,
      kind: isClient ? 'client' : 'member',
      subject: isClient ? clientSubject(client.id) : digit.repeat(16),
      accessToken: `access${digit.repeat(9)}`,
      tokenId: digit.repeat(15),
      issuedAt: instant(issuedAt),
      accessExpiresAt: instant(issuedAt + lifetime),
      ...(hasRefresh ? refresh : {}),
      ...present({ scope: granted }),
      ...(isClient ? {} : { membershipNumber: digit.repeat(12) }),
    };
  });
}
