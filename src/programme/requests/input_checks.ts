// Owns the refusal of an input that is missing, or has a wrong shape.

import { Refusal } from '../../oauth/failure.ts';
import { missingFault, valueFault } from './input_faults.ts';
import type { Input, Inputs } from './inputs.ts';
import { wasEmpty } from './request_reader.ts';

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
