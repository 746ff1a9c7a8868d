// Owns which failures an endpoint can answer, with what is told of an example of each.

import { privateKeyJwt } from '../../oauth/client.ts';
import type { FailureFacts } from '../../oauth/failure.ts';
import { grantInputs } from '../../oauth/grant.ts';
import { type FailureReason, failureReasons, grantFailures } from '../../oauth/reasons.ts';
import { type ClientAuthentication, readsHeader } from '../language/client_schema.ts';
import type { Definition } from '../language/definition.ts';
import {
  type EndpointDefinition,
  type InputDefinition,
  placesOf,
} from '../language/input_schema.ts';
import { credentialNames, provingToken } from './credentials.ts';
import { grantsAt, readsInput } from './grant_places.ts';
import { compileInput, compileInputs, type InputRule } from './input_rules.ts';
import { question } from './known_inputs.ts';
import { managementAuthentication, managementForm } from './token_management.ts';
import { heldHeaders } from './verify_headers.ts';

/** In the order of the checks (C-8); each with the facts of one example. */
export type PossibleFailures<Reason = FailureReason> = ReadonlyMap<Reason, FailureFacts>;

/** A reason with one example; a reason can be found several times. */
export type Found<Reason = FailureReason> = readonly [reason: Reason, facts: FailureFacts];

/** A parameter and a scope that there are not. */
export const unheardOf = 'unheard_of';

const none: FailureFacts = {};

/** Sorts; of several examples of one reason the first counts. */
export function sorted<Reason>(
  reasons: readonly Reason[],
  found: readonly Found<Reason>[],
): PossibleFailures<Reason> {
  const first = new Map(found.toReversed());
  return new Map(
    reasons.flatMap((reason) => {
      const facts = first.get(reason);
      return facts === undefined ? [] : [[reason, facts] as const];
    }),
  );
}

/** Failures of the server, which every endpoint has. */
const ownFailures: readonly Found[] = [
  ['server_error', none],
  ['temporarily_unavailable', none],
];

export function tokenFailures(
  definition: Definition,
  name: string,
  endpoint: EndpointDefinition,
): PossibleFailures {
  return sorted(failureReasons, foundAtTokens(definition, name, endpoint));
}

/** Every example of a failure at a token endpoint. */
export function foundAtTokens(
  definition: Definition,
  name: string,
  endpoint: EndpointDefinition,
): readonly Found[] {
  const rules = compileInputs(endpoint, definition);
  return [
    ...readingFailures(endpoint, rules),
    ...credentialFailures(definition.client.authentication, rules),
    ...grantFailuresAt(definition, name, endpoint, rules),
    ['throttled', none],
    ...ownFailures,
  ];
}

/** Of introspection, about which gateways ask, and of revocation. */
export function managementFailures(
  definition: Definition,
  asked: { readonly byGateways: boolean },
): PossibleFailures {
  const form = managementForm(definition);
  const rules = compileInputs(form, definition);
  return sorted(failureReasons, [
    ...readingFailures(form, rules),
    ...credentialFailures(managementAuthentication(definition, asked), rules),
    ['client_mismatch', { parameter: 'client_id' }],
    ['missing_parameter', { parameter: question }],
    ...(asked.byGateways ? [] : [['throttled', none] as const]),
    ...ownFailures,
  ]);
}

export function verificationFailures(definition: Definition): PossibleFailures {
  return sorted(failureReasons, [
    // Of the gateway's own question.
    ['malformed_body', none],
    ['repeated_parameter', { parameter: 'scope' }],
    ['unknown_parameter', { parameter: unheardOf }],
    ['invalid_parameter', { parameter: 'level' }],
    ...foundAtCalls(definition),
  ]);
}

/** Every example of a failure of a call that a gateway asks about. */
export function foundAtCalls(definition: Definition): readonly Found[] {
  const required = definition.verify.headers === 'required';
  const headers = [...heldHeaders(definition)].flatMap(([role, input]) => {
    const rule = compileInput(role, { ...input, required }, '');
    return [...ruleFailures(rule, input, required), ...comparisonFailures([rule])];
  });
  const key = definition.verify.api_key_header.toLowerCase();
  return [
    ...headers,
    ['missing_api_key', { parameter: key }],
    ['invalid_api_key', none],
    ['missing_token', { parameter: 'authorization' }],
    ['invalid_token', none],
    ['insufficient_scope', none],
    ...ownFailures,
  ];
}

function* readingFailures(
  endpoint: EndpointDefinition,
  rules: readonly InputRule[],
): Iterable<Found> {
  const places = (rule: InputRule) => placesOf(endpoint.inputs[rule.role] ?? noInput, endpoint);
  const parameters = rules.filter((rule) => !rule.inHeader && !rule.inPath);
  const [first] = parameters;
  const readsBody = endpoint.read.some((place) => place !== 'query');
  yield ['method_not_allowed', { allow: endpoint.methods.join(', ') }];
  if (readsBody) yield ['unsupported_media_type', { parameter: 'content-type' }];
  yield ['body_too_large', none];
  yield ['malformed_body', none];
  if (endpoint.repeated === 'refuse') {
    yield ['repeated_parameter', { parameter: first?.told ?? 'grant_type' }];
  }
  if (endpoint.unknown === 'refuse') yield ['unknown_parameter', { parameter: unheardOf }];
  const misplaced = parameters.find((rule) => {
    const isNested = rule.key !== rule.wireName;
    return !isNested && !(places(rule).includes('query') && places(rule).length > 1);
  });
  if (misplaced !== undefined) yield ['misplaced_parameter', { parameter: misplaced.told }];
}

const noInput: InputDefinition = { required: false };

function* credentialFailures(
  authentication: ClientAuthentication,
  rules: readonly InputRule[],
): Iterable<Found> {
  const { secretName, proof } = credentialNames(authentication, rules);
  yield ['authentication_missing', { parameter: proof }];
  if (readsHeader(authentication)) {
    yield ['authentication_malformed', { parameter: proof }];
    const isBothRefused = authentication.when_both === 'refuse';
    if (isBothRefused && rules.some(({ role }) => role === 'client_secret')) {
      yield ['authentication_ambiguous', { parameter: secretName }];
    }
  }
  const signed = rules.find(({ role }) => role === 'client_assertion');
  if (signed !== undefined && authentication.methods.includes(privateKeyJwt)) {
    yield ['authentication_malformed', { parameter: signed.told }];
    const isOne = authentication.methods.length === 1;
    if (!isOne) yield ['authentication_ambiguous', { parameter: signed.told }];
  }
  yield ['client_authentication_failed', none];
  if (authentication.failure_limit !== 'off') yield ['throttled', none];
}

/** Those of the inputs and grants of a token endpoint. */
function* grantFailuresAt(
  definition: Definition,
  name: string,
  { inputs }: EndpointDefinition,
  rules: readonly InputRule[],
): Iterable<Found> {
  const grants = grantsAt(definition, name);
  const { authentication } = definition.client;
  const inHeader = readsHeader(authentication);
  const proving = provingToken(authentication, rules);
  // By grants, as samples are: of one reason, the first grant's input is the example.
  const placeOf = ({ role }: InputRule): number =>
    grants.findIndex((type) => readsInput(type, role));
  const read = rules
    .filter((rule) => placeOf(rule) >= 0)
    .toSorted((one, other) => placeOf(one) - placeOf(other));
  for (const rule of read) {
    const { role, told } = rule;
    const isNeeded = grants.some((type) => grantInputs[type].needs.includes(role));
    const choosesGrant = role === 'grant_type' && grants.length > 1;
    // Without its credentials a client has failed before.
    const proves =
      rule === proving || (!inHeader && (role === 'client_id' || role === 'client_secret'));
    const required = !proves && !rule.inPath && (rule.required || isNeeded || choosesGrant);
    yield* ruleFailures(rule, inputs[role] ?? noInput, required);
    if (role === 'grant_type') yield ['unsupported_grant_type', { parameter: told }];
    if (role === 'scope') yield ['invalid_scope', { parameter: told, scope: unheardOf }];
  }
  yield* comparisonFailures(read);
  yield ['grant_not_allowed', none];
  for (const type of grants) {
    const reason = grantFailures[type];
    if (reason !== undefined) yield [reason, none];
  }
}

/** An input that is missing or malformed. */
export function* ruleFailures<Reason>(
  { whenMissing, whenInvalid, whenRepeated, inHeader, list, told }: InputRule<Reason>,
  input: InputDefinition,
  required: boolean,
): Iterable<Found<Reason>> {
  const { prefix, characters, length, format, allowed } = input;
  const isFormed = [prefix, characters, length, format, allowed].some((key) => key !== undefined);
  if (required) yield [whenMissing, { parameter: told }];
  const isOnce = inHeader && !list && whenRepeated === whenInvalid;
  if (isFormed || isOnce) yield [whenInvalid, { parameter: told }];
}

/** An input that does not name this programme, or this client. */
export function* comparisonFailures<Reason>(
  rules: readonly InputRule<Reason>[],
): Iterable<Found<Reason>> {
  for (const { equalsProgramme, equalsClient, whenUnequal, told } of rules) {
    if (equalsProgramme ?? equalsClient) yield [whenUnequal, { parameter: told }];
  }
}
