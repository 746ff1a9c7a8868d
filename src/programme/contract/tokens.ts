// Owns what a contract tells of tokens: client authentication, grants and their answers, and the
// tokens' form and lifetimes.

import { type Milliseconds, milliseconds } from '../../lib/clock.ts';
import { type ClientId, isHeaderMethod } from '../../oauth/client.ts';
import { type GrantType, grantTypes } from '../../oauth/grant.ts';
import { payloadOf } from '../../token/jwt.ts';
import { accessClaims } from '../answers/access_claims.ts';
import type { Definition } from '../language/definition.ts';
import { headerFields } from '../language/response_headers.ts';
import { describeShape } from '../language/value_shape.ts';
import { type FieldTree, writtenValues } from '../language/value_tree.ts';
import { clientPropertyPrefix } from '../language/vocabularies.ts';
import type { Programme } from '../programme.ts';
import { grantsAt } from '../requests/grant_places.ts';
import { bodyFormOf } from './failures.ts';
import { readingItems } from './inputs.ts';
import {
  answers,
  type Endpoint,
  type Item,
  limit,
  limitText,
  names,
  offer,
  span,
  text,
} from './item.ts';
import { sampleBudget, sampleClient, sampleFacts, sampleTokens, withoutChance } from './samples.ts';
import { selectorItems } from './selector.ts';

export function clientAuthentication({ client }: Definition, programme: Programme): Endpoint {
  const { methods, credentials } = client.authentication;
  const inHeader = methods.some(isHeaderMethod);
  return {
    kind: 'client authentication',
    items: [
      ...methods.map((method) => offer(methodWords[method], 'accepted')),
      ...(inHeader ? [text('credentials in the header', credentialWords[credentials])] : []),
      {
        title: 'client identifiers',
        promise: {
          kind: 'shape',
          text: describeShape(client.identifier),
          shape: client.identifier,
        },
      },
      text('wrong secrets from one address', limitText(programme.clients.failureLimit)),
      limit('requests of a client', programme.throttle),
    ],
  };
}

const methodWords = {
  basic: 'Authorization: Basic',
  bare_basic: 'Authorization without a scheme',
  parameters: 'client_id and client_secret as parameters',
  self_signed_tls_client_auth: 'client_id beside a registered certificate (RFC 8705)',
  tls_client_auth: 'client_id beside a certificate of a registered name (RFC 8705)',
} as const;

const credentialWords = {
  raw: 'as they are',
  form: 'form-encoded',
  either: 'as they are, or form-encoded',
  base64: 'each in base64',
} as const;

export function tokenEndpoints(definition: Definition, programme: Programme): readonly Endpoint[] {
  return Object.entries(definition.token_endpoints).map(([name, endpoint], index) => {
    const path = programme.tokenEndpoints[index]?.path ?? '';
    const grants = grantsAt(definition, name);
    return {
      kind: 'token endpoint',
      path,
      name,
      requests: grants,
      items: [
        ...selectorItems(programme, path),
        ...grants.map((grant) => offer(`grant ${grant}`, grantWords(definition, name, grant))),
        ...readingItems({ definition, programme, endpoint, requests: grants }),
        ...grants.map((grant) => answerItem(definition, programme, grant)),
      ],
    };
  });
}

/** `grant_type` where requests can name it. */
function grantWords({ grants, token_endpoints }: Definition, at: string, type: GrantType): string {
  const isNamed = token_endpoints[at]?.inputs['grant_type'] !== undefined;
  const name = isNamed ? `grant_type ${grants[type]?.grant_type ?? type}, ` : '';
  return `${name}for clients with the role ${grants[type]?.role ?? ''}`;
}

function answerItem(definition: Definition, programme: Programme, grant: GrantType): Item {
  const { token_response: layout } = definition;
  const mayHold = optional(definition, grant, [layout.fields, headerFields(layout.headers)]);
  return answers(`answer to ${grant}`, {
    form: bodyFormOf(layout.encoding),
    mayHold,
    render: (absent) => {
      const client = sampleClient(programme, mayHold, absent);
      const facts = sampleFacts(definition, programme, grant, absent);
      return withoutChance(() => programme.renderTokens(sampleTokens(facts), client, sampleBudget));
    },
  });
}

/** The values that these layouts write and that some tokens or clients lack. */
function optional(
  { scope }: Definition,
  grant: GrantType,
  trees: readonly FieldTree[],
): readonly string[] {
  const lacked = new Set([
    ...(scope.kind === 'list' ? ['scope'] : []),
    ...(grant === 'client_credentials' ? [] : ['level', 'membership_number']),
    'business_context',
    'partner_id',
  ]);
  const written = new Set(trees.flatMap((tree) => [...writtenValues(tree, grant)]));
  return [...written].filter((name) => lacked.has(name) || name.startsWith(clientPropertyPrefix));
}

/** What holds of tokens, whichever endpoint gives them out. */
export function tokenItems(definition: Definition, programme: Programme): Endpoint {
  const { tokens } = definition;
  const { access, grants, refresh } = programme;
  const granted = grantTypes.filter((grant) => grants.has(grant));
  const isJwt = access.format === 'jwt';
  const ofMember = (length: Milliseconds): Milliseconds =>
    milliseconds(Math.min(length, refresh.longest));
  return {
    kind: 'tokens',
    items: [
      text('access tokens', isJwt ? `JWTs, signed ${access.algorithm}` : 'opaque'),
      ...granted.map((grant) =>
        span(
          `lifetime of an access token by ${grant}`,
          grant === 'client_credentials'
            ? access.lifetimes[grant]
            : ofMember(access.lifetimes[grant]),
        ),
      ),
      ...(isJwt ? granted.map((grant) => claimsItem(definition, programme, grant)) : []),
      ...(grants.has('refresh_token')
        ? [
            text(
              'refresh tokens',
              tokens.refresh.format === 'jwt' ? `JWTs, signed ${access.algorithm}` : 'opaque',
            ),
            span('lifetime of a refresh token', ofMember(refresh.lifetime)),
            span('longest time of a login', refresh.longest),
            span('time in which a refresh can be repeated', refresh.grace),
          ]
        : []),
      ...scopeItems(definition),
      ...(grants.has('client_credentials')
        ? [
            text(
              "subject of a client's own token",
              programme.clientSubject('CLIENT-ID' as ClientId),
            ),
          ]
        : []),
      ...numberItems(programme),
    ],
  };
}

function claimsItem(definition: Definition, programme: Programme, grant: GrantType): Item {
  const mayHold = optional(definition, grant, [definition.tokens.access.claims]);
  return answers(`claims of a token by ${grant}`, {
    form: 'json',
    mayHold,
    render: (absent) => {
      const client = sampleClient(programme, mayHold, absent);
      const facts = sampleFacts(definition, programme, grant, absent);
      const family = grant === 'client_credentials' ? {} : { family: '7000000000000007' };
      const claims = payloadOf({ ...accessClaims(programme, client, facts), ...family });
      return { headers: {}, body: JSON.stringify(claims) };
    },
  });
}

function scopeItems({ scope, grants }: Definition): readonly Item[] {
  if (scope.kind === 'list') {
    const between = { ' ': 'spaces', ',': 'commas', none: 'one scope at most' }[scope.separator];
    return [
      names('scopes', scope.values),
      text('several scopes', between),
      names(
        'scopes that open what demands none',
        scope.values.filter((value) => !scope.restricted.includes(value)),
      ),
    ];
  }
  const ofMembers = grantTypes.some(
    (grant) => grant !== 'client_credentials' && grants[grant] !== undefined,
  );
  return [
    names('levels', scope.values, ' < '),
    ...(grants.client_credentials === undefined
      ? []
      : [text("level of a client's own token", scope.client)]),
    ...(ofMembers ? [text('level of a member of whom none is known', scope.member_default)] : []),
  ];
}

/** Members whose number does not fit get no token. */
function numberItems({ memberNumber: { neededBy, form } }: Programme): readonly Item[] {
  if (neededBy.size === 0) return [];
  return [text('membership number', `${form}, needed by ${[...neededBy].join(', ')}`)];
}
