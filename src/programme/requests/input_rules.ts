// Owns one compiled input of an endpoint: its names, its shape, and its comparisons.

import {
  type Cause,
  describeDifference,
  describeName,
  describeText,
  endpointRule,
  ownCause,
} from '../../oauth/cause.ts';
import type { Client, StoredSecret } from '../../oauth/client.ts';
import type { FailureReason } from '../../oauth/failure.ts';
import { memberPath } from '../../oauth/parameters.ts';
import { proofInputs } from '../../oauth/pkce.ts';
import { attributeMark } from '../../oauth/xml_parameters.ts';
import type { Definition } from '../language/definition.ts';
import type { Comparison, EndpointDefinition, InputDefinition } from '../language/input_schema.ts';
import { compileShape, type Misfit, shapeMisfit } from '../language/value_shape.ts';
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
  /** Why a value does not fit. */
  readonly misfit: (value: string) => Misfit;
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
  const { name = role, within = [], attribute, allowed, must_equal: comparison } = definition;
  const wireName = inHeader ? name.toLowerCase() : name;
  const hasShape = compileShape(definition);
  const hasFormat = formatTest(definition.format);
  const values = allowed === undefined ? undefined : new Set(allowed);
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
    fits: (value) =>
      (!inPath || isPathValue(value)) &&
      hasShape(value) &&
      hasFormat(value) &&
      (values?.has(value) ?? true),
    misfit: (value) => shapeMisfit(definition, value) ?? formMisfit(definition, value),
    ...compileComparison(comparison, programmeIdentifier),
    whenMissing: definition.when_missing ?? missingReason(role, inHeader),
    whenInvalid,
    whenUnequal: definition.when_unequal ?? unequalReason(comparison),
    whenRepeated: inHeader ? whenInvalid : 'repeated_parameter',
  };
}

/** Why a value is refused for every client; undefined if it is accepted. */
export function inputFault<Reason>(
  rule: InputRule<Reason>,
  value: string | undefined,
  required: boolean,
): Reason | undefined {
  if (value === undefined) return required ? rule.whenMissing : undefined;
  if (!rule.fits(value)) return rule.whenInvalid;
  return rule.equalsProgramme?.(value) === false ? rule.whenUnequal : undefined;
}

/** The cause of a fault that `inputFault` has found. */
export function faultCause<Reason>(
  rule: InputRule<Reason>,
  value: string | undefined,
  wasEmpty: boolean,
): Cause {
  const { role, told } = rule;
  const causeOf = (key: string | undefined, expected: string, came: string): Cause =>
    ownCause(
      endpointRule('inputs', role, ...(key === undefined ? [] : [key])),
      expected,
      came,
      told,
    );
  const place = rule.inHeader ? `the header ${told}` : told;
  if (value === undefined) {
    const came = wasEmpty ? `${place} without a value` : `no ${place}`;
    return causeOf(rule.required ? 'required' : undefined, place, came);
  }
  if (!rule.fits(value)) {
    const { key, expected, came } = rule.misfit(value);
    return causeOf(key, `${place}: ${expected}`, came);
  }
  return unequalCause(rule, value);
}

/** The cause where a value is not what it is compared with. */
export function unequalCause<Reason>(
  { role, told, equal }: InputRule<Reason>,
  value: string,
): Cause {
  const [expected, right] = equal ?? ['', undefined];
  const came = right === undefined ? describeText(value) : describeDifference(value, right);
  return ownCause(endpointRule('inputs', role, 'must_equal'), `${told}: ${expected}`, came, told);
}

function formMisfit({ format, allowed }: InputDefinition, value: string): Misfit {
  if (format !== undefined && !formatTest(format)(value)) {
    return { key: 'format', expected: formatWords[format], came: describeText(value) };
  }
  const list = allowed ?? [];
  const near = list.find((one) => one.toLowerCase() === value.trim().toLowerCase());
  const came = near === undefined ? describeName(value) : describeDifference(value, near);
  return { key: 'allowed', expected: `one of ${list.join(', ')}`, came };
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
