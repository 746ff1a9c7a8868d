// Owns one input of an endpoint, compiled: where it is read, what it must look like and equal.

import type { Client, StoredSecret } from '../../oauth/client.ts';
import type { FailureReason } from '../../oauth/failure.ts';
import { memberPath } from '../../oauth/parameters.ts';
import type { Comparison, InputDefinition } from '../language/input_schema.ts';
import { compileShape } from '../language/value_shape.ts';
import { formatTest } from './input_formats.ts';

/** Values of a request by the names the engine knows them under; what was empty is absent. */
export type Inputs = ReadonlyMap<string, string>;

/** Whether a text is one of the secrets; those are kept as digests under a key of the service's. */
export type SecretTest = (text: string, secrets: readonly StoredSecret[]) => boolean;

export type ClientComparison = (value: string, client: Client, isSecret: SecretTest) => boolean;

export interface InputRule {
  /** The engine's name for it. */
  readonly role: string;
  readonly wireName: string;
  /** How it is told of: with the objects it lies in, where there are some. */
  readonly told: string;
  /** What it is found under among the parameters of a request. */
  readonly key: string;
  readonly required: boolean;
  /** A header whose lines are one list. */
  readonly list: boolean;
  /** The value of a header as sent; undefined where it is not preceded by its scheme. */
  readonly unwrap: (sent: string) => string | undefined;
  readonly fits: (value: string) => boolean;
  /** What it must equal, of the programme and of the client; undefined where nothing is asked. */
  readonly equalsProgramme?: (value: string) => boolean;
  readonly equalsClient?: ClientComparison;
  readonly whenMissing: FailureReason;
  readonly whenInvalid: FailureReason;
  readonly whenUnequal: FailureReason;
}

export function compileInput(
  role: string,
  definition: InputDefinition,
  programmeIdentifier: string,
): InputRule {
  const inHeader = definition.in === 'header';
  const wireName = definition.name ?? role;
  const { within = [] } = definition;
  const hasShape = compileShape(definition);
  const hasFormat = formatTest(definition.format);
  const allowed = definition.allowed === undefined ? undefined : new Set(definition.allowed);
  return {
    role,
    wireName: inHeader ? wireName.toLowerCase() : wireName,
    told: inHeader ? wireName.toLowerCase() : [...within, wireName].join('.'),
    key: memberPath([...within, wireName]),
    required: definition.required,
    list: inHeader && definition.format !== undefined,
    unwrap: compileUnwrap(definition.scheme),
    fits: (value) => hasShape(value) && hasFormat(value) && (allowed?.has(value) ?? true),
    ...compileComparison(definition.must_equal, programmeIdentifier),
    whenMissing: definition.when_missing ?? missingReason(role, inHeader),
    whenInvalid: definition.when_invalid ?? (inHeader ? 'invalid_header' : 'invalid_parameter'),
    whenUnequal: definition.when_unequal ?? unequalReason(definition.must_equal),
  };
}

/** RFC 9110 11.1: scheme in any case, then spaces, then the value. */
export function compileUnwrap(scheme: string | undefined): InputRule['unwrap'] {
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

const clientComparisons: Readonly<
  Record<Exclude<Comparison, 'programme.identifier'>, ClientComparison>
> = {
  'client.id': (value, client) => value === client.id,
  'client.business_context': (value, client) => value === client.businessContext,
  'client.partner_id': (value, client) => value === client.partnerId,
  'client.api_key': (value, client, isSecret) => isSecret(value, client.apiKeys),
};

function compileComparison(
  comparison: Comparison | undefined,
  programmeIdentifier: string,
): Pick<InputRule, 'equalsProgramme' | 'equalsClient'> {
  if (comparison === undefined) return {};
  if (comparison === 'programme.identifier') {
    return { equalsProgramme: (value) => value === programmeIdentifier };
  }
  return { equalsClient: clientComparisons[comparison] };
}
