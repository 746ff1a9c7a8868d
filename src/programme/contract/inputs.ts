// Owns what a contract tells of an endpoint's reading: methods, media types, inputs and their order.

import { type AuthenticationMethod, isHeaderMethod } from '../../oauth/client.ts';
import type { FailureReason } from '../../oauth/failure.ts';
import { grantInputs, type GrantType, inputsOfGrants } from '../../oauth/grant.ts';
import { proofInputs } from '../../oauth/pkce.ts';
import { loginInputs, tokenInputs } from '../checks/inputs.ts';
import type { Definition } from '../language/definition.ts';
import {
  type EndpointDefinition,
  type InputDefinition,
  placesOf,
} from '../language/input_schema.ts';
import { describeShape } from '../language/value_shape.ts';
import { writtenValues } from '../language/value_tree.ts';
import type { Programme } from '../programme.ts';
import { readsInput } from '../requests/grant_places.ts';
import { compileInput } from '../requests/input_rules.ts';
import { typesOf } from '../requests/request_body.ts';
import { renderings, tellsParameter } from './failures.ts';
import { type Check, choice, type InputPromise, type Item, names, offer } from './item.ts';

/** The side of an endpoint that reads. */
export interface Reading {
  readonly definition: Definition;
  readonly programme: Programme;
  readonly endpoint: EndpointDefinition;
  /** The grants of a token endpoint, or the only kind of request; failures of logins are their own. */
  readonly requests: readonly RequestKind[];
}

type RequestKind = GrantType | 'login' | 'question';

/** Methods, media types, treatment of odd parameters, and each input. */
export function readingItems(reading: Reading): readonly Item[] {
  const { endpoint, definition } = reading;
  const { methods, read, repeated, unknown, empty, inputs } = endpoint;
  const found = Object.entries(inputs)
    .filter(([role]) => definition.authorize.pkce !== 'off' || !proofInputs.has(role))
    .map(([role, input]) => readInput(reading, role, input));
  const isBodiless = read.every((place) => place === 'query') || reading.requests.includes('login');
  return [
    ...methods.toSorted().map((method) => offer(`method ${method}`, 'answered')),
    ...(isBodiless ? [] : [names('media types', mediaTypes(endpoint))]),
    choice('repeated parameters', repeatedTexts[repeated], repeated === 'refuse'),
    choice('unknown parameters', `${unknown}d`, unknown === 'refuse'),
    choice('empty values', empty === 'missing' ? 'count as missing' : 'count as sent', false),
    ...found.map(({ item }) => item),
    {
      title: 'order of the checks',
      promise: { kind: 'order', checks: found.flatMap(({ check }) => check) },
    },
  ];
}

const repeatedTexts = {
  refuse: 'refused',
  first: 'the first one counts',
  last: 'the last one counts',
} as const;

function mediaTypes(endpoint: EndpointDefinition): readonly string[] {
  return [...typesOf(endpoint)].map(([type, { form }]) => `${type} (${form})`).toSorted();
}

interface Found {
  readonly item: Item;
  readonly check: readonly Check[];
}

function readInput(reading: Reading, role: string, input: InputDefinition): Found {
  const { definition, programme, endpoint, requests } = reading;
  const isLogin = requests.includes('login');
  const readBy = requests.filter((request) => isReadBy(request, role));
  const choosesGrant = role === 'grant_type' && distinctNames(reading) > 1;
  const required = input.required || choosesGrant;
  const authenticates = !isLogin && !requests.includes('question');
  const proves = authenticates && isProof(role, definition.client.authentication.methods);
  const neededBy = readBy.filter((request) => required || proves || needs(request, role));
  const rule = compileInput(role, input, definition.programme_identifier);
  const known = (isLogin ? loginInputs : tokenInputs).has(role);
  const isOfGrants = inputsOfGrants.has(role) && !isLogin;
  const need = isOfGrants ? `required for ${neededBy.join(', ')}` : 'required';
  const words = [
    rule.inHeader ? '' : placesOf(input, endpoint).toSorted().join(' or '),
    known && role !== rule.told ? `is the ${role}` : '',
    neededBy.length > 0 ? need : 'optional',
    ...shapeWords(input),
    ...demandsOf(input, definition),
  ].filter((word) => word !== '');
  const failures = isLogin ? [] : failuresOf(input, rule, neededBy.length > 0 && !proves);
  const told = [...words, ...failures.map(([when, reason]) => `${when}: ${reason}`)].join('; ');
  const promise: InputPromise = {
    text: told,
    meaning: () => {
      const meant = failures.map(([when, reason]) => `${when}: ${renderings(programme, reason)}`);
      return [...words, ...meant].join('; ');
    },
    name: rule.told,
    places: rule.inHeader ? ['header'] : placesOf(input, endpoint),
    scheme: input.scheme?.toLowerCase(),
    neededBy,
    requests,
    strict: !rule.inHeader && endpoint.unknown === 'refuse',
    shape: input,
    allowed: input.allowed,
    demands: demandsOf(input, definition),
  };
  const title = `${rule.inHeader ? 'header' : 'parameter'} ${rule.told}`;
  const check = {
    name: title,
    answer: () => answerOf(reading, rule),
    // A token endpoint checks all headers before it looks at the grant.
    requests: readBy.map((request) =>
      rule.inHeader && !isOfGrants ? `${request}, headers` : request,
    ),
  };
  const canFail = neededBy.length > 0 || shapeWords(input).length > 0 || promise.demands.length > 0;
  return {
    item: { title, otherwise: role, promise: { kind: 'input', ...promise } },
    check: canFail ? [check] : [],
  };
}

function isReadBy(request: RequestKind, role: string): boolean {
  return request === 'login' || request === 'question' || readsInput(request, role);
}

function needs(request: RequestKind, role: string): boolean {
  return request !== 'login' && request !== 'question' && grantInputs[request].needs.includes(role);
}

/** Whether a client cannot authenticate without the parameter: its lack fails as authentication does. */
function isProof(role: string, methods: readonly AuthenticationMethod[]): boolean {
  if (role === 'client_secret') return methods.every((method) => method === 'parameters');
  return role === 'client_id' && !methods.some(isHeaderMethod);
}

/** How many values of `grant_type` the endpoint tells apart. */
function distinctNames({ definition: { grants }, requests }: Reading): number {
  const declared: Readonly<Record<string, { readonly grant_type?: string } | undefined>> = grants;
  return new Set(requests.map((request) => declared[request]?.grant_type ?? request)).size;
}

function shapeWords(input: InputDefinition): readonly string[] {
  const { prefix, characters, length, allowed, scheme } = input;
  const isShaped = prefix !== undefined || characters !== undefined || length !== undefined;
  return [
    scheme === undefined ? '' : `after the scheme ${scheme.toLowerCase()}`,
    isShaped ? describeShape(input) : '',
    allowed === undefined ? '' : `one of ${[...new Set(allowed)].toSorted().join(', ')}`,
  ].filter((word) => word !== '');
}

const formatWords = {
  accepts_json: 'accepts JSON',
  ip_list: 'a list of IP addresses',
} as const;

/** Further demands on the value. */
function demandsOf(
  { must_equal: comparison, format }: InputDefinition,
  { programme_identifier: identifier }: Definition,
): readonly string[] {
  const demands = format === undefined ? [] : [formatWords[format]];
  if (comparison === undefined) return demands;
  if (comparison === 'programme.identifier') return [...demands, `must be "${identifier}"`];
  const property = comparison.slice('client.'.length).replaceAll('_', ' ');
  return [...demands, `must be the client's ${property}`];
}

type Failures = readonly (readonly [when: string, reason: FailureReason])[];

/** The failures that this input can have. */
function failuresOf(
  input: InputDefinition,
  rule: ReturnType<typeof compileInput>,
  required: boolean,
): Failures {
  const hasShape = input.format !== undefined || shapeWords(input).length > 0;
  const found: readonly (readonly [boolean, string, FailureReason])[] = [
    [required, 'missing', rule.whenMissing],
    [hasShape || rule.inHeader, 'malformed', rule.whenInvalid],
    [input.must_equal !== undefined, 'unequal', rule.whenUnequal],
  ];
  return found.flatMap(([can, when, reason]) => (can ? [[when, reason] as const] : []));
}

/** What tells one failing check from another: the answers, and the name where they tell it. */
function answerOf(
  { definition, programme, requests }: Reading,
  { whenMissing, whenInvalid, whenUnequal, told }: ReturnType<typeof compileInput>,
): string {
  const reasons = [whenMissing, whenInvalid, whenUnequal];
  if (!requests.includes('login')) {
    const isTold = reasons.some((reason) => tellsParameter(programme, reason));
    return reasons.map((reason) => renderings(programme, reason)).join() + (isTold ? told : '');
  }
  const isTold = writtenValues(definition.authorize.answer.more).has('parameter');
  return isTold ? told : String(told === 'response_type');
}

/** The headers that a gateway's question is checked for. */
export function heldHeaderItem(
  reading: Pick<Reading, 'definition' | 'programme'>,
  role: string,
  input: InputDefinition,
): Item {
  const endpoint: EndpointDefinition = { ...noEndpoint, inputs: { [role]: input } };
  return readInput({ ...reading, endpoint, requests: ['question'] }, role, input).item;
}

const noEndpoint: EndpointDefinition = {
  path: '/',
  methods: ['GET'],
  read: ['query'],
  media_types: [],
  repeated: 'refuse',
  unknown: 'ignore',
  empty: 'missing',
  inputs: {},
};
