// Owns the checks of what a dialect answers: that a token is in it, and that no name hides another.

import { grantTypes } from '../oauth/grant.ts';
import type { Complaint } from './complaint.ts';
import type { Definition } from './definition.ts';
import { inCase, type Field, type FieldTree, type NameCase, writtenValues } from './value_tree.ts';

export function* answerComplaints(definition: Definition): Iterable<Complaint> {
  const { token_response: response, errors, grants, authorize, tokens } = definition;
  for (const grant of grantTypes) {
    if (grants[grant] === undefined) continue;
    if (writtenValues(response.fields, grant).has('access_token')) continue;
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
  const names = Object.values(authorize.answer);
  if (new Set(names).size < names.length) {
    yield [['authorize', 'answer'], 'two parameters of the redirect have one name'];
  }
  for (const name of Object.keys(tokens.access.claims)) {
    if (!reservedClaims.has(name)) continue;
    yield [['tokens', 'access', 'claims', name], `Jetway sets the claim "${name}" itself`];
  }
  for (const value of writtenValues(tokens.access.claims)) {
    if (value !== 'access_token' && value !== 'refresh_token') continue;
    yield [['tokens', 'access', 'claims'], `a token cannot hold the ${value}`];
  }
}

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
  for (const [name, field] of Object.entries(tree)) {
    const written = inCase(name, nameCase);
    if (seen.has(written)) yield written;
    seen.add(written);
    yield* hiddenWithin(field, nameCase);
  }
}

function* hiddenWithin(field: Field, nameCase: NameCase): Iterable<string> {
  if (typeof field === 'string') return;
  if ('object' in field) yield* hiddenNames(field.object, nameCase);
  if ('array' in field) {
    for (const item of field.array) yield* hiddenWithin(item, nameCase);
  }
}
