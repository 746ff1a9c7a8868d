// Owns the checks that a declared input can hold what it is there for: a dialect that refuses the
// codes, identifiers or grant types it gives out itself could never answer a token.

import type { Path } from '../lib/fault.ts';
import { type GrantType, grantTypes } from '../oauth/grant.ts';
import type { Complaint } from './complaint.ts';
import type { Definition } from './definition.ts';
import { endpointsOf } from './grant_places.ts';
import type { EndpointDefinition, InputDefinition } from './input_schema.ts';
import { alphabetOf, compileShape, type ValueShape } from './value_shape.ts';

/** Longest identifiers and codes: both travel in addresses, whose length proxies limit. */
const longestIdentifier = 255;
const longestCode = 1024;

export function* reachComplaints(definition: Definition): Iterable<Complaint> {
  yield* lengthComplaints(definition);
  yield* idleComplaints(definition);
  yield* identifierComplaints(definition);
  yield* scopeComplaints(definition);
  for (const type of grantTypes) yield* grantComplaints(definition, type);
}

function* lengthComplaints({ client, code }: Definition): Iterable<Complaint> {
  if (longestOf(client.identifier) > longestIdentifier) {
    yield [
      ['client', 'identifier'],
      `an identifier can have ${longestIdentifier} characters at most`,
    ];
  }
  if (longestOf(code) > longestCode) {
    yield [['code'], `a code can have ${longestCode} characters at most`];
  }
}

function longestOf({ prefix = '', length }: ValueShape): number {
  return prefix.length + (length?.max ?? 0);
}

/** What a login request does whatever a file says: told, so that nobody relies on it. */
function* idleComplaints({ authorize }: Definition): Iterable<Complaint> {
  const { endpoint } = authorize;
  const at = ['authorize', 'endpoint'];
  if (endpoint.repeated !== 'refuse') {
    yield [[...at, 'repeated'], 'a login request never takes a repeated parameter (HOSTILE 4)'];
  }
  if (endpoint.empty !== 'missing') {
    yield [[...at, 'empty'], 'at the login request an empty parameter is a missing one'];
  }
  for (const [role, input] of Object.entries(endpoint.inputs)) {
    for (const key of ['scheme', 'when_missing', 'when_invalid', 'when_unequal'] as const) {
      if (input[key] === undefined) continue;
      yield [
        [...at, 'inputs', role, key],
        'this has no effect at the login request',
        'authorize.failures says what each failure gets there',
      ];
    }
  }
}

/** Every identifier that the dialect gives out must pass where the dialect reads one. */
function* identifierComplaints(definition: Definition): Iterable<Complaint> {
  const { authorize, token_endpoints: endpoints, client } = definition;
  const places: (readonly [Path, EndpointDefinition])[] = [
    [['authorize', 'endpoint'], authorize.endpoint],
    ...Object.entries(endpoints).map(
      ([name, endpoint]) => [['token_endpoints', name], endpoint] as const,
    ),
  ];
  for (const [at, { inputs }] of places) {
    const input = inputs['client_id'];
    if (input === undefined || takesAll(input, client.identifier)) continue;
    yield [
      [...at, 'inputs', 'client_id'],
      'this refuses identifiers of the shape in client.identifier',
    ];
  }
}

function* grantComplaints(definition: Definition, type: GrantType): Iterable<Complaint> {
  const grant = definition.grants[type];
  const wireValue = grant?.grant_type ?? type;
  for (const [name, { inputs }] of endpointsOf(definition, type)) {
    const at = ['token_endpoints', name, 'inputs'];
    const { grant_type: grantType, code } = inputs;
    if (grantType !== undefined && !takes(grantType, wireValue)) {
      yield [[...at, 'grant_type'], `this refuses "${wireValue}", the grant_type of ${type}`];
    }
    if (type === 'authorization_code' && code !== undefined && !takesAll(code, definition.code)) {
      yield [[...at, 'code'], 'this refuses codes of the shape in code'];
    }
  }
}

/** A scope that holds the separator would be read as two. */
function* scopeComplaints({ scope }: Definition): Iterable<Complaint> {
  if (scope.kind !== 'list' || scope.separator === 'none') return;
  for (const [index, value] of scope.values.entries()) {
    if (!value.includes(scope.separator)) continue;
    yield [['scope', 'values', index], `"${value}" holds the separator "${scope.separator}"`];
  }
}

function takes(input: InputDefinition, value: string): boolean {
  return compileShape(input)(value) && (input.allowed?.includes(value) ?? true);
}

/** Whether every value of a shape passes; each of its characters and both ends of its length are tried. */
function takesAll(input: InputDefinition, shape: ValueShape): boolean {
  const passes = compileShape(input);
  const { prefix = '', length } = shape;
  const lengths = new Set([length?.min ?? 1, length?.max ?? 1]);
  return Array.from(alphabetOf(shape.characters ?? 'alphanumeric')).every((letter) =>
    [...lengths].every((count) => passes(prefix + letter.repeat(count))),
  );
}
