// Owns the checks of a login request: its inputs, its proof key (RFC 7636), and the parameters of OpenID
// Connect Core 3.1.2.1 that need an answer here. Every login asks for the password: `prompt=login` and
// `max_age` are met in any case.

import type { AuthorizeDefinition } from '../../language/authorize_schema.ts';
import {
  countOf,
  describeText,
  endpointRule,
  faulty,
  ownCause,
  type RulePath,
} from '../../oauth/cause.ts';
import type { Client } from '../../oauth/client.ts';
import { type FailureFacts, LoginRefusal } from '../../oauth/failure.ts';
import type { LoginFailureReason } from '../../oauth/login_reasons.ts';
import { challengeFault } from '../../oauth/pkce.ts';
import type { ProofFault } from '../../oauth/proofs/proof_faults.ts';
import { headerValues, type RequestHead } from '../../oauth/wire_request.ts';
import {
  type InputFault,
  missingFault,
  unequalFault,
  valueFault,
} from '../requests/input_faults.ts';
import type { Input, Inputs } from '../requests/inputs.ts';
import { wasEmpty } from '../requests/request_reader.ts';

export type LoginInput = Input<LoginFailureReason>;

/** A repeated or unknown parameter. */
export interface ParameterFault {
  readonly reason: 'repeated_parameter' | 'unknown_parameter' | 'invalid_target';
  /** The input of that name, if any. */
  readonly role: string | undefined;
  readonly facts: FailureFacts;
}

/** The values of a request by the engine's names, before any check. */
export interface LoginReading {
  /** Without inputs that were sent more than once. */
  readonly inputs: Inputs;
  readonly faults: readonly ParameterFault[];
}

/** The checks whose failures may be told to the client by redirect. */
export function compileRequestChecks(
  authorize: AuthorizeDefinition,
  rules: readonly LoginInput[],
  requestObjects: readonly RequestObject[],
): (reading: LoginReading, client: Client) => void {
  const names = challengeNames(rules);
  return ({ inputs, faults }, client) => {
    // Order: repeated inputs, other repeated parameters, unknown parameters.
    const fault =
      faults.find(({ role }) => role !== undefined) ??
      faults.find(({ reason }) => reason === 'repeated_parameter') ??
      faults[0];
    refuseFor(fault);
    checkRequestObjects(requestObjects, inputs);
    for (const rule of rules) {
      const value = inputs.get(rule.role);
      if (value === undefined) {
        if (rule.required) refuseFor(missingFault(rule, wasEmpty(inputs, rule.role)));
        continue;
      }
      refuseFor(valueFault(rule, value));
      const isEqual = rule.clientTest?.holds(value, client, noSecret) !== false;
      if (!isEqual) refuseFor(unequalFault(rule, value));
    }
    checkChallenge(authorize, names, inputs);
    checkIdentityRequest(inputs);
  };
}

/** A login URL must not carry a secret: no value equals one. */
const noSecret = (): boolean => false;

/** Another programme's name gives a page: its redirect URIs are not valid here (P-4). */
export function compileProgrammeCheck(
  rules: readonly LoginInput[],
): (reading: LoginReading) => void {
  const named = rules.flatMap((rule) => {
    const tests = rule.tests.filter(({ key }) => key === 'must_equal');
    return tests.length === 0 ? [] : [{ ...rule, tests }];
  });
  return ({ inputs }) => {
    for (const rule of named) {
      const value = inputs.get(rule.role);
      if (value !== undefined) refuseFor(valueFault(rule, value));
    }
  };
}

/** Refuses a malformed header of the member's address. */
export function compileAddressCheck(rules: readonly LoginInput[]): (request: RequestHead) => void {
  const rule = rules.find(({ role, inHeader }) => role === 'forwarded_for' && inHeader);
  if (rule === undefined) return () => {};
  return (request) => {
    const sent = headerValues(request, rule.wireName);
    const value = sent.join(', ');
    if (sent.length > 0 && !rule.fits(value)) refuseFor(valueFault(rule, value));
  };
}

/** The wire names of challenge and method. */
export function challengeNames(
  rules: readonly Pick<Input<unknown>, 'role' | 'wireName'>[],
): Readonly<Record<'challenge' | 'method', string>> {
  const nameOf = (name: string): string =>
    rules.find(({ role }) => role === name)?.wireName ?? name;
  return { challenge: nameOf('code_challenge'), method: nameOf('code_challenge_method') };
}

/** RFC 7636 4.3: a challenge without a method means `plain`, which Jetway never accepts. */
function checkChallenge(
  { pkce }: Pick<AuthorizeDefinition, 'pkce'>,
  names: ReturnType<typeof challengeNames>,
  inputs: Inputs,
): void {
  const challenge = inputs.get('code_challenge');
  const method = inputs.get('code_challenge_method');
  const rule = ['authorize', 'pkce'];
  if (challenge === undefined && (method !== undefined || pkce === 'required')) {
    const came = method === undefined ? 'neither' : `${names.method} alone`;
    const expected = `${names.challenge} and ${names.method}`;
    refuse('missing_parameter', names.challenge, rule, expected, came);
  }
  if (challenge !== undefined && method !== 'S256') {
    const came = method === undefined ? 'none' : describeText(method);
    const fault = challengeFault('code_challenge_method', method ?? 'plain');
    refuse('invalid_parameter', names.method, rule, 'S256', came, fault);
  }
}

/** What OpenID Connect Core 6 has for a request whose parameters stand elsewhere. */
export const requestObjectNames = ['request', 'request_uri'] as const;
export type RequestObject = (typeof requestObjectNames)[number];

/** Before the inputs, which may stand in it. */
function checkRequestObjects(refused: readonly RequestObject[], inputs: Inputs): void {
  for (const name of refused) {
    if (!inputs.has(name)) continue;
    const expected = 'each parameter by itself';
    refuse(`${name}_not_supported`, name, ['id_token'], expected, `the parameter ${name}`);
  }
}

/** Characters. A nonce stands in the login's address and in the code's row. */
const longestNonce = 1024;

function checkIdentityRequest(inputs: Inputs): void {
  const nonce = inputs.get('nonce') ?? '';
  if (nonce.length > longestNonce) {
    const came = countOf(nonce.length, 'character');
    const rule = endpointRule('inputs', 'nonce');
    refuse('invalid_parameter', 'nonce', rule, `at most ${longestNonce} characters`, came);
  }
  const prompt = inputs.get('prompt') ?? '';
  const prompts = prompt.split(' ');
  if (!prompts.includes('none')) return;
  const rule = endpointRule('inputs', 'prompt');
  if (prompts.length > 1) {
    refuse('invalid_parameter', 'prompt', rule, 'none alone', describeText(prompt));
  }
  refuse('login_required', 'prompt', rule, 'a login that the member sees', 'none');
}

function refuse(
  reason: LoginFailureReason,
  parameter: string,
  rule: RulePath,
  expected: string,
  came: string,
  fault?: ProofFault,
): never {
  const cause = ownCause(rule, expected, came, parameter);
  const told = fault === undefined ? cause : faulty(cause, fault, came);
  throw new LoginRefusal(reason, { parameter, cause: told });
}

function refuseFor(fault: ParameterFault | InputFault<LoginFailureReason> | undefined): void {
  if (fault !== undefined) throw new LoginRefusal(fault.reason, fault.facts);
}
