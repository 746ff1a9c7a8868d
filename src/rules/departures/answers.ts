// Owns departures in the answers to token requests and in the tokens that they bring.

import type { Definition } from '../../language/definition.ts';
import { fieldAtTop, valueOf, writtenValues } from '../../language/value_tree.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { grantsWith } from '../../programme/answers/beside.ts';
import { identityAlgorithm } from '../../programme/answers/identity.ts';
import { offeredGrants } from '../../programme/requests/grant_places.ts';
import { wrong } from '../../schema/faults.ts';
import type { JoinedDeparture } from './requests.ts';

/** By the stable name of the warning. */
export const answerDepartures: Readonly<Record<string, JoinedDeparture>> = {
  access_token_elsewhere: {
    when: (definition) => !isAtTop(definition, 'access_token', offeredGrants(definition)),
    at: ['token_response', 'fields'],
    message: 'standard clients do not find access_token at the top of the answer (RFC 6749 5.1)',
    hint: 'partners of this programme need the client its document describes',
  },

  no_token_type: {
    isQuiet: true,
    when: ({ token_response: response, ...definition }) =>
      !offeredGrants(definition).every((grant) => {
        const field = fieldAtTop(response, 'token_type', grant);
        const isConstant = typeof field === 'object' && 'constant' in field;
        return isConstant && String(field.constant).toLowerCase() === 'bearer';
      }),
    at: ['token_response', 'fields'],
    message:
      'answers do not say that token_type is bearer (RFC 6749 5.1, OpenID Connect Core 3.1.3.3)',
    hint: 'add token_type: { constant: bearer }',
  },

  id_token_elsewhere: {
    isQuiet: true,
    when: (definition) =>
      definition.id_token !== undefined && !isAtTop(definition, 'id_token', ['authorization_code']),
    at: ['token_response', 'fields'],
    message:
      'standard clients do not find id_token at the top of the answer (OpenID Connect Core 3.1.3.3)',
    hint: 'add id_token: id_token',
  },

  identity_algorithm: {
    find: (definition) => {
      const { id_token: identity } = definition;
      const algorithm = identity && identityAlgorithm(identity, definition);
      const at =
        identity?.algorithm === undefined
          ? ['tokens', 'access', 'algorithm']
          : ['id_token', 'algorithm'];
      return wrong([
        algorithm !== undefined && algorithm !== 'RS256',
        at,
        `identity tokens are signed with ${algorithm}, not with RS256 (OpenID Connect Core 15.1, OpenID Connect Discovery 3)`,
        'clients that know RS256 alone refuse them: set id_token.algorithm to RS256',
      ]);
    },
  },

  no_issued_token_type: {
    isQuiet: true,
    when: (definition) =>
      definition.grants.token_exchange !== undefined &&
      !isAtTop(definition, 'issued_token_type', ['token_exchange']),
    at: ['token_response', 'fields'],
    message: 'the answer to an exchange does not say issued_token_type (RFC 8693 2.2.1)',
    hint: 'add issued_token_type: issued_token_type, which is absent with other grants',
  },

  client_scope_untold: {
    isQuiet: true,
    find: (definition) => {
      const { scope } = definition;
      const told = grantsWith(definition, 'client_token_scope');
      const isGranted = scope.kind === 'level' || scope.default !== undefined;
      return wrong([
        isGranted && grantsWith(definition, 'client_token').some((grant) => !told.includes(grant)),
        ['token_response', 'fields'],
        'answers do not tell the scope of the client_token, which is granted unasked (RFC 6749 3.3)',
        'add a field with client_token_scope',
      ]);
    },
  },

  level_untold: {
    isQuiet: true,
    when: (definition) => definition.scope.kind === 'level' && !tellsScope(definition),
    at: ['scope', 'kind'],
    message: 'answers do not tell the level that was granted (RFC 6749 3.3 and 5.1)',
    hint: 'add a field with scope to token_response.fields',
  },

  scope_untold: {
    when: (definition) =>
      definition.scope.kind === 'list' &&
      definition.scope.default !== undefined &&
      !tellsScope(definition),
    at: ['scope', 'default'],
    message: 'answers do not tell the scope that was granted unasked (RFC 6749 3.3)',
    hint: 'add a field with scope to token_response.fields',
  },
};

/** Whether these answers hold a value at the top of JSON, by its own name. */
function isAtTop(
  { token_response }: Definition,
  value: string,
  grants: readonly GrantType[],
): boolean {
  return grants.every((grant) => valueOf(fieldAtTop(token_response, value, grant)) === value);
}

/** A refresh gives what the login gave, so that its answer need not say it (RFC 6749 6). */
function tellsScope(definition: Definition): boolean {
  const { fields } = definition.token_response;
  return offeredGrants(definition).every(
    (grant) => grant === 'refresh_token' || writtenValues(fields, grant).has('scope'),
  );
}
