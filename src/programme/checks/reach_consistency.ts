// Owns the checks that a declared input can hold what it is there for: a dialect that refuses the
// codes, identifiers or grant types it gives out itself could never answer a token.

import type { Path } from '../../lib/fault.ts';
import { grantInputs, inputsOfGrants } from '../../oauth/grant.ts';
import { proofInputs } from '../../oauth/pkce.ts';
import type { Complaint } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import type { EndpointDefinition, InputDefinition } from '../language/input_schema.ts';
import type { ValueShape } from '../language/value_shape.ts';
import { grantsAt } from '../requests/grant_places.ts';
import { formatSamples } from '../requests/input_formats.ts';
import { compileInput } from '../requests/input_rules.ts';
import { type Given, givenRoles, givenTo } from './given_out.ts';

/** Longest identifiers and codes: both travel in addresses, whose length proxies limit. */
const longestIdentifier = 255;
const longestCode = 1024;

export function* reachComplaints(definition: Definition): Iterable<Complaint> {
  yield* lengthComplaints(definition);
  yield* idleComplaints(definition);
  yield* refusalComplaints(definition);
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

/** Keys of an input by which it can refuse a value. */
const narrowing = ['prefix', 'characters', 'length', 'format', 'allowed'] as const;

/** Whatever the service gives out must pass where the dialect reads it (HOSTILE 58). */
function* refusalComplaints(definition: Definition): Iterable<Complaint> {
  const { authorize, token_endpoints: endpoints } = definition;
  for (const role of Object.keys(authorize.endpoint.inputs)) {
    yield* inputComplaints(definition, ['authorize', 'endpoint'], authorize.endpoint, role);
  }
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const served = new Set<string>(
      grantsAt(definition, name).flatMap((type) => [
        ...grantInputs[type].needs,
        ...grantInputs[type].takes,
      ]),
    );
    for (const role of Object.keys(endpoint.inputs)) {
      // What belongs to a grant that is elsewhere is not looked at here.
      if (inputsOfGrants.has(role) && !served.has(role)) continue;
      yield* inputComplaints(definition, ['token_endpoints', name], endpoint, role);
    }
    yield* grantTypeComplaints(definition, name, endpoint);
  }
}

function* inputComplaints(
  definition: Definition,
  at: Path,
  { inputs }: EndpointDefinition,
  role: string,
): Iterable<Complaint> {
  const input = inputs[role];
  if (input !== undefined) yield* idleShapeComplaints([...at, 'inputs', role], input);
  const given = input && givenTo(role, input, definition);
  if (input === undefined || given === undefined) return;
  if (definition.authorize.pkce === 'off' && proofInputs.has(role)) return;
  yield* refusalsOf([...at, 'inputs', role], input, given);
  if (givenRoles.has(role)) yield* comparisonComplaints([...at, 'inputs', role], input, given);
}

/** A value that is named, or a format, which the shape of the same input refuses. */
function* idleShapeComplaints(at: Path, input: InputDefinition): Iterable<Complaint> {
  const { format, allowed = [] } = input;
  const { allowed: _, ...open } = input;
  const { fits } = compileInput('', open, '');
  for (const [index, value] of allowed.entries()) {
    if (fits(value)) continue;
    yield [[...at, 'allowed', index], `this is allowed, and refused by the shape beside it`];
  }
  if (format === undefined || formatSamples[format].some(fits)) return;
  yield [[...at, 'format'], `nothing of this format has the shape beside it`];
}

/** Of what is given out, identifiers alone are anything that an input can be held against. */
function* comparisonComplaints(
  at: Path,
  { must_equal: comparison }: InputDefinition,
  { what }: Given,
): Iterable<Complaint> {
  const rightful = at.at(-1) === 'client_id' ? 'client.id' : undefined;
  if (comparison === undefined || comparison === rightful) return;
  yield [
    [...at, 'must_equal'],
    `this refuses ${what}: none of them is ${comparison}`,
    'take it out',
  ];
}

function* grantTypeComplaints(
  definition: Definition,
  name: string,
  { inputs }: EndpointDefinition,
): Iterable<Complaint> {
  const { grant_type: input } = inputs;
  if (input === undefined) return;
  for (const type of grantsAt(definition, name)) {
    const value = definition.grants[type]?.grant_type ?? type;
    const given = { what: `"${value}", the grant_type of ${type}`, samples: [value] };
    const at = ['token_endpoints', name, 'inputs', 'grant_type'];
    yield* refusalsOf(at, input, given);
    yield* comparisonComplaints(at, input, given);
  }
}

/** One for each key that refuses a value by itself, which is where the slip is. */
function* refusalsOf(at: Path, input: InputDefinition, given: Given): Iterable<Complaint> {
  const { prefix } = input;
  for (const key of narrowing) {
    if (input[key] === undefined) continue;
    const alone = {
      required: false,
      [key]: input[key],
      ...(prefix === undefined ? {} : { prefix }),
    };
    const { fits } = compileInput('', alone, '');
    if (given.samples.every(fits)) continue;
    yield [[...at, key], `this refuses ${given.what}`, 'take it out, or widen it'];
    // The length of what follows a prefix says nothing where the prefix is wrong.
    if (key === 'prefix') return;
  }
}
