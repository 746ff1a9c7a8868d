// Owns the checks that each input accepts its own values: a dialect that refuses the codes,
// identifiers or grant types it issues could never answer a token request.

import type { Definition } from '../language/definition.ts';
import { formatRows } from '../language/input_formats.ts';
import { comparisons, type InputDefinition } from '../language/input_schema.ts';
import { loginInputs, tokenInputs } from '../language/known_inputs.ts';
import { keyPositionAt } from '../lib/document.ts';
import type { Path } from '../lib/fault.ts';
import { suggest } from '../lib/suggest.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import { inputsOfGrants } from '../oauth/grant.ts';
import { proofInputs } from '../oauth/pkce.ts';
import { grantsAt, readsInput, wordAt } from '../programme/requests/grant_places.ts';
import { compileInput } from '../programme/requests/inputs.ts';
import { repeatedInputs } from '../programme/requests/token_endpoint.ts';
import { type Complaint, wrong } from '../schema/faults.ts';
import { endpointsIn } from './endpoints.ts';
import {
  demands,
  type Issued,
  issuedRoles,
  issuedTo,
  refuses,
  understoodComplaints,
} from './issued.ts';

/** Keys that have no effect at a login request. */
export function* idleLoginComplaints({ authorize }: Definition): Iterable<Complaint> {
  const { repeated, empty, inputs, authentication } = authorize.endpoint;
  const { grant_types: words, without_grant_type: otherwise } = authorize.endpoint;
  const at = ['authorize', 'endpoint'];
  yield* wrong(
    [
      authentication !== undefined,
      [...at, 'authentication'],
      'no client proves itself at the login request: the member does, on the page',
      'take it out',
    ],
    [
      otherwise !== undefined || words !== undefined,
      [...at, otherwise === undefined ? 'grant_types' : 'without_grant_type'],
      'a login request asks for no grant',
      'take it out',
    ],
    [
      repeated !== 'refuse',
      [...at, 'repeated'],
      'a login request never takes a repeated parameter (HOSTILE 4)',
    ],
    [
      empty !== 'missing',
      [...at, 'empty'],
      'a login request always takes an empty parameter for a missing one',
    ],
  );
  for (const [role, input] of Object.entries(inputs)) {
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

/** `resources` and the input `resource` are nothing without each other. */
export function* resourceComplaints(definition: Definition): Iterable<Complaint> {
  const { resources } = definition;
  const reading = [...endpointsIn(definition)].filter(([, { inputs }]) => inputs['resource']);
  if (resources.length > 0) {
    yield* wrong([
      reading.length === 0,
      ['resources'],
      'no endpoint reads the input resource, so that no request can ask for one of these',
      'add resource: {} to the inputs of the login request and of each token endpoint',
    ]);
  }
  for (const [at, { inputs }] of reading) {
    const { allowed, must_equal: comparison, ...shape } = inputs['resource'] ?? { required: false };
    const { fits } = compileInput('', shape, '');
    yield* wrong([
      allowed === undefined && !resources.every(fits),
      [...at, 'inputs', 'resource'],
      'this refuses some of resources',
      'take its shape out',
    ]);
    if (comparison !== undefined && otherThanResources.has(comparison)) {
      yield [
        [...at, 'inputs', 'resource', 'must_equal'],
        `this refuses every resource: none of them is ${comparison}`,
        'compare it with a property of the client, such as client.resource, or take it out',
      ];
    }
    if (resources.length > 0) continue;
    yield [
      [...at, 'inputs', 'resource'],
      'the file does not say which resources a request can ask for',
      'write resources: [https://orders.example.com/]; an input of your own needs another name here: api: { name: resource }',
    ];
  }
}

/** What an input can be compared with, and what no API is named by. */
const otherThanResources: ReadonlySet<string> = new Set([
  'programme.identifier',
  'client.id',
  'client.api_key',
]);

/** Inputs that refuse values which Jetway generates or registers (HOSTILE 58). */
export function* refusalComplaints(definition: Definition): Iterable<Complaint> {
  for (const [at, endpoint, name] of endpointsIn(definition)) {
    const { inputs } = endpoint;
    const grants = name === undefined ? [] : grantsAt(definition, name);
    const known = name === undefined ? loginInputs : tokenInputs;
    for (const [role, input] of Object.entries(inputs)) {
      // An input of a grant that another endpoint serves is not used here.
      const isServed = grants.some((type) => readsInput(type, role));
      if (name !== undefined && inputsOfGrants.has(role) && !isServed) continue;
      const place = [...at, 'inputs', role];
      const isUsed = known.has(role) || Object.hasOwn(definition.authorize.draws, role);
      yield* inputComplaints(definition, place, isUsed ? role : undefined, input);
      if (known.has(role) && !isIdle(role, definition)) {
        yield* understoodComplaints(definition, place, role, input, name);
      }
    }
    const { grant_type: input } = inputs;
    if (input === undefined) continue;
    for (const type of grants) {
      const value = wordAt(definition, endpoint, type);
      const issued = { what: `"${value}", the grant_type of ${type}`, values: [value] };
      const inputAt = [...at, 'inputs', 'grant_type'];
      yield* refusalsOf(inputAt, input, issued);
      yield* comparisonComplaints(inputAt, input, issued);
    }
  }
}

function isIdle(role: string, { authorize }: Definition): boolean {
  return authorize.pkce === 'off' && proofInputs.has(role);
}

function* inputComplaints(
  definition: Definition,
  at: Path,
  role: string | undefined,
  input: InputDefinition,
): Iterable<Complaint> {
  yield* idleShapeComplaints(at, input);
  const issued = issuedTo(role, input, definition);
  if (issued === undefined || (role !== undefined && isIdle(role, definition))) return;
  yield* refusalsOf(at, input, issued);
  const isGenerated =
    role !== undefined &&
    (issuedRoles.has(role) || Object.hasOwn(definition.authorize.draws, role));
  if (isGenerated) yield* comparisonComplaints(at, input, issued);
}

/** A value in `allowed`, or a format, that the shape of the same input refuses. */
function* idleShapeComplaints(at: Path, input: InputDefinition): Iterable<Complaint> {
  const { format, allowed = [] } = input;
  const { allowed: _, ...open } = input;
  const { fits } = compileInput('', open, '');
  for (const [index, value] of allowed.entries()) {
    if (fits(value)) continue;
    yield [[...at, 'allowed', index], `this is allowed, and refused by the shape beside it`];
  }
  if (format === undefined || formatRows[format].samples.some(fits)) return;
  yield [[...at, 'format'], `nothing of this format has the shape beside it`];
}

/** Of all issued values, only a client identifier can equal a property of the client. */
function* comparisonComplaints(
  at: Path,
  { must_equal: comparison }: InputDefinition,
  { what }: Issued,
): Iterable<Complaint> {
  const rightful = at.at(-1) === 'client_id' ? 'client.id' : undefined;
  if (comparison === undefined || comparison === rightful) return;
  const message = `this refuses ${what}: none of them is ${comparison}`;
  yield [[...at, 'must_equal'], message, 'take it out'];
}

/** A complaint for each key of an input that alone refuses one of the values. */
function* refusalsOf(at: Path, input: InputDefinition, issued: Issued): Iterable<Complaint> {
  for (const key of demands) {
    if (input[key] === undefined || !refuses(issued, input, key)) continue;
    yield [[...at, key], `this refuses ${issued.what}`, 'take it out, or widen it'];
    // With a wrong prefix, the length of the rest means nothing.
    if (key === 'prefix') return;
  }
}

/**
 * A name similar to a known one is most likely misspelt: the input would be checked and never used.
 */
export function* nameWarnings(definition: Definition, document: YamlNode): Iterable<Complaint> {
  const repeated = new Set(repeatedInputs(definition));
  for (const [at, { inputs }, name] of endpointsIn(definition)) {
    const known = name === undefined ? loginInputs : tokenInputs;
    for (const [role, { must_equal: comparison = 'programme.identifier' }] of Object.entries(
      inputs,
    )) {
      const meant = comparisons.includes(comparison) ? undefined : suggest(comparison, comparisons);
      if (meant !== undefined) {
        yield [
          [...at, 'inputs', role, 'must_equal'],
          `${comparison} is taken for the name of a client property`,
          `did you mean "${meant}"?`,
        ];
      }
      // What an answer repeats has its use there.
      const isUsed = known.has(role) || (name !== undefined && repeated.has(role));
      const near = isUsed ? undefined : suggest(role, known);
      // Beside a known one that the same file declares, it has a name of its own.
      if (near === undefined) continue;
      const { file } = keyPositionAt(document, [...at, 'inputs', near]);
      if (inputs[near] !== undefined && file === document.at.file) continue;
      yield [
        [...at, 'inputs', role],
        `Jetway knows no input "${role}": it is checked as declared, and used for nothing else`,
        `did you mean "${near}"? If only its name on the wire is another, write that as name`,
      ];
    }
  }
}
