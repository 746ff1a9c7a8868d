// Owns what a contract promises of tokens: the grants of each endpoint and their answers, claims and
// lifetimes.

import { headerFields } from '../language/response_headers.ts';
import type { ValueShape } from '../language/value_shape.ts';
import { type FieldTree, writtenValues } from '../language/value_tree.ts';
import {
  clientPropertyPrefix,
  memberPropertyPrefix,
  sentPrefix,
} from '../language/vocabularies.ts';
import { type Milliseconds, milliseconds } from '../lib/clock.ts';
import type { Role } from '../oauth/client.ts';
import { type GrantType, grantTypes } from '../oauth/grant.ts';
import { accessClaims } from '../programme/answers/access_claims.ts';
import { cookieFields } from '../programme/answers/cookies.ts';
import { withCookies } from '../programme/answers/token_place.ts';
import type { Programme } from '../programme/programme.ts';
import type { Reading } from '../programme/requests/reading.ts';
import { payloadOf } from '../token/jwt.ts';
import { type Answers, bodyFormOf } from './answers.ts';
import {
  isOwnBy,
  sampleBudget,
  sampleClient,
  sampleFacts,
  sampleTokens,
  secondScope,
  tellsSeveral,
  withoutChance,
  sampleSent,
} from './samples/answers.ts';

export interface TokenEndpointPromise {
  /** Its name in the file: an endpoint with another path is still the same endpoint. */
  readonly name: string;
  readonly path: string;
  readonly reading: Reading;
  readonly grants: readonly GrantPromise[];
}

export interface GrantPromise {
  readonly grant: GrantType;
  /** The value of `grant_type`, where requests can name it. */
  readonly grantType: string | undefined;
  readonly role: Role;
  readonly answer: Answers;
}

/** What holds of the tokens of a grant, whichever endpoint gives them out. */
export interface TokenPromise {
  readonly grant: GrantType;
  readonly lifetime: Milliseconds;
  /** What the file says that they look like; undefined where that may change. */
  readonly form: TokenForm;
  /** The claims of JWTs. */
  readonly claims: Answers | undefined;
}

export type TokenForm = 'jwt' | ValueShape | undefined;

/** The lifetime of refresh tokens, where there are any. */
export interface RefreshPromise {
  readonly form: TokenForm;
  /** Each use replaces it. */
  readonly rotates: boolean;
  readonly lifetime: Milliseconds;
  readonly longest: Milliseconds;
  readonly grace: Milliseconds;
}

export function describeTokenEndpoints(programme: Programme): readonly TokenEndpointPromise[] {
  return programme.tokenEndpoints.map(({ name, path, reading, grants }) => {
    const isNamed = reading.inputs.some(({ role }) => role === 'grant_type');
    return {
      name,
      path,
      reading,
      grants: grants.map(({ type, wireValue, role }) => ({
        grant: type,
        grantType: isNamed ? wireValue : undefined,
        role,
        answer: answerTo(programme, type),
      })),
    };
  });
}

function answerTo(programme: Programme, grant: GrantType): Answers {
  const layout = programme.layouts.tokens;
  const mayHold = optional(programme, grant, [
    layout.fields,
    headerFields(layout.headers),
    cookieFields(layout.cookies),
  ]);
  return {
    form: bodyFormOf(layout.encoding),
    mayHold,
    render: (absent, valuing) => {
      const client = sampleClient(programme, mayHold, absent, valuing);
      const facts = sampleFacts(programme, grant, absent, mayHold);
      const sent = sampleSent(programme, mayHold, absent, valuing);
      return withoutChance(() =>
        withCookies(
          programme.renderTokens(sampleTokens(facts, absent), client, sampleBudget, sent),
        ),
      );
    },
  };
}

/** The values that these layouts write and that some tokens or clients lack. */
export function optional(
  programme: Programme,
  grant: GrantType,
  trees: readonly FieldTree[],
): readonly string[] {
  const { scopes: scope } = programme;
  const lacked = new Set([
    ...(scope.kind === 'list' && scope.default === undefined ? ['scope'] : []),
    ...(scope.kind === 'list' ? ['id_token'] : []),
    ...(isOwnBy(programme, grant) ? [] : ['level', 'membership_number']),
    'business_context',
    'partner_id',
  ]);
  const prefixes = [
    clientPropertyPrefix,
    sentPrefix,
    ...(isOwnBy(programme, grant) ? [] : [memberPropertyPrefix]),
  ];
  const written = new Set(trees.flatMap((tree) => [...writtenValues(tree, grant)]));
  return [
    ...(written.has('scope') && tellsSeveral(scope) ? [secondScope] : []),
    ...[...written].filter(
      (name) => lacked.has(name) || prefixes.some((prefix) => name.startsWith(prefix)),
    ),
  ];
}

export function describeTokens(programme: Programme): readonly TokenPromise[] {
  const { access, grants, refresh } = programme;
  return grantTypes.flatMap((grant) => {
    if (!grants.has(grant)) return [];
    const lifetime = access.lifetimes[grant];
    const isOfLogin = grant !== 'client_credentials' || programme.refreshing.has(grant);
    const isJwt = access.formats[grant] === 'jwt';
    const isCut = isOfLogin && refresh.longest < lifetime;
    return {
      grant,
      lifetime: isCut ? refresh.longest : lifetime,
      form: isJwt ? 'jwt' : access.forms[grant],
      claims: isJwt ? claimsOf(programme, grant) : undefined,
    };
  });
}

export function describeRefresh({ grants, refresh }: Programme): RefreshPromise | undefined {
  if (!grants.has('refresh_token')) return undefined;
  return {
    form: refresh.format === 'jwt' ? 'jwt' : refresh.form,
    rotates: refresh.rotation === 'on',
    lifetime: milliseconds(Math.min(refresh.lifetime, refresh.longest)),
    longest: refresh.longest,
    grace: refresh.grace,
  };
}

function claimsOf(programme: Programme, grant: GrantType): Answers {
  const mayHold = optional(programme, grant, [programme.layouts.claims]);
  return {
    form: 'json',
    mayHold,
    render: (absent) => {
      const client = sampleClient(programme, mayHold, absent);
      const facts = sampleFacts(programme, grant, absent, mayHold);
      const isOfLogin = grant !== 'client_credentials' || programme.refreshing.has(grant);
      const family = isOfLogin ? { family: '7000000000000007' } : {};
      const claims = payloadOf({ ...accessClaims(programme, client, facts), ...family });
      return { headers: {}, body: JSON.stringify(claims) };
    },
  };
}
