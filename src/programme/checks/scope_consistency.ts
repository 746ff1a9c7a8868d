// Owns the checks of scopes: that what a file says of one is said of one there is, and that a scope a
// partner asks for is read.

import { suggest } from '../../lib/suggest.ts';
import type { Complaint } from '../../schema/complaint.ts';
import type {
  Definition,
  LevelScopeDefinition,
  ListScopeDefinition,
} from '../language/definition.ts';

export function* scopeComplaints(definition: Definition): Iterable<Complaint> {
  const { scope } = definition;
  if (scope.kind === 'level') yield* levelComplaints(scope);
  else yield* listComplaints(definition, scope);
}

function* levelComplaints(scope: LevelScopeDefinition): Iterable<Complaint> {
  for (const key of ['client', 'member_default'] as const) {
    if (scope.values.includes(scope[key])) continue;
    yield [
      ['scope', key],
      `"${scope[key]}" is none of the levels in scope.values`,
      advice(scope[key], scope.values),
    ];
  }
}

function* listComplaints(
  { authorize, grants }: Definition,
  { values, separator, restricted }: ListScopeDefinition,
): Iterable<Complaint> {
  for (const [index, value] of values.entries()) {
    if (separator === 'none' || !value.includes(separator)) continue;
    yield [['scope', 'values', index], `"${value}" holds the separator "${separator}"`];
  }
  for (const [index, value] of restricted.entries()) {
    if (values.includes(value)) continue;
    yield [
      ['scope', 'restricted', index],
      `"${value}" is none of the scopes in scope.values, so that nothing is restricted by it`,
      advice(value, values),
    ];
  }
  // A partner that asks for less would get a token that is good for everything.
  const isAsked = grants.authorization_code !== undefined && values.length > 0;
  if (isAsked && authorize.endpoint.inputs['scope'] === undefined) {
    yield [
      ['authorize', 'endpoint', 'inputs'],
      'the login request reads no scope, so that tokens are not bound to what partners ask for',
      'declare an input scope here, or leave scope.values empty',
    ];
  }
}

function advice(word: string, words: readonly string[]): string {
  const near = suggest(word, words);
  return near === undefined ? `there are ${words.join(', ')}` : `did you mean "${near}"?`;
}

/** Levels whose numbers do not rise: the last is the highest, which a floor lets pass. */
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
