// Owns how scopes are checked and granted, whatever a dialect's spelling of them.

import { present } from '../lib/present.ts';
import { describeName, ownCause, ownRule, type RulePath } from './cause.ts';
import { Refusal } from './failure.ts';

/** How a programme grants scopes. `check` and `narrow` throw `Refusal` with `invalid_scope`. */
export interface ScopeRules {
  /** Checks a scope by itself, before the grant is known (C-8); returns it with the dialect's separator. */
  readonly check: (requested: string | undefined) => string | undefined;
  /** The scope that a login grants, by the requested one and the level of authentication. */
  readonly ofLogin: (
    requested: string | undefined,
    level: string | undefined,
  ) => string | undefined;
  /** The part of the granted scope that a token request gets (RFC 6749 6, HOSTILE 32). */
  readonly narrow: (
    requested: string | undefined,
    granted: string | undefined,
  ) => string | undefined;
  /** The scope of a client's own token: its one level (G-12), or the requested scope. */
  readonly ofClient: (requested: string | undefined) => string | undefined;
  /** What is granted where neither login nor token request asks for a scope (RFC 6749 3.3). */
  readonly unasked: string | undefined;
  /** Levels a member can have, lowest first; empty where scopes are no levels. */
  readonly levels: readonly string[];
  /** Every scope that exists, one by one. */
  readonly values: readonly string[];
  /** Scopes whose tokens pass only where a gateway demands the scope (P-15). */
  readonly restricted: ReadonlySet<string>;
  /** Whether a scope of which nothing exists is refused: otherwise it counts as none. */
  readonly refusesUnknown: boolean;
  /** The single scopes of a text. */
  readonly split: (scope: string) => readonly string[];
}

/** Levels in rising order: a token carries one, and a request may ask for a lower one only (G-12). */
export function levelScopes(
  levels: readonly string[],
  clientLevel: string,
  memberDefault: string,
): ScopeRules {
  const rank = new Map(levels.map((level, index) => [level, index]));
  const known = `one of ${levels.join(', ')}`;
  const ofClients = `${clientLevel}, which clients have`;
  return {
    levels,
    unasked: undefined,
    values: levels,
    restricted: new Set(),
    refusesUnknown: true,
    split: (scope) => [scope],
    check: (requested) => {
      if (requested === undefined || rank.has(requested)) return requested;
      return onlyWord(requested, rank) ?? refuse(requested, existing, known);
    },
    // An unknown level of the directory must not pass for a high one.
    ofLogin: (_requested, level) =>
      level !== undefined && rank.has(level) ? level : memberDefault,
    narrow: (requested, granted) => {
      if (requested === undefined) return granted;
      const wanted = rank.get(requested);
      const limit = rank.get(granted ?? '');
      if (wanted === undefined || limit === undefined || wanted > limit) {
        refuse(requested, existing, atMost(granted));
      }
      return requested;
    },
    ofClient: (requested) => {
      if (requested !== undefined && requested !== clientLevel) {
        refuse(requested, ['scope', 'client'], ofClients);
      }
      return clientLevel;
    },
  };
}

/** Characters of the longest scope of a request: a token holds it. */
export const longestScope = 8192;

export interface ListScopes {
  readonly values: readonly string[];
  /** Stands between several scopes; `none` where a token has one at most. */
  readonly separator: string;
  readonly restricted: readonly string[];
  /** What becomes of a name that does not exist; `refuse` if left out. */
  readonly unknown?: 'refuse' | 'ignore';
  /** Granted where none is asked for. */
  readonly default?: readonly string[];
}

/** Scopes by name: a request asks for some of those that exist, a refresh for some of those granted. */
export function listScopes(scopes: ListScopes): ScopeRules {
  const { values, separator, restricted } = scopes;
  const known = new Set(values);
  const words = separator === 'none' ? 'one' : `some, separated by "${separator}",`;
  const expected = `${words} of ${values.join(', ')}`;
  // A plus that a client does not encode arrives as a space.
  const between = separator === '+' ? /[+ ]/ : separator;
  const split = (scope: string): string[] =>
    separator === 'none' ? [scope] : scope.split(between);
  const unasked = scopes.default?.join(separator);
  const existingOf = scopes.unknown === 'ignore' ? compileExisting(scopes, split) : undefined;
  return {
    levels: [],
    unasked,
    values,
    restricted: new Set(restricted),
    refusesUnknown: existingOf === undefined || unasked === undefined,
    split,
    check: (requested) => {
      if (requested === undefined) return undefined;
      // Before anything is made of it. Bytes and characters differ in no scope that exists.
      if (requested.length > longestScope) refuse(requested.slice(0, 100), ownRule, longest);
      const only = separator === 'none' ? onlyWord(requested, known) : undefined;
      if (only !== undefined) return only;
      const sent = split(requested);
      const parts = existingOf?.(requested) ?? sent;
      if (parts.length === 0 && unasked !== undefined) return undefined;
      if (parts.length === 0 || parts.some((part) => !known.has(part))) {
        refuse(requested, existing, expected, namesOf(sent));
      }
      // RFC 6749 3.3: a list of names, in which another mention adds nothing.
      const distinct = new Set(parts);
      const isWhole = existingOf === undefined && distinct.size === parts.length;
      const isAsSent = isWhole && separator !== '+';
      return isAsSent ? requested : [...distinct].join(separator);
    },
    ofLogin: (requested) => requested,
    narrow: (requested, granted) => {
      if (requested === undefined) return granted;
      const limit = new Set(granted === undefined ? [] : split(granted));
      const parts = split(requested);
      if (parts.some((part) => !limit.has(part))) {
        refuse(requested, existing, atMost(granted), namesOf(parts));
      }
      return requested;
    },
    ofClient: (requested) => requested ?? unasked,
  };
}

/**
 * The names of a scope that exist. A name that contains a restricted one stays, and is refused as unknown: it may
 * be that one behind another separator, and without it the token would be good for more (P-15).
 */
function compileExisting(
  { values, separator, restricted }: ListScopes,
  split: ScopeRules['split'],
): (scope: string) => readonly string[] {
  const known = new Set(values);
  const narrow = restricted.map((one) => one.toLowerCase());
  const counts = (part: string): boolean =>
    known.has(part) || narrow.some((one) => part.toLowerCase().includes(one));
  if (separator !== 'none') return (scope) => split(scope).filter(counts);
  return (scope) => {
    const words = [...new Set(scope.split(' ').filter(counts))];
    return words.length > 1 ? [scope] : words;
  };
}

/** The one scope that a text names several times, where a token has one at most (RFC 6749 3.3). */
function onlyWord(requested: string, known: Pick<ReadonlySet<string>, 'has'>): string | undefined {
  if (known.has(requested)) return undefined;
  const [word = '', another] = new Set(requested.split(' '));
  return another === undefined && known.has(word) ? word : undefined;
}

/** The refusal of a scope by an endpoint at which it has another name; any other error as it is. */
export function namingScope(error: unknown, name: string): unknown {
  const isScope = error instanceof Refusal && error.reason === 'invalid_scope';
  if (!isScope || name === 'scope' || error.facts.parameter !== 'scope') return error;
  const { cause } = error.facts;
  const named = cause && { ...cause, parameter: name };
  return new Refusal('invalid_scope', present({ ...error.facts, parameter: name, cause: named }));
}

const existing: RulePath = ['scope', 'values'];
const longest = `at most ${longestScope} characters`;

/** Names of scopes that are told of a request. */
const mostNamed = 10;

function namesOf(parts: readonly string[]): string {
  const more = parts.length > mostNamed ? `, and ${parts.length - mostNamed} more` : '';
  return parts.slice(0, mostNamed).map(describeName).join(', ') + more;
}

function atMost(granted: string | undefined): string {
  return granted === undefined ? 'no scope: the login has none' : `at most ${granted}, as granted`;
}

function refuse(
  scope: string,
  rule: RulePath,
  expected: string,
  came: string = describeName(scope),
): never {
  const cause = ownCause(rule, expected, came, 'scope');
  throw new Refusal('invalid_scope', { parameter: 'scope', scope, cause });
}
