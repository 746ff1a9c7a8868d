// Owns the warning of an input whose name is nearly one that Jetway knows: it would be held to its
// form and used for nothing, and what it was meant for goes unread.

import type { Path } from '../../lib/fault.ts';
import { suggest } from '../../lib/suggest.ts';
import { inputsOfGrants } from '../../oauth/grant.ts';
import { proofInputs } from '../../oauth/pkce.ts';
import type { Complaint } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import type { EndpointDefinition } from '../language/input_schema.ts';

const shared = ['client_id', 'redirect_uri', 'scope', 'forwarded_for'];

/** Inputs of the login request that Jetway knows. */
export const loginInputs: ReadonlySet<string> = new Set([
  ...shared,
  'response_type',
  'state',
  'brand',
  'ui_locales',
  ...[...proofInputs].filter((role) => role !== 'code_verifier'),
]);

/** Those of a token endpoint. */
export const tokenInputs: ReadonlySet<string> = new Set([
  ...shared,
  'grant_type',
  'client_secret',
  ...inputsOfGrants,
]);

export function* nameWarnings({
  authorize,
  token_endpoints: endpoints,
}: Definition): Iterable<Complaint> {
  yield* misnamed(['authorize', 'endpoint'], authorize.endpoint, loginInputs);
  for (const [name, endpoint] of Object.entries(endpoints)) {
    yield* misnamed(['token_endpoints', name], endpoint, tokenInputs);
  }
}

function* misnamed(
  at: Path,
  { inputs }: EndpointDefinition,
  known: ReadonlySet<string>,
): Iterable<Complaint> {
  for (const role of Object.keys(inputs)) {
    const near = known.has(role) ? undefined : suggest(role, known);
    if (near === undefined || inputs[near] !== undefined) continue;
    yield [
      [...at, 'inputs', role],
      `Jetway knows no input "${role}", and does nothing with what is sent for it`,
      `did you mean "${near}"? Another name on the wire is said by its key name`,
    ];
  }
}
