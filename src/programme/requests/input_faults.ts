// Owns the faults of inputs: for which reason, and by which rule, a value or the lack of one is refused.

import {
  type Cause,
  type RulePath,
  describeText,
  endpointRule,
  faulty,
  ownCause,
} from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import { challengeFault } from '../../oauth/pkce.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import type { Input, Inputs } from './inputs.ts';
import { wasEmpty } from './request_reader.ts';

/** The reason to refuse an input, and the facts of that failure. */
export interface InputFault<Reason = FailureReason> {
  readonly reason: Reason;
  readonly facts: { readonly parameter: string; readonly cause: Cause };
}

/** Why the lack of an input is refused. */
export function missingFault<Reason>(input: Input<Reason>, isEmpty: boolean): InputFault<Reason> {
  const { name, inHeader, whenMissing } = input;
  const place = inHeader ? `the header ${name}` : name;
  const came = isEmpty ? `${place} without a value` : `no ${place}`;
  const rule = ofInput(input, ...(input.required ? ['required'] : []));
  return faultOf(input, whenMissing, rule, place, came);
}

/** Why a value is refused for every client; undefined if it is accepted. */
export function valueFault<Reason>(
  input: Input<Reason>,
  value: string,
): InputFault<Reason> | undefined {
  for (const test of input.tests) {
    const came = test.came(value);
    if (came === undefined) continue;
    const rule = test.rule ?? ofInput(input, test.key);
    const fault = faultOf(input, test.reason, rule, test.expected, came);
    const slip = challengeFault(input.role, value);
    if (slip === undefined || test.key === 'must_equal') return fault;
    return { ...fault, facts: { ...fault.facts, cause: faulty(fault.facts.cause, slip, came) } };
  }
  return undefined;
}

/** The fault of a value that is not what is registered for the client. */
export function unequalFault<Reason>(input: Input<Reason>, value: string): InputFault<Reason> {
  const expected = `${input.name}: what is registered for the client`;
  const came = describeText(value);
  return faultOf(input, input.whenUnequal, ofInput(input, 'must_equal'), expected, came);
}

/** The fault of a value that is not what its grant expects. */
export function otherFault(input: Input, expected: string, came: string): InputFault {
  return faultOf(input, input.whenUnequal, ofInput(input), `${input.name}: ${expected}`, came);
}

/** The rule that an input, or a key of it, is. */
function ofInput({ role }: Input<unknown>, ...key: readonly string[]): RulePath {
  return endpointRule('inputs', role, ...key);
}

function faultOf<Reason>(
  { name }: Input<Reason>,
  reason: Reason,
  rule: RulePath,
  expected: string,
  came: string,
): InputFault<Reason> {
  const cause = ownCause(rule, expected, came, name);
  return { reason, facts: { parameter: name, cause } };
}

/** Texts that count as missing, as blank fields do on the login page (P-13). */
const blankForms: ReadonlyMap<string, RegExp> = new Map([
  ['username', /^\s*$/],
  ['password', /^$/],
]);

/** Throws `Refusal` if a required input is missing, or a value has a wrong shape or comparison. */
export function checkInput(input: Input, inputs: Inputs, required: boolean): void {
  const sent = inputs.get(input.role);
  const isBlank = required && sent !== undefined && blankForms.get(input.role)?.test(sent) === true;
  if (sent !== undefined && !isBlank) {
    const fault = valueFault(input, sent);
    if (fault !== undefined) throw new Refusal(fault.reason, fault.facts);
  } else if (required) {
    const fault = missingFault(input, isBlank || wasEmpty(inputs, input.role));
    throw new Refusal(fault.reason, fault.facts);
  }
}
