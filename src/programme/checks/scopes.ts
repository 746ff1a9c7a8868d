// Owns the checks of scopes: levels and names that exist, their order, and who can ask for them.

import { suggest } from '../../lib/suggest.ts';
import { type Complaint, wrong } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';

export function* scopeComplaints({ scope, authorize, grants }: Definition): Iterable<Complaint> {
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
  const { separator, restricted } = scope;
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
  // Without a scope parameter a partner that asks for less would get a token for everything.
  const isAsked = grants.authorization_code !== undefined && values.length > 0;
  yield* wrong([
    isAsked && authorize.endpoint.inputs['scope'] === undefined,
    ['authorize', 'endpoint', 'inputs'],
    'the login request reads no scope, so that tokens are not bound to what partners ask for',
    'declare an input scope here, or leave scope.values empty',
  ]);
}

function advice(word: string, words: readonly string[]): string {
  const near = suggest(word, words);
  return near === undefined ? `there are ${words.join(', ')}` : `did you mean "${near}"?`;
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
