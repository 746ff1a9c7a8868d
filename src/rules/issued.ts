// Owns the checks that a dialect understands the values that it gives out itself: codes, tokens, identifiers and
// scopes come back in its own inputs.

import type { Definition } from '../language/definition.ts';
import type { Comparison, InputDefinition } from '../language/input_schema.ts';
import { beginning, type TokenShape } from '../language/tokens/token_schema.ts';
import {
  alphabetOf,
  isNarrower,
  usualCodeLength,
  usualIdentifierLength,
  type ValueShape,
} from '../language/value_shape.ts';
import type { Path } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import { type GrantType, grantTypes, jwtBearer, tokenExchange } from '../oauth/grant.ts';
import { listScopes } from '../oauth/scope.ts';
import { requestedLifetime } from '../programme/requests/choices.ts';
import { offeredGrants, grantsAt, wordAt } from '../programme/requests/grant_places.ts';
import { compileInput } from '../programme/requests/inputs.ts';
import { assertionType } from '../programme/requests/presented_credentials.ts';
import { accessFormatOf, accessFormOf, refreshFormOf } from '../programme/token_forms.ts';
import type { Complaint } from '../schema/faults.ts';
import { refreshTextShape } from '../token/sealed/refresh_text.ts';

/** All texts of these shapes, or these values. */
export interface Issued {
  readonly what: string;
  readonly shapes?: readonly IssuedShape[];
  readonly values?: readonly string[];
}

interface IssuedShape extends ValueShape {
  /** Characters besides those of the class. */
  readonly also?: string;
}

/** The keys of an input that can refuse a value, in the order of the tests. */
export const demands = ['prefix', 'characters', 'length', 'format', 'allowed'] as const;

/** Whether this key of an input alone refuses one of the values. */
export function refuses(
  { shapes = [], values = [] }: Issued,
  { prefix, ...input }: InputDefinition,
  key: (typeof demands)[number],
): boolean {
  const alone = present({ prefix, [key]: key === 'prefix' ? prefix : input[key] });
  const { fits } = compileInput('', { required: false, ...alone }, '');
  // No list and no format holds all texts of a shape.
  const isClosed = key === 'format' || key === 'allowed';
  return !values.every(fits) || shapes.some((shape) => isClosed || isNarrower(shape, alone));
}

/**
 * The values that an input must accept; undefined if partners choose them.
 *
 * @param role undefined for an input that the endpoint does nothing with
 */
export function issuedTo(
  role: string | undefined,
  { must_equal: comparison }: Pick<InputDefinition, 'must_equal'>,
  definition: Definition,
): Issued | undefined {
  const { draws } = definition.authorize;
  if (role !== undefined && Object.hasOwn(draws, role)) {
    const shapes = generated(draws[role] ?? {}, usualIdentifierLength);
    return { what: `values of the shape in authorize.draws.${role}`, shapes };
  }
  const byRole = role !== undefined && issuedRoles.has(role) ? issuedByRole[role] : undefined;
  const issued = byRole ?? (comparison === undefined ? undefined : comparedWith[comparison]);
  return issued?.(definition);
}

type IssuedBy = (definition: Definition) => Issued | undefined;

function span(min: number, max = min): { readonly length: { min: number; max: number } } {
  return { length: { min, max } };
}

/** A shape as values of it are generated. */
function generated(shape: ValueShape, usual: number): readonly IssuedShape[] {
  const { prefix = '', characters = 'alphanumeric', length } = shape;
  return [{ prefix, characters, ...span(length?.min ?? usual, length?.max ?? usual) }];
}

/** Every character of JWTs. */
function jwts(min: number, max: number): readonly IssuedShape[] {
  return [{ prefix: 'eyJ', characters: 'base64url', also: '.', ...span(min - 3, max - 3) }];
}

function accessTokens(definition: Definition, type: GrantType): readonly IssuedShape[] {
  if (accessFormatOf(definition, type) === 'jwt') return jwts(300, 2400);
  const form = accessFormOf(definition, type);
  if (form !== undefined) return formed(form);
  return [{ characters: 'base64url', ...span(50, 2400) }];
}

/** Tokens of a form, with and without what of the member they begin with. */
function formed(form: TokenShape): readonly IssuedShape[] {
  const shapes = generated(form, usualCodeLength);
  if (form.begins_with === undefined) return shapes;
  const { prefix = '', characters = 'alphanumeric' } = form;
  const also = `.~+/${prefix}${alphabetOf(characters)}`;
  const begun = shapes.map(({ length: { min, max } = { min: 0, max: 0 } }) => ({
    characters: 'base64url' as const,
    also,
    ...span(1 + prefix.length + min, beginning.longest + prefix.length + max),
  }));
  return [...shapes, ...begun];
}

const ofAccessTokens: IssuedBy = (definition) => ({
  what: 'access tokens of the programme: 50 to 2400 characters of base64url, of the shape in tokens.access.form, or JWTs',
  shapes: offeredGrants(definition).flatMap((type) => accessTokens(definition, type)),
});

function refreshTokens(definition: Definition): Issued {
  const { format } = definition.tokens.refresh;
  const form = refreshFormOf(definition);
  if (format === 'jwt') {
    const what = 'refresh tokens, which are JWTs of 300 to 2400 characters';
    return { what, shapes: jwts(300, 2400) };
  }
  if (form !== undefined) {
    const what = 'refresh tokens of the shape in tokens.refresh.form';
    return { what, shapes: formed(form) };
  }
  return {
    what: `refresh tokens, which are "r" and ${refreshTextShape.length} characters of base64url`,
    shapes: [{ ...refreshTextShape, ...span(refreshTextShape.length) }],
  };
}

const identifiers: IssuedBy = ({ client }) => ({
  what: 'identifiers of the shape in client.identifier',
  shapes: generated(client.identifier, usualIdentifierLength),
});

/** Clients make them: at most 16384 characters are read. */
const assertions: IssuedBy = () => ({
  what: 'assertions, which are JWTs of 200 to 16384 characters',
  shapes: jwts(200, 16_384),
});

const issuedByRole: Readonly<Record<string, IssuedBy>> = {
  client_id: identifiers,
  client_secret: () => ({
    what: 'secrets that Jetway generates: 43 characters of base64url',
    shapes: [{ characters: 'base64url', ...span(43) }],
  }),
  redirect_uri: () => ({
    what: 'redirect URIs that can be registered',
    shapes: [{ characters: 'visible', ...span(5, 2000) }],
  }),
  brand: ({ login }) => {
    const values = Object.keys(login.brands);
    return values.length === 0 ? undefined : { what: 'brands that login.brands has', values };
  },
  scope: ({ scope }) => ({
    what: 'scopes that scope.values has',
    values:
      scope.kind === 'level' || scope.separator === 'none'
        ? scope.values
        : [...scope.values, scope.values.join(scope.separator)],
  }),
  client_assertion_type: () => ({
    what: `"${assertionType}", the type of client assertions`,
    values: [assertionType],
  }),
  client_assertion: assertions,
  assertion: assertions,
  code_challenge: () => ({
    what: 'challenges of PKCE: 43 characters of base64url (RFC 7636 4.2)',
    shapes: [{ characters: 'base64url', ...span(43) }],
  }),
  code_challenge_method: () => ({ what: '"S256", the one method of PKCE', values: ['S256'] }),
  code_verifier: () => ({
    what: 'verifiers of PKCE: 43 to 128 letters, digits, "-", ".", "_" and "~" (RFC 7636 4.1)',
    shapes: [{ characters: 'base64url', also: '.~', ...span(43, 128) }],
  }),
  code: ({ code }) => ({
    what: 'codes of the shape in code',
    shapes: generated(code, usualCodeLength),
  }),
  refresh_token: refreshTokens,
  client_token: ofAccessTokens,
  subject_token: ofAccessTokens,
};

/** Roles whose values Jetway generates or registers, with or without a comparison. */
export const issuedRoles: ReadonlySet<string> = new Set(Object.keys(issuedByRole));

/** What a property can be, the operator says: `client add` refuses values that an input does not take. */
const comparedWith: Readonly<Partial<Record<Comparison, IssuedBy>>> = {
  'programme.identifier': ({ programme_identifier: identifier }) => ({
    what: `"${identifier}", the programme_identifier`,
    values: [identifier],
  }),
  'client.id': identifiers,
  'client.business_context': () => ({
    what: 'business contexts that can be registered: 1 to 50 letters (P-1)',
    shapes: [{ characters: 'letters', ...span(1, 50) }],
  }),
  'client.partner_id': () => ({
    what: 'partner ids that can be registered: 8 to 20 letters and digits (P-1)',
    shapes: [{ characters: 'alphanumeric', ...span(8, 20) }],
  }),
  'client.api_key': () => ({
    what: 'API keys that Jetway generates: jw_staging_ or jw_live_ and 43 characters of base64url',
    shapes: ['jw_staging_', 'jw_live_'].map((prefix) => ({
      prefix,
      characters: 'base64url' as const,
      ...span(43),
    })),
  }),
};

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
const accessTokenTypes: Understood = [
  'types of access tokens',
  (value) => !otherTokens.test(value),
];

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
    const endpoint = definition.token_endpoints[name ?? ''];
    const words = grantsAt(definition, name ?? '').map((type) =>
      wordAt(definition, endpoint, type),
    );
    // Those of a grant that is not offered here, too: only what is no grant's word is a slip of the pen.
    const known = new Set([
      ...grantTypes.flatMap((type) => [type, wordAt(definition, endpoint, type)]),
      jwtBearer,
      tokenExchange,
    ]);
    return [words.join(', '), (value) => known.has(value)];
  },
  answer_form: ({ answer_forms: forms = {} }) => oneOf(Object.keys(forms)),
  access_lifetime: ({ tokens: { access } }) => [
    'what tokens.access.requested has',
    (value) =>
      access.requested === undefined || requestedLifetime(access.requested, value) !== undefined,
  ],
  resource: ({ resources }) => [
    'what resources has',
    (value) => resources.length === 0 || resources.includes(value),
  ],
  subject_token_type: () => accessTokenTypes,
  requested_token_type: () => accessTokenTypes,
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
