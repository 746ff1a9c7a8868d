// Owns the checks of what answers tell: each answer to a grant holds its token, texts of reasons and names
// of redirects, and the answer to a code has its identity token.

import type { Definition } from '../language/definition.ts';
import { openid } from '../language/tokens/identity_schema.ts';
import { writtenValues } from '../language/value_tree.ts';
import { extraPrefix } from '../language/vocabularies.ts';
import { treesOf } from '../programme/answers/layouts.ts';
import { offeredGrants } from '../programme/requests/grant_places.ts';
import { type Complaint, wrong } from '../schema/complaint.ts';

export function* answerComplaints(definition: Definition): Iterable<Complaint> {
  const places = treesOf(definition, 'token answer');
  for (const grant of offeredGrants(definition)) {
    if (places.some((place) => writtenValues(place, grant).has('access_token'))) continue;
    yield [['token_response', 'fields'], `the answer to ${grant} does not hold the access_token`];
  }
  yield* extraComplaints(definition);
  const { more, ...parameters } = definition.authorize.answer;
  const names = [...Object.values(parameters), ...more.keys()];
  yield* wrong([
    new Set(names).size < names.length,
    ['authorize', 'answer'],
    'two parameters of the redirect have one name',
  ]);
}

/** Names `extra.…` for which no reason has a value. */
function* extraComplaints({ errors }: Definition): Iterable<Complaint> {
  const given = new Set(Object.values(errors.reasons).flatMap(({ extra }) => Object.keys(extra)));
  for (const value of writtenValues(errors.fields)) {
    const name = value.slice(extraPrefix.length);
    if (!value.startsWith(extraPrefix) || given.has(name)) continue;
    yield [
      ['errors', 'fields'],
      `no reason has an "${name}" under extra`,
      'give it one in errors.reasons or errors.groups',
    ];
  }
}

/** Who can ask for identity tokens, and where they are told. */
export function* identityComplaints(definition: Definition): Iterable<Complaint> {
  const { id_token: identity, userinfo, grants, scope } = definition;
  const isTold = treesOf(definition, 'token answer').some((tree) =>
    writtenValues(tree, 'authorization_code').has('id_token'),
  );
  yield* wrong(
    [
      identity === undefined && isTold,
      ['token_response', 'fields'],
      'there are no identity tokens for id_token to tell',
      'turn them on with id_token: {}',
    ],
    [
      userinfo !== undefined && identity !== undefined && userinfo.fields.get('sub') !== 'subject',
      ['userinfo', 'fields'],
      'with identity tokens the answer needs sub (OpenID Connect Core 5.3.2)',
      'add sub: subject',
    ],
  );
  if (identity === undefined) return;
  yield* wrong(
    [
      grants.authorization_code === undefined,
      ['id_token'],
      'identity tokens come with the grant authorization_code, which the programme does not offer',
    ],
    [
      grants.authorization_code !== undefined && !isTold,
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
