// Owns the place of a token in a programme's answers, found by comparing two answers, so that it is right
// for every layout and encoding.

import { instant } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import type { Client } from '../../oauth/client.ts';
import type { GrantType } from '../../oauth/grant.ts';
import type { TokenSet } from '../../oauth/token_set.ts';
import type { Programme } from '../programme.ts';

export type TokenName = 'accessToken' | 'refreshToken';

/** A token's place: after the texts of `behind`, searched for in turn, up to the text `before`. */
export interface TokenPlace {
  /** The header that holds the token; left out where the body does. */
  readonly header?: string;
  readonly behind: readonly string[];
  /** Empty where the token ends the text. */
  readonly before: string;
}

interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The place of a token in the answer to a grant; undefined for an answer without it. */
export function tokenPlace(
  programme: Programme,
  client: Client,
  grant: GrantType,
  name: TokenName,
): TokenPlace | undefined {
  const samples = sampleTokens(programme, client, grant).map((tokens) => ({
    token: tokens[name] ?? '',
    answer: programme.renderTokens(tokens, client),
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

/** The token of an answer; undefined where there is none at that place. */
export function takeToken(place: TokenPlace | undefined, answer: Answer): string | undefined {
  return place && cutOut(place, textOf(place, answer));
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

/** The text after a token, up to the first character that no token has. */
function ending(rest: string): string {
  return /^[\w.~+-]*[^\w.~+-]?/.exec(rest)?.[0] ?? '';
}

/** Texts by which the token's beginning may be found, shortest first: those that two samples share. */
function candidates([one = '', other = '']: readonly string[]): readonly (readonly string[])[] {
  const landmarks = constantParts(one, other);
  const last = landmarks.at(-1) ?? '';
  const starts = [...last.matchAll(/["<&]/g)].map(({ index }) => last.slice(index)).toReversed();
  const short = starts.filter((text) => /\w/.test(text)).map((text) => [text]);
  return [...short, ...(last === '' ? [[]] : [[last]]), landmarks];
}

/** The texts between which two samples, of one layout, differ. */
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

/** Tokens for two answers which differ wherever two answers can differ. */
function sampleTokens(
  { scope, clientSubject, grants }: Programme,
  client: Client,
  grant: GrantType,
): readonly TokenSet[] {
  const isClient = grant === 'client_credentials';
  const hasRefresh = !isClient && grants.has('refresh_token');
  const granted = isClient ? scope.ofClient(undefined) : scope.ofLogin(undefined, undefined);
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
