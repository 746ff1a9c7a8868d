// Owns which failures an endpoint can answer, read off its compiled inputs, methods and grants with what is told of
// an example of each; and the sandbox, by which a request asks for one.

import { type ClientAuthentication, readsHeader } from '../language/client_schema.ts';
import type { SandboxDefinition } from '../language/service_schemas.ts';
import type { FailureFacts } from '../oauth/failure.ts';
import { type LoginFailureReason, loginFailureReasons } from '../oauth/login_reasons.ts';
import { privateKeyJwt } from '../oauth/methods.ts';
import { parseFormOrNone } from '../oauth/parameters.ts';
import { type FailureReason, failureReasons, grantFailures } from '../oauth/reasons.ts';
import { headerValues, type WireRequest } from '../oauth/wire_request.ts';
import type { LoginEndpoint } from './login/endpoint.ts';
import { challengeNames } from './login/request_checks.ts';
import { credentialNames } from './requests/credentials.ts';
import { needsInput } from './requests/grant_places.ts';
import type { Input } from './requests/inputs.ts';
import type { Reading } from './requests/reading.ts';
import type { TokenEndpoint } from './requests/token_endpoint.ts';
import type { TokenManagementEndpoint } from './requests/token_management.ts';
import type { VerificationRules } from './requests/verification.ts';

/** In the order of the checks (C-8); each with the facts of one example. */
export type PossibleFailures<Reason = FailureReason> = ReadonlyMap<Reason, FailureFacts>;

/** A reason with one example; a reason can be found several times. */
export type Found<Reason = FailureReason> = readonly [reason: Reason, facts: FailureFacts];

/** A parameter and a scope that there are not. */
export const unheardOf = 'unheard_of';

const none: FailureFacts = {};

/** Sorts; of several examples of one reason the first counts. */
function sorted<Reason>(
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

function tokenFailures(endpoints: readonly TokenEndpoint[]): PossibleFailures {
  const methods = new Set(endpoints.flatMap(({ methods: some }) => [...some]));
  return sorted(failureReasons, [
    ['method_not_allowed', { allow: [...methods].join(', ') }],
    ...endpoints.flatMap(foundAtTokens),
  ]);
}

/** Every example of a failure at a token endpoint. */
export function foundAtTokens({
  reading,
  grants,
  authentication,
  untold,
}: TokenEndpoint): readonly Found[] {
  // By grants, as samples are: of one reason, the first grant's input is the example.
  const placeOf = ({ readBy }: Input): number =>
    reading.kinds.findIndex((one) => readBy.includes(one));
  const read = reading.inputs
    .filter(({ readBy }) => readBy.length > 0)
    .toSorted((one, other) => placeOf(one) - placeOf(other));
  const special = read.flatMap(({ role, name }): readonly Found[] => {
    const isTelling = untold === 'inputs' && grants.some(({ type }) => needsInput(type, role));
    if (isTelling) return [['invalid_parameter', { parameter: name }]];
    if (role === 'grant_type') return [['unsupported_grant_type', { parameter: name }]];
    return role === 'scope' ? [['invalid_scope', { parameter: name, scope: unheardOf }]] : [];
  });
  return [
    ...readingFailures(reading),
    ...credentialFailures(authentication, reading.inputs),
    ...read.flatMap(inputFailures),
    ...special,
    ['grant_not_allowed', none],
    ...grants.flatMap(({ type }): readonly Found[] => {
      const reason = grantFailures[type];
      return reason === undefined ? [] : [[reason, none]];
    }),
    ['throttled', none],
    ...ownFailures,
  ];
}

/** Of introspection, about which gateways ask, and of revocation. */
function managementFailures(
  { reading, authentication }: TokenManagementEndpoint,
  asked: { readonly byGateways: boolean },
): PossibleFailures {
  return sorted(failureReasons, [
    ...readingFailures(reading),
    ...credentialFailures(authentication, reading.inputs),
    ['client_mismatch', { parameter: 'client_id' }],
    ...reading.inputs.flatMap(inputFailures),
    ...(asked.byGateways ? [] : [['throttled', none] as const]),
    ...ownFailures,
  ]);
}

function verificationFailures(rules: VerificationRules): PossibleFailures {
  return sorted(failureReasons, [
    // Of the gateway's own question.
    ['malformed_body', none],
    ['repeated_parameter', { parameter: 'scope' }],
    ['unknown_parameter', { parameter: unheardOf }],
    ['invalid_parameter', { parameter: 'level' }],
    ...foundAtCalls(rules),
  ]);
}

/** Every example of a failure of a call that a gateway asks about. */
export function foundAtCalls({
  comparedHeaders,
  apiKeyHeader,
}: VerificationRules): readonly Found[] {
  return [
    ...comparedHeaders.flatMap(inputFailures),
    ['missing_api_key', { parameter: apiKeyHeader.toLowerCase() }],
    ['invalid_api_key', none],
    ['missing_token', { parameter: 'authorization' }],
    ['invalid_token', none],
    ['insufficient_scope', none],
    ...ownFailures,
  ];
}

function loginFailures(endpoint: LoginEndpoint): PossibleFailures<LoginFailureReason> {
  return sorted(loginFailureReasons, foundAtLogin(endpoint));
}

/** Every example of a failure of a login request. */
export function foundAtLogin({
  reading,
  pkce,
  requestObjects,
}: LoginEndpoint): readonly Found<LoginFailureReason>[] {
  const { inputs, unknown } = reading;
  const { challenge, method } = challengeNames(inputs);
  const special = inputs.flatMap(({ role, name }): readonly Found<LoginFailureReason>[] => {
    if (role === 'scope') return [['invalid_scope', { parameter: name, scope: unheardOf }]];
    const asked = role === 'prompt' ? (['login_required', 'invalid_parameter'] as const) : [];
    const reasons = role === 'nonce' ? (['invalid_parameter'] as const) : asked;
    return reasons.map((reason) => [reason, { parameter: name }]);
  });
  return [
    ...special,
    ...requestObjects.map((name) => [`${name}_not_supported`, { parameter: name }] as const),
    ...inputs
      // Their failures come before there is a trusted address, and have pages of their own.
      .filter(({ role }) => role !== 'client_id' && role !== 'redirect_uri')
      .flatMap((input): readonly Found<LoginFailureReason>[] => [
        ...(input.list || input.role === 'resource'
          ? []
          : [['repeated_parameter', { parameter: input.name }] as const]),
        ...inputFailures(input),
      ]),
    ...(unknown === 'refuse' ? [['unknown_parameter', { parameter: unheardOf }] as const] : []),
    ...(pkce === 'off'
      ? []
      : [
          ['missing_parameter', { parameter: challenge }] as const,
          ['invalid_parameter', { parameter: method }] as const,
        ]),
    ...ofEveryLogin.map((reason) => [reason, none] as const),
  ];
}

const ofEveryLogin = [
  'ambiguous_request',
  'missing_client_id',
  'unknown_client',
  'missing_redirect_uri',
  'unregistered_redirect_uri',
  'access_denied',
  'server_error',
  'temporarily_unavailable',
] as const;

/** An input that is missing or malformed, or is not what it is compared with. */
function inputFailures<Reason>(input: Input<Reason>): readonly Found<Reason>[] {
  const { name, inHeader, list, missedBy, tests, clientTest } = input;
  const { whenMissing, whenInvalid, whenRepeated } = input;
  const isOnce = inHeader && !list && whenRepeated === whenInvalid;
  const reasons = [
    ...(missedBy.length > 0 ? [whenMissing] : []),
    ...(isOnce ? [whenInvalid] : []),
    ...(isComparedFirst(input) ? [] : tests.map(({ reason }) => reason)),
    ...(clientTest === undefined ? [] : [clientTest.reason]),
  ];
  return [...new Set(reasons)].map((reason) => [reason, { parameter: name }]);
}

/**
 * At token endpoints a parameter is compared with the client before its form is tested, so that a value of
 * another form is another value.
 */
function isComparedFirst<Reason>({
  clientTest,
  inHeader,
  isOfGrants,
  readBy,
}: Input<Reason>): boolean {
  const isEarly = (inHeader && !isOfGrants) || readBy.includes('login');
  return clientTest !== undefined && !isEarly;
}

function* readingFailures({
  methods,
  mediaTypes,
  repeated,
  unknown,
  inputs,
}: Reading): Iterable<Found> {
  const parameters = inputs.filter(({ places }) => places.some(isParameterPlace));
  yield ['method_not_allowed', { allow: methods.join(', ') }];
  if (mediaTypes.length > 0) yield ['unsupported_media_type', { parameter: 'content-type' }];
  yield ['body_too_large', none];
  yield ['malformed_body', none];
  if (repeated === 'refuse') {
    yield ['repeated_parameter', { parameter: parameters[0]?.name ?? 'grant_type' }];
  }
  if (unknown === 'refuse') yield ['unknown_parameter', { parameter: unheardOf }];
  const misplaced = parameters.find(({ key, wireName, places }) => {
    const isNested = key !== wireName;
    return !isNested && !(places.includes('query') && places.length > 1);
  });
  if (misplaced !== undefined) yield ['misplaced_parameter', { parameter: misplaced.name }];
}

/** Query and bodies: what is repeated, unknown or misplaced there is refused as a parameter. */
function isParameterPlace(place: Input['places'][number]): boolean {
  return place !== 'header' && place !== 'path' && place !== 'cookie';
}

function* credentialFailures(
  authentication: ClientAuthentication,
  inputs: readonly Input[],
): Iterable<Found> {
  const { secretName, proof } = credentialNames(authentication, inputs);
  yield ['authentication_missing', { parameter: proof }];
  if (readsHeader(authentication)) {
    yield ['authentication_malformed', { parameter: proof }];
    const isBothRefused = authentication.when_both === 'refuse';
    if (isBothRefused && inputs.some(({ role }) => role === 'client_secret')) {
      yield ['authentication_ambiguous', { parameter: secretName }];
    }
  }
  const signed = inputs.find(({ role }) => role === 'client_assertion');
  if (signed !== undefined && authentication.methods.includes(privateKeyJwt)) {
    yield ['authentication_malformed', { parameter: signed.name }];
    const isOne = authentication.methods.length === 1;
    if (!isOne) yield ['authentication_ambiguous', { parameter: signed.name }];
  }
  yield ['client_authentication_failed', none];
  if (authentication.failure_limit !== 'off') yield ['throttled', none];
}

/** The parts of a request in which it can ask for a failure. */
export type Asking = Pick<WireRequest, 'query' | 'rawHeaders' | 'record'>;

export interface Sandbox {
  /** Where a request names the failure that it wants. */
  readonly places: SandboxDefinition;
  /** What the request asks for, known or not; undefined where it asks for nothing. */
  readonly asked: (request: Omit<Asking, 'record'>) => string | undefined;
  /** By path, of the endpoints that clients and gateways call. */
  readonly failuresAt: ReadonlyMap<string, PossibleFailures>;
  readonly loginFailures: PossibleFailures<LoginFailureReason>;
  readonly verificationFailures: PossibleFailures;
}

/** The parts of a compiled programme that can fail. */
interface Endpoints {
  readonly tokenEndpoints: readonly TokenEndpoint[];
  readonly introspection?: TokenManagementEndpoint;
  readonly revocation?: TokenManagementEndpoint;
  readonly login: { readonly endpoint: LoginEndpoint };
  readonly verification: VerificationRules;
}

export function compileSandbox(
  sandbox: SandboxDefinition,
  { tokenEndpoints, introspection, revocation, login, verification }: Endpoints,
): Sandbox {
  const management = [
    [introspection, { byGateways: true }],
    [revocation, { byGateways: false }],
  ] as const;
  return {
    places: sandbox,
    asked: compileAsked(sandbox),
    failuresAt: new Map([
      ...Map.groupBy(tokenEndpoints, ({ path }) => path)
        .entries()
        .map(([path, endpoints]) => [path, tokenFailures(endpoints)] as const),
      ...management.flatMap(([endpoint, asked]) =>
        endpoint === undefined
          ? []
          : [[endpoint.path, managementFailures(endpoint, asked)] as const],
      ),
    ]),
    loginFailures: loginFailures(login.endpoint),
    verificationFailures: verificationFailures(verification),
  };
}

/** Several values are one that is unknown. */
function compileAsked({ header, parameter }: SandboxDefinition): Sandbox['asked'] {
  const headerName = header?.toLowerCase();
  return ({ query, rawHeaders }) => {
    const sent = [
      ...(headerName === undefined ? [] : headerValues({ rawHeaders }, headerName)),
      ...(parameter === undefined ? [] : (parseFormOrNone(query).get(parameter) ?? [])),
    ];
    return sent.length === 0 ? undefined : sent.join(', ');
  };
}
