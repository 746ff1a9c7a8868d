// Owns the checks of a sandbox: its header and parameter have names of their own.

import type { Complaint } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { knownInputs } from '../language/known_inputs.ts';
import { demandNames } from '../requests/demand.ts';
import { unheardOf } from '../requests/possible_failures.ts';
import { endpointsIn } from './endpoints.ts';

/** Parameters that have a meaning whether a file declares them or not. */
const standardParameters: readonly string[] = [...knownInputs, ...demandNames, unheardOf];

export function* sandboxComplaints(definition: Definition): Iterable<Complaint> {
  const { sandbox, verify } = definition;
  if (sandbox === undefined) return;
  const parameters = new Map(standardParameters.map((name) => [name, 'another parameter']));
  const headers = new Map([[verify.api_key_header.toLowerCase(), 'verify.api_key_header']]);
  for (const [at, { inputs }] of endpointsIn(definition)) {
    for (const [role, { in: place, name = role, within = [] }] of Object.entries(inputs)) {
      const where = [...at, 'inputs', role].join('.');
      if (place === 'header') headers.set(name.toLowerCase(), where);
      else parameters.set(within[0] ?? name, where);
    }
  }
  const { header = '', parameter = '' } = sandbox;
  for (const [key, holder] of [
    ['header', headers.get(header.toLowerCase())],
    ['parameter', parameters.get(parameter)],
  ] as const) {
    if (holder !== undefined) yield [['sandbox', key], `${holder} has this name already`];
  }
}
