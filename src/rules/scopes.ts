// Owns the checks of scopes: levels and names that exist, their order, and who can ask for them.

import type { Definition } from '../language/definition.ts';
import { writtenValues } from '../language/value_tree.ts';
import { didYouMean } from '../lib/suggest.ts';
import { grantTypes } from '../oauth/grant.ts';
import { listScopes } from '../oauth/scope.ts';
import { endpointsOf, offeredGrants } from '../programme/requests/grant_places.ts';
import { type Complaint, wrong } from '../schema/faults.ts';

export function* scopeComplaints(definition: Definition): Iterable<Complaint> {
  const { scope } = definition;
  const { values } = scope;
  if (scope.kind === 'level') {
    for (const key of ['client', 'member_default'] as const) {
      const level = scope[key];
      if (values.includes(level)) continue;
      const message = `"${level}" is none of the levels in scope.values`;
      yield [['scope', key], message, advice(level, values)];
    }
    return;
  }
  const { separator, restricted, default: unasked = [] } = scope;
  const { split } = listScopes(scope);
  for (const [index, value] of values.entries()) {
    if (separator === 'none') break;
    const [first, second, ...more] = split(value + separator + value);
    if (first === value && second === value && more.length === 0) continue;
    const message = `"${value}" holds the separator "${separator}", or a part of it`;
    yield [['scope', 'values', index], message];
  }
  yield* strangers('restricted', restricted, values, 'nothing is restricted by it');
  yield* strangers('default', unasked, values, 'no request could ask for it');
  yield* wrong([
    separator === 'none' && unasked.length > 1,
    ['scope', 'default'],
    'with the separator none a token has one scope at most',
  ]);
  if (scope.unknown === 'ignore') yield* untoldComplaints(definition);
  if (values.length > 0 && unasked.length === 0) yield* unreadComplaints(definition);
}

/** RFC 6749 3.3: a client must be told that it got less than it asked for. */
function* untoldComplaints(definition: Definition): Iterable<Complaint> {
  const { fields } = definition.token_response;
  for (const type of offeredGrants(definition)) {
    if (writtenValues(fields, type).has('scope')) continue;
    yield [
      ['scope', 'unknown'],
      `the answer to ${type} does not tell the scope, so that nobody sees what was ignored (RFC 6749 3.3)`,
      'add a field with scope to token_response.fields, without only, or set this to refuse',
    ];
  }
}

/** Words of a list that are no scopes. */
function* strangers(
  key: string,
  list: readonly string[],
  values: readonly string[],
  result: string,
): Iterable<Complaint> {
  for (const [index, value] of list.entries()) {
    if (values.includes(value)) continue;
    yield [
      ['scope', key, ...(key === 'default' && list.length === 1 ? [] : [index])],
      `"${value}" is none of the scopes in scope.values, so that ${result}`,
      parted(value, values) ?? advice(value, values),
    ];
  }
}

/** Several scopes in one text. */
function parted(text: string, values: readonly string[]): string | undefined {
  const parts = text.split(/[ ,+|]+/);
  const isList = parts.length > 1 && parts.every((part) => values.includes(part));
  return isList ? `write them as a list: [${parts.join(', ')}]` : undefined;
}

/** Where no scope is read, a partner that asks for less would get a token for everything. */
function* unreadComplaints(definition: Definition): Iterable<Complaint> {
  const { authorize, grants, scope } = definition;
  const message = (what: string): string =>
    `${what} reads no scope, so that tokens are not bound to what partners ask for`;
  const hint = (at: string): string =>
    `write ${at} { inputs: { scope: {} } } }, scope: { default: ${scope.values[0] ?? ''} }, or leave scope.values empty`;
  // The file may hold nothing of the endpoint.
  const at = ['scope', 'values'];
  yield* wrong([
    grants.authorization_code !== undefined && authorize.endpoint.inputs['scope'] === undefined,
    at,
    message('the login request'),
    hint('authorize: { endpoint:'),
  ]);
  for (const type of grantTypes) {
    if (type === 'authorization_code' || type === 'refresh_token') continue;
    // An assertion has a claim of that name.
    if (type === 'jwt_bearer') continue;
    for (const [name, { inputs }] of endpointsOf(definition, type)) {
      if (inputs['scope'] !== undefined) continue;
      yield [at, message(`the grant ${type}`), hint(`token_endpoints: { ${name}:`)];
    }
  }
}

function advice(word: string, words: readonly string[]): string {
  return didYouMean(word, words) ?? `there are ${words.join(', ')}`;
}

/** Levels whose numbers fall: the last level counts as the highest and passes every minimum. */
export function* levelWarnings({ scope }: Definition): Iterable<Complaint> {
  if (scope.kind !== 'level') return;
  const numbers = scope.values.map((value) => Number(/\d+(?=\D*$)/.exec(value)?.[0]));
  for (const [index, number] of numbers.entries()) {
    const before = numbers[index - 1];
    if (before === undefined || !(number < before)) continue;
    yield [
      ['scope', 'values', index],
      `"${scope.values[index]}" counts as higher than "${scope.values[index - 1]}", since it stands after it`,
      'write the levels lowest first',
    ];
  }
}
