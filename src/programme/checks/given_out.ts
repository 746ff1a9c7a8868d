// Owns samples of all values that Jetway generates or registers: codes, tokens, identifiers, keys.
// The samples span each shape: an input that refuses one of them is a fault of the file.

import type { GrantType } from '../../oauth/grant.ts';
import { refreshTextShape } from '../../token/sealed/refresh_text.ts';
import { accessFormatOf, accessFormOf } from '../access_formats.ts';
import type { Definition } from '../language/definition.ts';
import type { Comparison, InputDefinition } from '../language/input_schema.ts';
import { alphabetOf, type CharacterClass, type ValueShape } from '../language/value_shape.ts';
import { assertionType } from '../requests/client_assertion.ts';
import { offeredGrants } from '../requests/grant_places.ts';

/** The length of a generated identifier whose shape allows several lengths. */
export const usualIdentifierLength = 16;
export const usualCodeLength = 64;

const refreshShape: ValueShape = {
  ...refreshTextShape,
  length: { min: refreshTextShape.length, max: refreshTextShape.length },
};

/** A description of the values, and samples with each character and length of them. */
export interface Given {
  readonly what: string;
  readonly samples: readonly string[];
}

/**
 * The values that an input must accept; undefined if partners choose them.
 *
 * @param role undefined for an input that the endpoint does nothing with
 */
export function givenTo(
  role: string | undefined,
  { must_equal: comparison }: Pick<InputDefinition, 'must_equal'>,
  definition: Definition,
): Given | undefined {
  const byRole = role !== undefined && givenRoles.has(role) ? givenByRole[role] : undefined;
  const given = byRole ?? (comparison === undefined ? undefined : givenByComparison[comparison]);
  return given?.(definition);
}

type GivenBy = (definition: Definition) => Given | undefined;

function givenIdentifiers({ client }: Definition): Given {
  return {
    what: 'identifiers of the shape in client.identifier',
    samples: shapeSamples(client.identifier, usualIdentifierLength),
  };
}

function accessSamples(definition: Definition, type: GrantType): readonly string[] {
  if (accessFormatOf(definition, type) === 'jwt') return [300, 2400].map(jwtLike);
  const form = accessFormOf(definition, type);
  if (form !== undefined) return shapeSamples(form, usualCodeLength);
  return [50, 2400].flatMap((length) => textsOf('base64url', length));
}

/** Every character of JWTs. */
function jwtLike(length: number): string {
  return `eyJ${'A.-_09az'.repeat(length / 8)}`.slice(0, length);
}

function givenRefreshTokens({ format, form }: Definition['tokens']['refresh']): Given {
  if (format === 'jwt') {
    return {
      what: 'refresh tokens, which are JWTs of 300 to 2400 characters',
      samples: [300, 2400].map(jwtLike),
    };
  }
  if (form !== undefined) {
    const what = 'refresh tokens of the shape in tokens.refresh.form';
    return { what, samples: shapeSamples(form, usualCodeLength) };
  }
  return {
    what: `refresh tokens, which are "r" and ${refreshTextShape.length} characters of base64url`,
    samples: shapeSamples(refreshShape, 0),
  };
}

/** Clients make them: at most 16384 characters are read. */
const assertions: Given = {
  what: 'assertions, which are JWTs of 200 to 16384 characters',
  samples: [200, 16_384].map((length) => `eyJ${'A.-_09az'.repeat(length / 8)}`.slice(0, length)),
};

const givenByRole: Readonly<Record<string, GivenBy>> = {
  client_id: givenIdentifiers,
  client_secret: () => ({
    what: 'secrets that Jetway generates: 43 characters of base64url',
    samples: textsOf('base64url', 43),
  }),
  redirect_uri: () => ({
    what: 'redirect URIs that can be registered',
    samples: ['https://a.example', 'http://127.0.0.1:1/', 'a.b:/', longestRedirectUri],
  }),
  brand: ({ login }) => {
    const samples = Object.keys(login.brands);
    return samples.length === 0 ? undefined : { what: 'brands that login.brands has', samples };
  },
  scope: ({ scope }) => ({
    what: 'scopes that scope.values has',
    samples:
      scope.kind === 'level' || scope.separator === 'none'
        ? scope.values
        : [...scope.values, scope.values.join(scope.separator)],
  }),
  client_assertion_type: () => ({
    what: `"${assertionType}", the type of client assertions`,
    samples: [assertionType],
  }),
  client_assertion: () => assertions,
  assertion: () => assertions,
  code_challenge: () => ({
    what: 'challenges of PKCE: 43 characters of base64url (RFC 7636 4.2)',
    samples: textsOf('base64url', 43),
  }),
  code_challenge_method: () => ({ what: '"S256", the one method of PKCE', samples: ['S256'] }),
  code_verifier: () => ({
    what: 'verifiers of PKCE: 43 to 128 letters, digits, "-", ".", "_" and "~" (RFC 7636 4.1)',
    samples: [43, 128].flatMap((length) => spread(`${alphabetOf('base64url')}.~`, length)),
  }),
  code: ({ code }) => ({
    what: 'codes of the shape in code',
    samples: shapeSamples(code, usualCodeLength),
  }),
  refresh_token: ({ tokens }) => givenRefreshTokens(tokens.refresh),
  subject_token: (definition) => ({
    what: 'access tokens of the programme: 50 to 2400 characters of base64url, of the shape in tokens.access.form, or JWTs',
    samples: offeredGrants(definition).flatMap((type) => accessSamples(definition, type)),
  }),
};

/** Roles whose values Jetway generates or registers, with or without a comparison. */
export const givenRoles: ReadonlySet<string> = new Set(Object.keys(givenByRole));

const longestRedirectUri =
  `https://a.example/${alphabetOf('visible').replaceAll(/[*\\<>"^`{|}#%]/g, '')}%20`.padEnd(
    2000,
    'a',
  );

/** What a property can be, the operator says: `client add` refuses values that an input does not take. */
const givenByComparison: Readonly<Partial<Record<Comparison, GivenBy>>> = {
  'programme.identifier': ({ programme_identifier: identifier }) => ({
    what: `"${identifier}", the programme_identifier`,
    samples: [identifier],
  }),
  'client.id': givenIdentifiers,
  'client.business_context': () => ({
    what: 'business contexts that can be registered: 1 to 50 letters (P-1)',
    samples: [...textsOf('letters', 1), ...textsOf('letters', 50)],
  }),
  'client.partner_id': () => ({
    what: 'partner ids that can be registered: 8 to 20 letters and digits (P-1)',
    samples: [...textsOf('alphanumeric', 8), ...textsOf('alphanumeric', 20)],
  }),
  'client.api_key': () => ({
    what: 'API keys that Jetway generates: jw_staging_ or jw_live_ and 43 characters of base64url',
    samples: ['jw_staging_', 'jw_live_'].flatMap((prefix) =>
      textsOf('base64url', 43).map((text) => prefix + text),
    ),
  }),
};

function shapeSamples(
  { prefix = '', characters = 'alphanumeric', length }: ValueShape,
  usual: number,
): readonly string[] {
  const lengths = new Set([length?.min ?? usual, length?.max ?? usual]);
  return [...lengths].flatMap((count) =>
    textsOf(characters, Math.max(1, count)).map((text) => prefix + text),
  );
}

function textsOf(characters: CharacterClass, length: number): readonly string[] {
  return spread(alphabetOf(characters), length);
}

/** Texts of the length that together contain every letter, and all begin differently. */
function spread(alphabet: string, length: number): readonly string[] {
  const count = Math.ceil(alphabet.length / length);
  const starts = count === 1 ? [0, 1] : Array.from({ length: count }, (_, index) => index * length);
  return starts.map((start) => {
    const turned = alphabet.slice(start) + alphabet.slice(0, start);
    return turned.repeat(Math.ceil(length / alphabet.length)).slice(0, length);
  });
}
