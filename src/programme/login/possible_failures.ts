// Owns which failures a login request can be answered with, with what is told of an example of each.

import { type LoginFailureReason, loginFailureReasons } from '../../oauth/login_reasons.ts';
import type { Definition } from '../language/definition.ts';
import { compileInputs } from '../requests/input_rules.ts';
import {
  comparisonFailures,
  type Found,
  type PossibleFailures,
  ruleFailures,
  sorted,
  unheardOf,
} from '../requests/possible_failures.ts';
import { toLoginRule } from './endpoint.ts';
import { challengeNames } from './request_checks.ts';

export function loginRequestFailures(definition: Definition): PossibleFailures<LoginFailureReason> {
  return sorted(loginFailureReasons, foundAtLogin(definition));
}

/** Every example of a failure of a login request. */
export function foundAtLogin(definition: Definition): readonly Found<LoginFailureReason>[] {
  return [...requestFailures(definition), ...always];
}

const always = (
  [
    'ambiguous_request',
    'missing_client_id',
    'unknown_client',
    'missing_redirect_uri',
    'unregistered_redirect_uri',
    'access_denied',
    'server_error',
    'temporarily_unavailable',
  ] as const
).map((reason): Found<LoginFailureReason> => [reason, {}]);

/** Inputs whose failures come before there is a trusted address, and are pages. */
const ofAddress: ReadonlySet<string> = new Set(['client_id', 'redirect_uri']);

function* requestFailures(definition: Definition): Iterable<Found<LoginFailureReason>> {
  const { endpoint, pkce } = definition.authorize;
  const rules = compileInputs(endpoint, definition).map(toLoginRule);
  for (const rule of rules) {
    const { role, told } = rule;
    const input = endpoint.inputs[role];
    if (role === 'prompt') yield ['login_required', { parameter: told }];
    if (role === 'prompt' || role === 'nonce') yield ['invalid_parameter', { parameter: told }];
    if (role === 'scope') yield ['invalid_scope', { parameter: told, scope: unheardOf }];
    if (input === undefined || ofAddress.has(role)) continue;
    if (!rule.inHeader) yield ['repeated_parameter', { parameter: told }];
    yield* ruleFailures(rule, input, rule.required);
  }
  for (const { equalsProgramme, told } of rules) {
    if (equalsProgramme !== undefined) yield ['programme_mismatch', { parameter: told }];
  }
  yield* comparisonFailures(rules.filter((rule) => rule.equalsClient !== undefined));
  if (endpoint.unknown === 'refuse') yield ['unknown_parameter', { parameter: unheardOf }];
  if (pkce !== 'off') {
    const { challenge, method } = challengeNames(rules);
    yield ['missing_parameter', { parameter: challenge }];
    yield ['invalid_parameter', { parameter: method }];
  }
}
