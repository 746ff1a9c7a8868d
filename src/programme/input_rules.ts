// Owns one input of an endpoint, compiled: where it is read, what it must look like and equal.

import type { Client } from '../oauth/client.ts';
import type { FailureReason } from '../oauth/failure.ts';
import { formatTest } from './input_formats.ts';
import type { Comparison, InputDefinition } from './input_schema.ts';
import { compileShape } from './value_shape.ts';

/** Values of a request by the names the engine knows them under; what was empty is absent. */
export type Inputs = ReadonlyMap<string, string>;

export interface InputRule {
  /** The engine's name for it. */
  readonly role: string;
  readonly wireName: string;
  readonly required: boolean;
  /** A header whose lines are one list. */
  readonly list: boolean;
  readonly fits: (value: string) => boolean;
  /** What it must equal, of the programme and of the client; undefined where nothing is asked. */
  readonly equalsProgramme?: (value: string) => boolean;
  readonly equalsClient?: (value: string, client: Client) => boolean;
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
  const hasShape = compileShape(definition);
  const hasFormat = formatTest(definition.format);
  const allowed = definition.allowed === undefined ? undefined : new Set(definition.allowed);
  return {
    role,
    wireName: inHeader ? wireName.toLowerCase() : wireName,
    required: definition.required,
    list: inHeader && definition.format !== undefined,
    fits: (value) => hasShape(value) && hasFormat(value) && (allowed?.has(value) ?? true),
    ...compileComparison(definition.must_equal, programmeIdentifier),
    whenMissing: definition.when_missing ?? missingReason(role, inHeader),
    whenInvalid: definition.when_invalid ?? (inHeader ? 'invalid_header' : 'invalid_parameter'),
    whenUnequal: definition.when_unequal ?? unequalReason(definition.must_equal),
  };
}

function missingReason(role: string, inHeader: boolean): FailureReason {
  if (inHeader) return 'missing_header';
  return role === 'grant_type' ? 'missing_grant_type' : 'missing_parameter';
}

function unequalReason(comparison: Comparison | undefined): FailureReason {
  if (comparison === 'programme.identifier') return 'programme_mismatch';
  return comparison === 'client.id' ? 'client_mismatch' : 'context_mismatch';
}

const clientValues: Readonly<
  Record<Exclude<Comparison, 'programme.identifier'>, (client: Client) => string | undefined>
> = {
  'client.id': (client) => client.id,
  'client.business_context': (client) => client.businessContext,
  'client.partner_id': (client) => client.partnerId,
};

function compileComparison(
  comparison: Comparison | undefined,
  programmeIdentifier: string,
): Pick<InputRule, 'equalsProgramme' | 'equalsClient'> {
  if (comparison === undefined) return {};
  if (comparison === 'programme.identifier') {
    return { equalsProgramme: (value) => value === programmeIdentifier };
  }
  const read = clientValues[comparison];
  return { equalsClient: (value, client) => value === read(client) };
}
