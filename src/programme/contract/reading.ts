// Owns what a contract promises of an endpoint's reading: methods, media types and inputs.

import { present } from '../../lib/present.ts';
import { grantInputs, type GrantType, inputsOfGrants } from '../../oauth/grant.ts';
import { proofInputs } from '../../oauth/pkce.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import { type ClientAuthentication, readsHeader } from '../language/client_schema.ts';
import type { Definition } from '../language/definition.ts';
import {
  type EndpointDefinition,
  type InputDefinition,
  type Place,
  placesOf,
} from '../language/input_schema.ts';
import { readsInput } from '../requests/grant_places.ts';
import { compileInput } from '../requests/input_rules.ts';
import { type BodyForm, typesOf } from '../requests/request_body.ts';

export type RequestKind = GrantType | 'login' | 'question';

/** The side of an endpoint that reads. */
export interface Reading {
  readonly definition: Definition;
  readonly endpoint: EndpointDefinition;
  /** The grants of a token endpoint, or the only kind of request; failures of logins are their own. */
  readonly requests: readonly RequestKind[];
}

export interface ReadingPromise extends Pick<
  EndpointDefinition,
  'path' | 'methods' | 'root' | 'repeated' | 'unknown' | 'empty'
> {
  /** The types of a body that is read; empty if none is. */
  readonly mediaTypes: readonly (readonly [type: string, form: BodyForm])[];
  readonly requests: readonly RequestKind[];
  readonly inputs: readonly InputPromise[];
}

export interface InputPromise extends Pick<
  InputDefinition,
  'prefix' | 'characters' | 'length' | 'format' | 'allowed' | 'must_equal'
> {
  /** The engine's name of the input. */
  readonly role: string;
  /** As `told` of the compiled rule: the wire name after the names of enclosing objects. */
  readonly name: string;
  readonly wireName: string;
  readonly within: readonly string[];
  /** It is an attribute of an XML element. */
  readonly attribute: boolean;
  readonly places: readonly Place[];
  readonly inHeader: boolean;
  /** In lower case. */
  readonly scheme: string | undefined;
  /** The kinds of request that read it, and that must have it. */
  readonly readBy: readonly RequestKind[];
  readonly neededBy: readonly RequestKind[];
  /** Belongs to some grants only. */
  readonly isOfGrants: boolean;
  /** Without it, a client cannot authenticate: its lack fails as authentication does. */
  readonly proves: boolean;
  /** Without the input: whether a request that has it is refused. */
  readonly strict: boolean;
  /** The reasons for which a value, or the lack of one, is refused, whether or not it can be. */
  readonly reasons: Readonly<Record<InputFault, FailureReason>>;
  /** Those that some request can have. A login request has failures of its own. */
  readonly faults: readonly InputFault[];
}

/** In the order of the checks. */
export const inputFaults = ['missing', 'malformed', 'unequal'] as const;
export type InputFault = (typeof inputFaults)[number];

export function describeReading(reading: Reading): ReadingPromise {
  const { endpoint, definition, requests } = reading;
  const { methods, root, repeated, unknown, empty, inputs, read } = endpoint;
  const isBodiless = read.every((place) => place === 'query') || requests.includes('login');
  return {
    path: endpoint.path,
    methods,
    mediaTypes: isBodiless ? [] : [...typesOf(endpoint)].map(([type, { form }]) => [type, form]),
    ...present({ root }),
    repeated,
    unknown,
    empty,
    requests,
    inputs: Object.entries(inputs)
      .filter(([role]) => definition.authorize.pkce !== 'off' || !proofInputs.has(role))
      .map(([role, input]) => describeInput(reading, role, input)),
  };
}

function describeInput(reading: Reading, role: string, input: InputDefinition): InputPromise {
  const { definition, endpoint, requests } = reading;
  const isLogin = requests.includes('login');
  const { told, wireName, inHeader, inPath, whenMissing, whenInvalid, whenUnequal } = compileInput(
    role,
    input,
    definition.programme_identifier,
  );
  const readBy = requests.filter((request) => isReadBy(request, role));
  const choosesGrant = role === 'grant_type' && distinctNames(reading) > 1;
  const required = input.required || choosesGrant || inPath;
  const authenticates = !isLogin && !requests.includes('question');
  const proves = authenticates && isProof(role, definition.client.authentication);
  const neededBy = readBy.filter((request) => required || proves || needs(request, role));
  const can: Readonly<Record<InputFault, boolean>> = {
    missing: neededBy.length > 0 && !proves && !inPath,
    malformed: input.format !== undefined || isShaped(input) || inHeader,
    unequal: input.must_equal !== undefined,
  };
  const { prefix, characters, length, format, allowed, must_equal } = input;
  return {
    role,
    name: told,
    wireName,
    within: input.within ?? [],
    attribute: input.attribute === true,
    places: inHeader ? ['header'] : placesOf(input, endpoint),
    inHeader,
    scheme: input.scheme?.toLowerCase(),
    readBy,
    neededBy,
    isOfGrants: inputsOfGrants.has(role) && !isLogin,
    proves,
    strict: !inHeader && !inPath && endpoint.unknown === 'refuse',
    reasons: { missing: whenMissing, malformed: whenInvalid, unequal: whenUnequal },
    faults: inputFaults.filter((fault) => can[fault]),
    ...present({ prefix, characters, length, format, allowed, must_equal }),
  };
}

function isShaped({ prefix, characters, length, allowed, scheme }: InputDefinition): boolean {
  return [prefix, characters, length, allowed, scheme].some((one) => one !== undefined);
}

function isReadBy(request: RequestKind, role: string): boolean {
  return request === 'login' || request === 'question' || readsInput(request, role);
}

function needs(request: RequestKind, role: string): boolean {
  return request !== 'login' && request !== 'question' && grantInputs[request].needs.includes(role);
}

/** Whether a client cannot authenticate without the parameter. */
function isProof(role: string, authentication: ClientAuthentication): boolean {
  const { methods } = authentication;
  if (readsHeader(authentication)) return false;
  const bySecret = methods.every((method) => method === 'parameters' || method === 'secret');
  if (role === 'client_secret') return bySecret;
  return role === 'client_id' && !methods.includes('secret');
}

/** How many values of `grant_type` the endpoint tells apart. */
function distinctNames({ definition: { grants }, requests }: Reading): number {
  const declared: Readonly<Record<string, { readonly grant_type?: string } | undefined>> = grants;
  return new Set(requests.map((request) => declared[request]?.grant_type ?? request)).size;
}

/** A header that a gateway's question is checked for. */
export function describeHeldHeader(
  definition: Definition,
  role: string,
  input: InputDefinition,
): InputPromise {
  const endpoint: EndpointDefinition = { ...noEndpoint, inputs: { [role]: input } };
  return describeInput({ definition, endpoint, requests: ['question'] }, role, input);
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
