// Owns the checks that an input which Jetway interprets allows no value that can never succeed: a partner
// that was told of such a value would be refused, or taken to have asked for something else.

import type { Definition } from '../language/definition.ts';
import type { InputDefinition } from '../language/input_schema.ts';
import type { Path } from '../lib/fault.ts';
import { type GrantType, grantTypes, jwtBearer, tokenExchange } from '../oauth/grant.ts';
import { listScopes } from '../oauth/scope.ts';
import { assertionType } from '../programme/requests/client_assertion.ts';
import { grantsAt } from '../programme/requests/grant_places.ts';
import type { Complaint } from '../schema/complaint.ts';
import { issuedRoles } from './issued.ts';

/** What is understood, in words, and whether a value is. */
type Understood = readonly [words: string, isUnderstood: (value: string) => boolean];

/** @param name that of a token endpoint; undefined of the login request */
type UnderstoodAt = (definition: Definition, name: string | undefined) => Understood;

const oneOf = (values: readonly string[]): Understood => [
  values.length === 1 ? `${values[0]} alone` : values.join(', '),
  (value) => values.includes(value),
];

/** Types of RFC 8693 3 that no access token is of. A dialect may have words of its own. */
const otherTokens = /^urn:ietf:params:oauth:token-type:(?:refresh_token|id_token|saml[12])$/;
const accessTokens: Understood = ['types of access tokens', (value) => !otherTokens.test(value)];

const wordOf = ({ grants }: Definition, type: GrantType): string =>
  grants[type]?.grant_type ?? type;

const understood: Readonly<Record<string, UnderstoodAt>> = {
  // RFC 6749 3.1.1, OAuth 2.0 Multiple Response Types 3 to 5. A dialect may have words of its own.
  response_type: () => [
    'code, or a word of the dialect for it',
    (value) => value.split(' ').every((word) => !/^(?:token|id_token|none)$/.test(word)),
  ],
  code_challenge_method: () => oneOf(['S256']),
  // OpenID Connect Core 3.1.2.1.
  prompt: () => ['none without another word', (value) => !/ none$|^none | none /.test(value)],
  client_assertion_type: () => oneOf([assertionType]),
  grant_type: (definition, name) => {
    const words = grantsAt(definition, name ?? '').map((type) => wordOf(definition, type));
    // Those of a grant that is not offered here, too: only what is no grant's word is a slip of the pen.
    const known = new Set([
      ...grantTypes.flatMap((type) => [type, wordOf(definition, type)]),
      jwtBearer,
      tokenExchange,
    ]);
    return [words.join(', '), (value) => known.has(value)];
  },
  subject_token_type: () => accessTokens,
  requested_token_type: () => accessTokens,
  scope: ({ scope }) => {
    const split = scope.kind === 'level' ? (value: string) => [value] : listScopes(scope).split;
    const words = scope.values.length === 0 ? 'no scope at all' : `scopes of scope.values`;
    return [words, (value) => split(value).every((one) => scope.values.includes(one))];
  },
};

/** @param role of an input that the endpoint uses */
export function* understoodComplaints(
  definition: Definition,
  at: Path,
  role: string,
  { allowed = [] }: InputDefinition,
  name: string | undefined,
): Iterable<Complaint> {
  const known = Object.hasOwn(understood, role) ? understood[role]?.(definition, name) : undefined;
  if (known === undefined) return;
  const [words, isUnderstood] = known;
  // Then the whole list refuses what Jetway gives out, which is told already.
  const isTold = issuedRoles.has(role) || role === 'grant_type';
  if (isTold && !allowed.some(isUnderstood)) return;
  for (const [index, value] of allowed.entries()) {
    if (isUnderstood(value)) continue;
    const place = allowed.length === 1 ? [...at, 'allowed'] : [...at, 'allowed', index];
    yield [place, `"${value}" can never succeed: Jetway understands ${words} here`, 'take it out'];
  }
}
