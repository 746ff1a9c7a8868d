// Owns the checks of what a dialect answers: that a token is in it, and that no name hides another.

import { grantTypes } from '../../oauth/grant.ts';
import type { Complaint } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { extraPrefix } from '../language/errors_schema.ts';
import { headerFields } from '../language/response_headers.ts';
import {
  type Field,
  type FieldTree,
  fieldsOf,
  inCase,
  type NameCase,
  writtenValues,
} from '../language/value_tree.ts';
import { encodingComplaints } from './encoding_consistency.ts';

export function* answerComplaints(definition: Definition): Iterable<Complaint> {
  const { token_response: response, errors, grants, authorize, tokens } = definition;
  for (const grant of grantTypes) {
    if (grants[grant] === undefined) continue;
    const places = [response.fields, headerFields(response.headers)];
    if (places.some((place) => writtenValues(place, grant).has('access_token'))) continue;
    yield [['token_response', 'fields'], `the answer to ${grant} does not hold the access_token`];
  }
  for (const [at, tree, nameCase] of [
    ['token_response', response.fields, response.name_case],
    ['errors', errors.fields, errors.name_case],
  ] as const) {
    for (const name of hiddenNames(tree, nameCase)) {
      yield [
        [at, 'fields'],
        `two members are named "${name}" once name_case is applied`,
        'one would hide the other',
      ];
    }
  }
  yield* extraComplaints(definition);
  yield* encodingComplaints(definition);
  const { more, ...parameters } = authorize.answer;
  const names = [...Object.values(parameters), ...more.keys()];
  if (new Set(names).size < names.length) {
    yield [['authorize', 'answer'], 'two parameters of the redirect have one name'];
  }
  for (const name of tokens.access.claims.keys()) {
    if (!reservedClaims.has(name)) continue;
    yield [['tokens', 'access', 'claims', name], `Jetway sets the claim "${name}" itself`];
  }
  for (const value of writtenValues(tokens.access.claims)) {
    if (!notInTokens.has(value)) continue;
    yield [['tokens', 'access', 'claims'], `a token cannot hold the ${value}`];
  }
}

/** What there is only once tokens are made. */
const notInTokens = new Set(['access_token', 'refresh_token', 'request_id']);

/** RFC 7519 4.1 and RFC 9068 2.2; `nbf` would make tokens that are good for nobody. */
const reservedClaims = new Set([
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'client_id',
  'scope',
  'family',
]);

/** Names that two members of one object share once they are in the dialect's case. */
function* hiddenNames(tree: FieldTree, nameCase: NameCase): Iterable<string> {
  const seen = new Set<string>();
  for (const [name, field] of tree) {
    const written = inCase(name, nameCase);
    if (seen.has(written)) yield written;
    seen.add(written);
    yield* hiddenWithin(field, nameCase);
  }
}

function* hiddenWithin(field: Field, nameCase: NameCase): Iterable<string> {
  for (const inner of fieldsOf(new Map([['', field]]))) {
    if (typeof inner === 'object' && 'object' in inner) yield* hiddenNames(inner.object, nameCase);
  }
}

/** A name of the dialect's own that no reason gives a value is a slip of the pen. */
function* extraComplaints({ errors }: Definition): Iterable<Complaint> {
  const given = new Set(Object.values(errors.reasons).flatMap(({ extra }) => Object.keys(extra)));
  for (const value of writtenValues(errors.fields)) {
    if (!value.startsWith(extraPrefix) || given.has(value.slice(extraPrefix.length))) continue;
    yield [
      ['errors', 'fields'],
      `no reason has an "${value.slice(extraPrefix.length)}" under extra`,
      'give it one in errors.reasons or errors.groups',
    ];
  }
}
