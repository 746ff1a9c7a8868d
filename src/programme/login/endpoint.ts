// Owns the login request of a programme, compiled: which client, which redirect URI, and whether
// the rest of it is in order. What each failure is told as stands in login_failures.ts.

import type { Client } from '../../oauth/client.ts';
import { LoginRefusal, type LoginFailureReason } from '../../oauth/failure.ts';
import { MalformedParameters, type Parameters, parseForm } from '../../oauth/parameters.ts';
import { proofInputs } from '../../oauth/pkce.ts';
import { headerValues, type RequestHead, type WireRequest } from '../../oauth/wire_request.ts';
import type { AuthorizeDefinition } from '../language/authorize_schema.ts';
import type { Definition } from '../language/definition.ts';
import { compileInput, type InputRule, type Inputs } from '../requests/input_rules.ts';

/** What was sent, by the engine's names, before anything of it is trusted. */
export interface LoginReading {
  readonly inputs: Inputs;
  /** Names of inputs that were sent more than once; their values are not in `inputs`. */
  readonly repeated: ReadonlySet<string>;
  /** A parameter the dialect does not know, where it refuses those. */
  readonly unknown?: string;
}

/** The login request as the engine sees it. Every function throws `LoginRefusal`, and only that. */
export interface LoginEndpoint {
  readonly path: string;
  readonly methods: ReadonlySet<string>;
  readonly redirectStatus: 302 | 303;
  readonly binds: AuthorizeDefinition['binds'];
  readonly read: (request: WireRequest) => LoginReading;
  /** The client identifier as sent. */
  readonly clientId: (reading: LoginReading) => string;
  /** Whether the programme it names is this one. */
  readonly checkProgramme: (reading: LoginReading) => void;
  /** The registered redirect URI that the answer goes to. */
  readonly redirectUri: (reading: LoginReading, client: Client) => string;
  /** The state to send back, if it is one that may be sent. */
  readonly state: (reading: LoginReading) => string | undefined;
  /** Everything that may be told to the client by redirect. */
  readonly checkRequest: (reading: LoginReading, client: Client) => void;
  /** Whether the header that tells the member's address is well-formed at the form's POST, too (P-13). */
  readonly checkAddress: (request: RequestHead) => void;
}

export function compileLoginEndpoint(definition: Definition): LoginEndpoint {
  const { authorize } = definition;
  const { endpoint } = authorize;
  const rules = Object.entries(endpoint.inputs)
    .filter(([role]) => authorize.pkce !== 'off' || !proofInputs.has(role))
    .map(([role, input]) => compileInput(role, input, definition.programme_identifier));
  const stateRule = rules.find((rule) => rule.role === 'state');
  return {
    path: definition.base_path + endpoint.path,
    methods: new Set(endpoint.methods),
    redirectStatus: authorize.redirect_status,
    binds: authorize.binds,
    read: compileReading(authorize, rules),
    clientId: ({ inputs, repeated }) => {
      if (repeated.has('client_id') || repeated.has('redirect_uri')) {
        throw new LoginRefusal('ambiguous_request');
      }
      const id = inputs.get('client_id');
      if (id === undefined) throw new LoginRefusal('missing_client_id');
      return id;
    },
    checkProgramme: compileProgrammeCheck(rules),
    redirectUri: compileRedirectChoice(authorize),
    state: ({ inputs }) => {
      const state = inputs.get('state');
      return state !== undefined && stateRule?.fits(state) === true ? state : undefined;
    },
    checkRequest: compileRequestChecks(authorize, rules),
    checkAddress: compileAddressCheck(authorize, rules),
  };
}

function compileReading(
  authorize: AuthorizeDefinition,
  rules: readonly InputRule[],
): LoginEndpoint['read'] {
  const { endpoint } = authorize;
  const known = new Set(rules.map((rule) => rule.wireName));
  return (request) => {
    const parameters = readQuery(request.query);
    const inputs = new Map<string, string>();
    const repeated = new Set<string>();
    for (const rule of rules) {
      const sent =
        endpoint.inputs[rule.role]?.in === 'header'
          ? headerValues(request, rule.wireName)
          : (parameters.get(rule.wireName) ?? []);
      const [value] = sent;
      if (rule.list && sent.length > 0) inputs.set(rule.role, sent.join(', '));
      else if (sent.length > 1) repeated.add(rule.role);
      else if (value !== undefined && value !== '') inputs.set(rule.role, value);
    }
    // RFC 6749 3.1 lets no parameter come twice, known or not.
    for (const [name, values] of parameters) {
      if (!known.has(name) && values.length > 1) repeated.add(name);
    }
    const unknown =
      endpoint.unknown === 'refuse'
        ? [...parameters.keys()].find((name) => !known.has(name))
        : undefined;
    return { inputs, repeated, ...(unknown === undefined ? {} : { unknown }) };
  };
}

function readQuery(query: string): Parameters {
  try {
    return parseForm(query);
  } catch (error) {
    if (!(error instanceof MalformedParameters)) throw error;
    throw new LoginRefusal('ambiguous_request', { detail: error.message });
  }
}

/** A page for another programme's name: its redirect URIs are nothing to this one (P-4). */
function compileProgrammeCheck(rules: readonly InputRule[]): LoginEndpoint['checkProgramme'] {
  const named = rules.filter((rule) => rule.equalsProgramme !== undefined);
  return ({ inputs }) => {
    for (const rule of named) {
      const value = inputs.get(rule.role);
      if (value !== undefined && rule.equalsProgramme?.(value) === false) {
        throw new LoginRefusal('programme_mismatch', { parameter: rule.wireName });
      }
    }
  };
}

/**
 * RFC 6749 3.1.2.3, RFC 9700 2.1: the URI that was sent must be one of those registered, compared
 * as strings; left out, there must be one only (G-3, G-7, HOSTILE 1 and 3).
 */
function compileRedirectChoice(authorize: AuthorizeDefinition): LoginEndpoint['redirectUri'] {
  return ({ inputs }, client) => {
    const sent = inputs.get('redirect_uri');
    if (sent !== undefined) {
      if (!client.redirectUris.includes(sent)) throw new LoginRefusal('unregistered_redirect_uri');
      return sent;
    }
    const [only, ...others] = client.redirectUris;
    if (authorize.redirect_uri === 'required' || only === undefined || others.length > 0) {
      throw new LoginRefusal('missing_redirect_uri');
    }
    return only;
  };
}

function compileRequestChecks(
  authorize: AuthorizeDefinition,
  rules: readonly InputRule[],
): LoginEndpoint['checkRequest'] {
  const wireNames = new Map(rules.map((rule) => [rule.role, rule.wireName]));
  return (reading, client) => {
    for (const role of reading.repeated) {
      throw new LoginRefusal('repeated_parameter', { parameter: wireNames.get(role) ?? role });
    }
    if (reading.unknown !== undefined) {
      throw new LoginRefusal('unknown_parameter', { parameter: reading.unknown });
    }
    for (const rule of rules) checkRule(rule, reading.inputs, client);
    checkChallenge(authorize.pkce, reading.inputs);
  };
}

function compileAddressCheck(
  authorize: AuthorizeDefinition,
  rules: readonly InputRule[],
): LoginEndpoint['checkAddress'] {
  const rule = rules.find(({ role }) => role === 'forwarded_for');
  if (rule === undefined || authorize.endpoint.inputs[rule.role]?.in !== 'header') return () => {};
  return (request) => {
    const sent = headerValues(request, rule.wireName);
    if (sent.length > 0 && !rule.fits(sent.join(', '))) {
      throw new LoginRefusal(misfit(rule), { parameter: rule.wireName });
    }
  };
}

/** A browser's address bar is no place for a secret: none is ever right there. */
const noSecret = (): boolean => false;

/** P-13: a malformed header is told to the user on a page, a malformed parameter to the client. */
function misfit(rule: InputRule): LoginFailureReason {
  return rule.whenInvalid === 'invalid_header' ? 'invalid_header' : 'invalid_parameter';
}

function checkRule(rule: InputRule, inputs: Inputs, client: Client): void {
  const value = inputs.get(rule.role);
  const isResponseType = rule.role === 'response_type';
  const refuse = (reason: LoginFailureReason): never => {
    throw new LoginRefusal(reason, { parameter: rule.wireName });
  };
  if (value === undefined) {
    if (rule.required) refuse(isResponseType ? 'missing_response_type' : 'missing_parameter');
    return;
  }
  if (!rule.fits(value)) refuse(isResponseType ? 'unsupported_response_type' : misfit(rule));
  if (rule.equalsClient?.(value, client, noSecret) === false) refuse('context_mismatch');
}

/** RFC 7636 4.3: a challenge without a method would mean `plain`, which nothing here accepts. */
function checkChallenge(pkce: AuthorizeDefinition['pkce'], inputs: Inputs): void {
  const challenge = inputs.get('code_challenge');
  const method = inputs.get('code_challenge_method');
  if (challenge === undefined && (method !== undefined || pkce === 'required')) {
    throw new LoginRefusal('missing_parameter', { parameter: 'code_challenge' });
  }
  if (challenge !== undefined && method !== 'S256') {
    throw new LoginRefusal('invalid_parameter', { parameter: 'code_challenge_method' });
  }
}
