// Owns the texts on the keys of token endpoints, grants, scopes, tokens and their answers.

import type { KeyDocs } from './key_doc.ts';

export const tokenDocs: KeyDocs = {
  token_endpoints: {
    text: 'The endpoints that issue tokens, by names of your choosing; `grants` refers to them. Each must serve a grant.',
    example: '{ grant: { path: /token } }',
  },

  grants: {
    text: 'The grants that the programme offers (G-10, P-9), each at one token endpoint or several. At least one; a null switches one off that the variant has.',
    example: '{ client_credentials: null }',
  },
  'grants.authorization_code': {
    text: "A login's code is exchanged for tokens (RFC 6749 4.1.3). Its endpoint must declare the input `code`; `redirect_uri` and `code_verifier` are compared where declared and sent.",
    example: '{ endpoint: grant, role: member }',
    otherwise: 'the programme has no login',
  },
  'grants.refresh_token': {
    text: 'A refresh token is exchanged for new tokens and a successor (RFC 6749 6). Its endpoint must declare the input `refresh_token`. Without this grant no refresh tokens are issued.',
    example: '{ endpoint: grant, role: member }',
    otherwise: 'no refresh tokens',
  },
  'grants.client_credentials': {
    text: 'A client gets a token of its own, without a member (RFC 6749 4.4); there is no refresh token with it (G-11).',
    example: '{ endpoint: grant, role: partner }',
    otherwise: 'clients get no tokens of their own',
  },
  'grants.password': {
    text: 'A partner exchanges what its customer typed for tokens (RFC 6749 4.3, P-9). Its endpoint must declare the inputs `username` and `password`. RFC 9700 2.4 forbids it, and `check` warns of it.',
    example: '{ endpoint: grant, role: member }',
    beside: 'token_endpoints: { grant: { inputs: { username: {}, password: {} } } }',
    otherwise: 'off',
  },
  'grant.endpoint': {
    text: 'The token endpoint that serves it, by its name under `token_endpoints`, or a list of them (P-9): clients are told of the first.',
    example: '[key, refresh]',
    on: 'partner-login',
    beside: 'grants: { client_credentials: { role: partner } }',
  },
  'grant.grant_type': {
    text: 'The value of `grant_type` on the wire.',
    example: 'partner_login',
    otherwise: "the grant's own name",
  },
  'grant.access_lifetime': {
    text: 'How long access tokens of this grant are good, where that is not `tokens.access.lifetime`; within the same bounds.',
    example: '12h',
    otherwise: 'as `tokens.access.lifetime`',
  },
  'grant.role': {
    text: 'The role a client must have been given at onboarding (`--role`): `member` for those that log members in, `partner` for those with tokens of their own. Others get `grant_not_allowed` (G-20, P-11).',
    example: 'member',
  },

  scope: {
    text: 'What scopes there are. They are either levels, of which a token carries one (G-12), or names that are asked for (P-5); `kind` says which.',
    example: '{ member_default: AUTHN-LEVEL-12 }',
  },
  'level_scope.kind': {
    text: "Scopes are levels: how securely the token's owner was authenticated. A request may ask for a lower level, never for a higher one.",
    example: 'level',
  },
  'level_scope.values': {
    text: 'The levels, lowest first.',
    example: '[AUTHN-LEVEL-10, AUTHN-LEVEL-12, AUTHN-LEVEL-15, AUTHN-LEVEL-20]',
  },
  'level_scope.client': {
    text: "The level of a client's own tokens; one of `values`.",
    example: 'AUTHN-LEVEL-12',
  },
  'level_scope.member_default': {
    text: "The level of a member's tokens where the directory tells none, or one that is not in `values`.",
    example: 'AUTHN-LEVEL-12',
  },
  'list_scope.kind': {
    text: 'Scopes are names that a login or token request asks for (RFC 6749 3.3); what is not in `values` is `invalid_scope`. The login request must declare an input `scope`, where there is a login.',
    example: 'list',
    beside:
      'scope: { values: [stays], client: null, member_default: null }\nauthorize: { endpoint: { inputs: { scope: {} } } }',
  },
  'list_scope.values': {
    text: 'The scopes that exist. With an empty list every scope is refused.',
    example: '[reset_password, retrieve_username, statements]',
    on: 'partner-login',
  },
  'list_scope.separator': {
    text: 'What stands between several scopes in one value: a space or a comma; `none` takes one scope at a time.',
    example: '","',
    on: 'partner-login',
  },
  'list_scope.restricted': {
    text: 'Scopes for one purpose each: a gateway lets a token that holds one pass only where it asks for that scope (P-15). Names that are not in `values` mean nothing.',
    example: '[reset_password]',
    on: 'partner-login',
  },

  tokens: {
    text: 'The tokens themselves: form, lifetime, and what JWTs say.',
    example: '{ access: { format: jwt, lifetime: 15m } }',
  },
  'tokens.client_subject_prefix': {
    text: "Stands before the client identifier in the `sub` of a client's own token, so that it cannot be taken for a member's (C-9). When it changes, tokens that clients have by then are refused, and a member whose subject begins so gets none: those logins and refreshes are answered as an outage, and the log says why.",
    example: '"partner:"',
  },
  'tokens.access': {
    text: 'Access tokens: what a partner presents to the API.',
    example: '{ format: jwt, lifetime: 15m }',
  },
  'tokens.access.format': {
    text: '`opaque` tokens are random text that only Jetway can look up; `jwt` tokens are signed (RFC 9068) and come with a key set at `{base_path}/.well-known/jwks.json` (C-1).',
    example: 'jwt',
  },
  'tokens.access.lifetime': {
    text: 'How long an access token is good, from its issue (G-23). It never outlives `tokens.refresh.longest`, counted from the login; `check` warns beyond a day.',
    example: '15m',
  },
  'tokens.access.algorithm': {
    text: 'What JWTs are signed with, refresh tokens included (RFC 7518, RFC 8037). Of no effect where nothing is a JWT.',
    example: 'EdDSA',
  },
  'tokens.access.token_id': {
    text: "The form of a token's identifier, `jti` in JWTs: a UUID, or a whole number from 1 to 2^53-1 (P-7).",
    example: 'number',
  },
  'tokens.access.claims': {
    text: "Claims of the dialect's own, laid out as [fields](#fields-of-an-answer). A JWT always carries `iss`, `aud`, `sub`, `client_id`, `jti`, `iat`, `exp`, and where there is one `scope` and `family`: those win over claims of the same name.",
    example: '{ programme: programme_identifier, level: level }',
  },
  'tokens.refresh': {
    text: 'Refresh tokens. Each is used once and answered with its successor; reuse revokes all tokens of the login (G-23, RFC 9700 4.14).',
    example: '{ lifetime: 7d, longest: 90d }',
  },
  'tokens.refresh.format': {
    text: '`jwt` gives refresh tokens the look of one, for clients that insist (P-7). Jetway finds both kinds by digest and trusts nothing a refresh token says.',
    example: 'jwt',
  },
  'tokens.refresh.lifetime': {
    text: 'How long a refresh token can be used, from its issue; each use gives a new one. At most `longest`.',
    example: '12h',
  },
  'tokens.refresh.longest': {
    text: 'The end of a login: from then on no token that came from it is good, however often it was refreshed. Required, and in force, without a refresh grant too.',
    example: '90d',
  },
  'tokens.refresh.grace': {
    text: 'For how long a retry with a used refresh token gets the same answer once more, for clients whose connection broke. 5 minutes at most; `0s` allows no retry.',
    example: '30s',
  },

  token_response: {
    text: 'The answer to a token request that succeeded (RFC 6749 5.1). It always says `Cache-Control: no-store`.',
    example: '{ name_case: upper }',
  },
  'token_response.status': { text: 'Its HTTP status.', example: '201' },
  'token_response.encoding': {
    text: 'The form of its body: `json`; `form` (`application/x-www-form-urlencoded`, lists as repeated names); `xml` (one object around all, lists as repeated elements); or `text`, the bare value of its one field.',
    example: 'form',
  },
  'token_response.content_type': {
    text: 'Its `Content-Type`; it changes nothing about the body.',
    example: 'application/json; charset=utf-8',
    otherwise: 'that of the encoding',
  },
  'token_response.headers': {
    text: 'Headers beside those that Jetway sets itself: texts that are always the same, or [fields](#fields-of-an-answer), so that a header can hold the token. Of those, what is absent is left out.',
    example: '{ X-Interface-Version: v1, X-Subject-Token: { value: access_token } }',
  },
  'token_response.fields': {
    text: "The members of the answer, in order, as [fields](#fields-of-an-answer). A map is laid over the variant's; a list of maps replaces the variant's fields and fixes their order. One of them, or a header, must hold `access_token`.",
    example: '[{ accessToken: access_token }, { expiresIn: access_lifetime }]',
  },
  'token_response.wrap': {
    text: 'Names of objects to put the whole answer into, outermost first: `[token]` gives `{"token":{…}}` (P-8).',
    example: '[data, token]',
  },
  'token_response.name_case': {
    text: 'The case of all names in the answer (P-8), those in `wrap` included.',
    example: 'upper',
  },
};
