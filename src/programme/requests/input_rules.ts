// Owns one compiled input of an endpoint: its names, its shape, and its comparisons.

import {
  type Cause,
  describeDifference,
  describeName,
  describeText,
  endpointRule,
  faulty,
  ownCause,
} from '../../oauth/cause.ts';
import type { Client, StoredSecret } from '../../oauth/client.ts';
import { memberPath } from '../../oauth/parameters.ts';
import { challengeFault, proofInputs } from '../../oauth/pkce.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import { attributeMark } from '../../oauth/xml_parameters.ts';
import type { Definition } from '../language/definition.ts';
import type { Comparison, EndpointDefinition, InputDefinition } from '../language/input_schema.ts';
import { compileMisfit, type Misfit } from '../language/value_shape.ts';
import { isPathValue } from '../path_index.ts';
import { heldValues } from './client_values.ts';
import { formatTest, formatWords } from './input_formats.ts';

/** Values of a request by the engine's names; an empty value is absent. */
export type Inputs = ReadonlyMap<string, string>;

/** Whether a text is one of a client's secrets, which are stored as keyed digests. */
export type SecretTest = (text: string, secrets: readonly StoredSecret[]) => boolean;

/** One input; `Reason` is its endpoint's list of failures. */
export interface InputRule<Reason = FailureReason> {
  /** The engine's name of the input. */
  readonly role: string;
  readonly wireName: string;
  /** Its name in messages: the wire name after the names of enclosing objects or elements. */
  readonly told: string;
  /** Its key among a request's parameters. */
  readonly key: string;
  /** What stands between its values where they come as a list of texts in JSON. */
  readonly between?: string;
  readonly inHeader: boolean;
  /** A segment of the path: always there. */
  readonly inPath: boolean;
  readonly inCookie: boolean;
  readonly required: boolean;
  /** Several header lines form one list. */
  readonly list: boolean;
  /** An empty value counts as sent. */
  readonly keepsEmpty: boolean;
  /** The header's value without its scheme; undefined if the scheme is absent. */
  readonly unwrap: (sent: string) => string | undefined;
  readonly fits: (value: string) => boolean;
  /** Why a value does not fit; undefined where it does. */
  readonly misfit: (value: string) => Misfit | undefined;
  /** Comparisons with programme and client, where the file asks for one. */
  readonly equalsProgramme?: (value: string) => boolean;
  readonly equalsClient?: (value: string, client: Client, isSecret: SecretTest) => boolean;
  /** What the comparison is with, in words, and the value where it is public. */
  readonly equal?: readonly [words: string, value?: string];
  readonly whenMissing: Reason;
  readonly whenInvalid: Reason;
  readonly whenUnequal: Reason;
  readonly whenRepeated: FailureReason;
}

/** The inputs of an endpoint; those of PKCE only if the programme uses PKCE. */
export function compileInputs(
  { inputs, empty }: Pick<EndpointDefinition, 'inputs' | 'empty'>,
  { authorize, scope, programme_identifier: identifier }: Definition,
): readonly InputRule[] {
  const isSeveral = scope.kind === 'list' && scope.separator !== 'none';
  const between = isSeveral ? scope.separator : ' ';
  return Object.entries(inputs)
    .filter(([role]) => authorize.pkce !== 'off' || !proofInputs.has(role))
    .map(([role, input]) => ({
      ...compileInput(role, input, identifier, empty),
      ...(role === 'scope' && { between }),
    }));
}

export function compileInput(
  role: string,
  definition: InputDefinition,
  programmeIdentifier: string,
  empty: EndpointDefinition['empty'] = 'missing',
): InputRule {
  const inHeader = definition.in === 'header';
  const inPath = definition.in === 'path';
  const { name = role, within = [], attribute, must_equal: comparison } = definition;
  const wireName = inHeader ? name.toLowerCase() : name;
  const misfit = compileInputMisfit(definition);
  const whenInvalid =
    definition.when_invalid ?? (inHeader ? 'invalid_header' : 'invalid_parameter');
  return {
    role,
    wireName,
    told: inHeader ? wireName : [...within, name].join('.'),
    key: memberPath([...within, attribute === true ? attributeMark + name : name]),
    inHeader,
    inPath,
    inCookie: definition.in === 'cookie',
    required: definition.required,
    list: inHeader && definition.format !== undefined,
    keepsEmpty: empty === 'value',
    unwrap: compileUnwrap(definition.scheme),
    fits: (value) => misfit(value) === undefined,
    misfit,
    ...compileComparison(comparison, programmeIdentifier),
    whenMissing: definition.when_missing ?? missingReason(role, inHeader),
    whenInvalid,
    whenUnequal: definition.when_unequal ?? unequalReason(comparison),
    whenRepeated: inHeader ? whenInvalid : 'repeated_parameter',
  };
}

/** The reason to refuse an input, and the facts of that failure. */
export interface InputFault<Reason = FailureReason> {
  readonly reason: Reason;
  readonly facts: { readonly parameter: string; readonly cause: Cause };
}

/** Why a value is refused for every client; undefined if it is accepted. */
export function inputFault<Reason>(
  rule: InputRule<Reason>,
  value: string | undefined,
  required: boolean,
  wasEmpty: boolean,
): InputFault<Reason> | undefined {
  const place = rule.inHeader ? `the header ${rule.told}` : rule.told;
  if (value === undefined) {
    if (!required) return undefined;
    const came = wasEmpty ? `${place} without a value` : `no ${place}`;
    return faultOf(rule, rule.whenMissing, rule.required ? ['required'] : [], place, came);
  }
  const misfit = rule.misfit(value);
  if (misfit !== undefined) {
    const { key, expected, came } = misfit;
    const told = faultOf(rule, rule.whenInvalid, [key], `${place}: ${expected}`, came);
    const slip = challengeFault(rule.role, value);
    if (slip === undefined) return told;
    return { ...told, facts: { ...told.facts, cause: faulty(told.facts.cause, slip, came) } };
  }
  return rule.equalsProgramme?.(value) === false ? unequalFault(rule, value) : undefined;
}

/** The fault of a value that is not what it is compared with. */
export function unequalFault<Reason>(rule: InputRule<Reason>, value: string): InputFault<Reason> {
  const [expected, right] = rule.equal ?? ['', undefined];
  const came = right === undefined ? describeText(value) : describeDifference(value, right);
  return faultOf(rule, rule.whenUnequal, ['must_equal'], `${rule.told}: ${expected}`, came);
}

/** @param key the key of the input that decided it, if one did */
function faultOf<Reason>(
  { role, told }: InputRule<Reason>,
  reason: Reason,
  key: readonly string[],
  expected: string,
  came: string,
): InputFault<Reason> {
  const cause = ownCause(endpointRule('inputs', role, ...key), expected, came, told);
  return { reason, facts: { parameter: told, cause } };
}

function compileInputMisfit(definition: InputDefinition): InputRule['misfit'] {
  const { in: place, format, allowed } = definition;
  const shapeMisfit = compileMisfit(definition);
  const hasFormat = formatTest(format);
  const values = allowed === undefined ? undefined : new Set(allowed);
  return (value) => {
    const misfit = shapeMisfit(value);
    if (misfit !== undefined) return misfit;
    if (format !== undefined && !hasFormat(value)) {
      return { key: 'format', expected: formatWords[format], came: describeText(value) };
    }
    if ((place !== 'path' || isPathValue(value)) && values?.has(value) !== false) return undefined;
    const list = allowed ?? [];
    const near = list.find((one) => one.toLowerCase() === value.trim().toLowerCase());
    const came = near === undefined ? describeName(value) : describeDifference(value, near);
    return { key: 'allowed', expected: `one of ${list.join(', ')}`, came };
  };
}

/** RFC 9110 11.1: a scheme in any case, spaces, then the value. */
function compileUnwrap(scheme: string | undefined): InputRule['unwrap'] {
  if (scheme === undefined) return (sent) => sent;
  const form = new RegExp(`^${scheme} +(\\S+)$`, 'i');
  return (sent) => form.exec(sent)?.[1];
}

function missingReason(role: string, inHeader: boolean): FailureReason {
  if (inHeader) return 'missing_header';
  return role === 'grant_type' ? 'missing_grant_type' : 'missing_parameter';
}

function unequalReason(comparison: Comparison | undefined): FailureReason {
  if (comparison === 'programme.identifier') return 'programme_mismatch';
  return comparison === 'client.id' ? 'client_mismatch' : 'context_mismatch';
}

function compileComparison(
  comparison: Comparison | undefined,
  programmeIdentifier: string,
): Pick<InputRule, 'equalsProgramme' | 'equalsClient' | 'equal'> {
  if (comparison === undefined) return {};
  if (comparison === 'programme.identifier') {
    return {
      equal: [`the programme identifier ${programmeIdentifier}`, programmeIdentifier],
      equalsProgramme: (value) => value === programmeIdentifier,
    };
  }
  const equal = ['what is registered for the client'] as const;
  if (comparison === 'client.api_key') {
    return { equal, equalsClient: (value, client, isSecret) => isSecret(value, client.apiKeys) };
  }
  const valuesOf = heldValues(comparison);
  return { equal, equalsClient: (value, client) => valuesOf(client).includes(value) };
}
