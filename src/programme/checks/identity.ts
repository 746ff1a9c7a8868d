// Owns the checks of identity tokens and userinfo: who can ask for them, and where they are told.

import { type Complaint, wrong } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { headerFields } from '../language/response_headers.ts';
import { openid } from '../language/tokens/identity_schema.ts';
import { writtenValues } from '../language/value_tree.ts';

/** OpenID Connect Core 2; with `nbf` a dialect could make tokens that are never valid. */
const reservedClaims = /^(?:iss|sub|aud|exp|nbf|iat|auth_time|nonce|at_hash)$/;

/** Values that exist only in the answer that issues the tokens. */
const ofAnswers = ['access_token', 'refresh_token', 'id_token', 'request_id'];
const ofIssue = ['token_id', 'grant', 'refresh_lifetime', 'refresh_expires_at'];

export function* identityComplaints(definition: Definition): Iterable<Complaint> {
  const { id_token: identity, userinfo, grants, scope, token_response: response } = definition;
  const told = [response.fields, headerFields(response.headers)].some((tree) =>
    writtenValues(tree, 'authorization_code').has('id_token'),
  );
  yield* wrong([
    identity === undefined && told,
    ['token_response', 'fields'],
    'there are no identity tokens for id_token to tell',
    'turn them on with id_token: {}',
  ]);
  yield* fieldComplaints(definition);
  yield* wrong([
    userinfo !== undefined && identity !== undefined && userinfo.fields.get('sub') !== 'subject',
    ['userinfo', 'fields'],
    'with identity tokens the answer needs sub (OpenID Connect Core 5.3.2)',
    'add sub: subject',
  ]);
  if (identity === undefined) return;
  yield* wrong(
    [
      grants.authorization_code === undefined,
      ['id_token'],
      'identity tokens come with the grant authorization_code, which the programme does not offer',
    ],
    [
      grants.authorization_code !== undefined && !told,
      ['token_response', 'fields'],
      'the answer to authorization_code does not hold the id_token',
      'add a field with id_token',
    ],
    [
      scope.kind === 'list' && !scope.values.includes(openid),
      ['scope', 'values'],
      `no login can ask for identity tokens: "${openid}" is none of the scopes (OpenID Connect Core 3.1.2.1)`,
      `add ${openid}`,
    ],
  );
}

function* fieldComplaints({ id_token: identity, userinfo }: Definition): Iterable<Complaint> {
  for (const name of identity?.claims.keys() ?? []) {
    if (!reservedClaims.test(name)) continue;
    yield [['id_token', 'claims', name], `Jetway sets the claim "${name}" itself`];
  }
  const places = [
    [['id_token', 'claims'], identity?.claims, ofAnswers, 'an identity token cannot hold the'],
    [['userinfo', 'fields'], userinfo?.fields, [...ofAnswers, ...ofIssue], 'userinfo has no'],
  ] as const;
  for (const [at, tree, absent, words] of places) {
    const values = tree === undefined ? new Set<string>() : writtenValues(tree);
    for (const value of absent) if (values.has(value)) yield [at, `${words} ${value}`];
  }
}
