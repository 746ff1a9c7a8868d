// Owns the compiled login request of a programme: its reading, client and redirect URI.

import {
  type AuthorizeDefinition,
  type ResponseMode,
  responseModes,
} from '../../language/authorize_schema.ts';
import type { Definition } from '../../language/definition.ts';
import type { EndpointDefinition, InputDefinition } from '../../language/input_schema.ts';
import { present } from '../../lib/present.ts';
import { type Cause, countOf, endpointRule, ownCause } from '../../oauth/cause.ts';
import type { Client } from '../../oauth/client.ts';
import { LoginRefusal, Refusal } from '../../oauth/failure.ts';
import type { LoginFailureReason } from '../../oauth/login_reasons.ts';
import { compileRegistered, redirectCause } from '../../oauth/redirect_uri.ts';
import type { RequestHead, WireRequest } from '../../oauth/wire_request.ts';
import { compileInputsWith, type InputReasons, type Inputs } from '../requests/inputs.ts';
import { takesUnnamed } from '../requests/presented_credentials.ts';
import {
  type BodyReader,
  compileBodyReader,
  compileReading as compileRows,
  type Reading,
  noBody,
} from '../requests/reading.ts';
import { compileReader, wasEmpty } from '../requests/request_reader.ts';
import {
  compileAddressCheck,
  compileProgrammeCheck,
  compileRequestChecks,
  type LoginReading,
  type LoginInput,
  type ParameterFault,
  type RequestObject,
  requestObjectNames,
} from './request_checks.ts';

/** The login request for the engine. Its functions throw only `LoginRefusal`. */
export interface LoginEndpoint {
  readonly path: string;
  readonly reading: Reading<LoginFailureReason>;
  readonly methods: ReadonlySet<string>;
  readonly pkce: AuthorizeDefinition['pkce'];
  /** Whether each request must name its redirect URI. */
  readonly redirectUriRule: AuthorizeDefinition['redirect_uri']['login'];
  /** Whether a login request that names its redirect URI makes the token request repeat it. */
  readonly repeatsRedirectUri: boolean;
  readonly redirectStatus: 302 | 303;
  readonly binds: AuthorizeDefinition['binds'];
  /** The name of the scope on the wire. */
  readonly scopeName: string;
  /** The parameters of OpenID Connect Core 6 that are refused by their names: an input of the file is none. */
  readonly requestObjects: readonly RequestObject[];
  readonly read: (request: WireRequest) => LoginReading;
  /** The client identifier as sent, or of the client that stands for requests that name none. */
  readonly clientId: (reading: LoginReading) => string;
  /** Refuses a request that names another programme. */
  readonly checkProgramme: (reading: LoginReading) => void;
  /** The registered redirect URI for the answer. */
  readonly redirectUri: (reading: LoginReading, client: Client) => string;
  /** Refuses a redirect URI that is not registered, or is no longer. */
  readonly expectRegistered: (redirectUri: string, client: Client) => void;
  /** The state to send back; undefined if the state sent is missing or malformed. */
  readonly state: (reading: LoginReading) => string | undefined;
  /** The way back that the request chooses; undefined if it chooses none of those allowed. */
  readonly mode: (reading: LoginReading) => ResponseMode | undefined;
  /** The checks whose failures may be told to the client by redirect. */
  readonly checkRequest: (reading: LoginReading, client: Client) => void;
  /** Refuses a malformed header of the member's address, at the form's POST too (P-13). */
  readonly checkAddress: (request: RequestHead) => void;
}

export function compileLoginEndpoint(definition: Definition): LoginEndpoint {
  const { authorize } = definition;
  const { endpoint } = authorize;
  const kinds = ['login'] as const;
  const rules = compileInputsWith(endpoint, definition, kinds, loginReasons);
  const requestObjects = requestObjectNames.filter(
    (name) =>
      definition.id_token !== undefined &&
      rules.every(({ role, key }) => role !== name && key !== name),
  );
  const stateRule = rules.find((rule) => rule.role === 'state');
  const modeRule = rules.find((rule) => rule.role === 'response_mode');
  const expectRegistered = compileExpectation(authorize.redirect_uri.varies);
  const idName = rules.find((rule) => rule.role === 'client_id')?.name ?? 'client_id';
  const { authentication } = definition.client;
  const standing = takesUnnamed(authentication) ? authentication.unnamed_client : undefined;
  const unnamed = (inputs: Inputs): Cause => {
    const came = wasEmpty(inputs, 'client_id') ? `${idName} without a value` : `no ${idName}`;
    return ownCause(endpointRule('inputs', 'client_id'), idName, came, idName);
  };
  return {
    path: definition.base_path + endpoint.path,
    reading: compileRows(endpoint, rules, kinds),
    methods: new Set(endpoint.methods),
    pkce: authorize.pkce,
    redirectUriRule: authorize.redirect_uri.login,
    repeatsRedirectUri: authorize.redirect_uri.token === 'if_sent',
    redirectStatus: authorize.redirect_status,
    binds: authorize.binds,
    scopeName: rules.find(({ role }) => role === 'scope')?.name ?? 'scope',
    requestObjects,
    read: compileReading(authorize, [...rules, ...refusedInputs(definition, requestObjects)]),
    clientId: ({ inputs, faults }) => {
      const twice = faults.find(isOfAddress);
      if (twice !== undefined) {
        throw new LoginRefusal('ambiguous_request', present({ cause: twice.facts.cause }));
      }
      const id = inputs.get('client_id');
      if (id !== undefined) return id;
      if (standing !== undefined && !wasEmpty(inputs, 'client_id')) return standing;
      throw new LoginRefusal('missing_client_id', { cause: unnamed(inputs) });
    },
    checkProgramme: compileProgrammeCheck(rules),
    redirectUri: compileRedirectChoice(authorize, expectRegistered),
    expectRegistered,
    state: ({ inputs }) => {
      const state = inputs.get('state');
      return state !== undefined && stateRule?.fits(state) === true ? state : undefined;
    },
    mode: ({ inputs }) => {
      const sent = inputs.get('response_mode');
      return responseModes.find((mode) => mode === sent && modeRule?.fits(mode));
    },
    checkRequest: compileRequestChecks(authorize, rules, requestObjects),
    checkAddress: compileAddressCheck(rules),
  };
}

/** P-13: a malformed header is reported to the user on a page, a malformed parameter to the client. */
function loginReasons(
  role: string,
  { must_equal: comparison }: InputDefinition,
  inHeader: boolean,
): InputReasons<LoginFailureReason> {
  if (role === 'resource') {
    const target = 'invalid_target';
    return { whenMissing: target, whenInvalid: target, whenUnequal: target, whenRepeated: target };
  }
  const isResponseType = role === 'response_type';
  const invalid = inHeader ? 'invalid_header' : 'invalid_parameter';
  return {
    whenMissing: isResponseType ? 'missing_response_type' : 'missing_parameter',
    whenInvalid: isResponseType ? 'unsupported_response_type' : invalid,
    whenUnequal: comparison === 'programme.identifier' ? 'programme_mismatch' : 'context_mismatch',
    whenRepeated: 'repeated_parameter',
  };
}

/** What is read only to be refused. */
function refusedInputs(
  definition: Definition,
  names: readonly RequestObject[],
): readonly LoginInput[] {
  const inputs = Object.fromEntries(names.map((name) => [name, { required: false }]));
  const endpoint = { ...definition.authorize.endpoint, inputs };
  return compileInputsWith(endpoint, definition, ['login'], loginReasons);
}

/**
 * Reads the query, headers, and a posted form if the file says so. Faults of query and headers are raised once
 * client and redirect URI are known.
 */
function compileReading(
  { endpoint }: AuthorizeDefinition,
  rules: readonly LoginInput[],
): LoginEndpoint['read'] {
  const read = compileReader(endpoint, rules, compileForm(endpoint, rules));
  const headers = new Set(rules.flatMap((rule) => (rule.inHeader ? [rule.wireName] : [])));
  return (request) => {
    const faults: ParameterFault[] = [];
    const inputs = read(request, (reason, facts, role) => {
      if (reason === 'malformed_body') throw new LoginRefusal('ambiguous_request', facts);
      // A parameter named like a header input is ignored, repeated or not.
      if (role === undefined && headers.has(facts.parameter ?? '')) return;
      const isRepeated = reason === 'repeated_parameter' || reason === 'invalid_target';
      const told = isRepeated ? reason : 'unknown_parameter';
      faults.push({ reason: told, role, facts });
    });
    return { inputs, faults };
  };
}

/** OpenID Connect Core 3.1.2.1: a posted form. No address is known good while its faults are found. */
function compileForm(endpoint: EndpointDefinition, rules: readonly LoginInput[]): BodyReader {
  if (!endpoint.read.includes('form')) return () => noBody;
  const read = compileBodyReader(endpoint, rules);
  return (request) => {
    if (request.method !== 'POST') return noBody;
    try {
      return read(request);
    } catch (error) {
      throw error instanceof Refusal ? new LoginRefusal('ambiguous_request', error.facts) : error;
    }
  };
}

/** Whether the fault makes the client or the redirect URI unclear. */
function isOfAddress({ reason, role, facts }: ParameterFault): boolean {
  const name = role ?? facts.parameter;
  return reason === 'repeated_parameter' && (name === 'client_id' || name === 'redirect_uri');
}

/** HOSTILE 1: what is not registered is never a redirect. */
function compileExpectation(varied: readonly string[]): LoginEndpoint['expectRegistered'] {
  const isRegistered = compileRegistered(varied);
  return (sent, client) => {
    if (isRegistered(sent, client)) return;
    const cause = redirectCause(sent, client, varied);
    throw new LoginRefusal('unregistered_redirect_uri', { cause });
  };
}

/**
 * RFC 6749 3.1.2.3, RFC 9700 2.1: the URI must equal a registered one as a string. It may be left
 * out only if exactly one is registered (G-3, G-7, HOSTILE 1 and 3).
 */
function compileRedirectChoice(
  authorize: AuthorizeDefinition,
  expectRegistered: LoginEndpoint['expectRegistered'],
): LoginEndpoint['redirectUri'] {
  return ({ inputs }, client) => {
    const sent = inputs.get('redirect_uri');
    if (sent !== undefined) {
      expectRegistered(sent, client);
      return sent;
    }
    const [only, ...others] = client.redirectUris;
    if (authorize.redirect_uri.login === 'required' || only === undefined || others.length > 0) {
      const { length } = client.redirectUris;
      const came = `none, and ${countOf(length, 'registered redirect URI')}`;
      const expected = length === 1 ? 'one in each request' : 'one, or exactly one registered';
      const cause = { rule: ['authorize', 'redirect_uri'], expected, came };
      throw new LoginRefusal('missing_redirect_uri', { cause });
    }
    return only;
  };
}
