// Owns sample login requests with one fault each.

import type { LoginFailureReason } from '../../oauth/login_reasons.ts';
import type { Programme } from '../../programme/programme.ts';
import { unheardOf } from '../../programme/requests/possible_failures.ts';
import type { SampleFault } from './faults.ts';
import type { SampleClient, SampleValues } from './proof.ts';
import { sampleLoginRequest } from './requests.ts';

/**
 * Login requests, one for each reason; `values` are those of a good request. The first requests are
 * answered by a page, the others by redirect where the dialect says so.
 */
export function loginFaults(
  programme: Programme,
  { client }: SampleClient,
  values: SampleValues,
): readonly SampleFault<LoginFailureReason>[] {
  const { inputs } = programme.login.endpoint.reading;
  const rule = inputs.find(({ role }) => role === 'response_type');
  const scope = inputs.find(({ role }) => role === 'scope');
  const told = rule?.name;
  const isChecked = rule?.fits('token') === false;
  const wrong = { response_type: 'token' };
  const elsewhere = { redirect_uri: 'https://elsewhere.example/' };
  const rows: readonly (readonly [LoginFailureReason, string, SampleValues, boolean?])[] = [
    ['missing_client_id', 'no client', { client_id: null }],
    ['unknown_client', 'a client that there is not', { client_id: unheardOf }],
    ['unregistered_redirect_uri', 'an address that is not registered', elsewhere],
    ['missing_response_type', `no ${told}`, { response_type: null }, rule?.required === true],
    ['unsupported_response_type', `a ${told} that there is not`, wrong, isChecked],
    ['invalid_scope', 'a scope that there is not', { scope: unheardOf }, scope !== undefined],
  ];
  return rows.flatMap(([reason, what, changes, applies = true]) => {
    if (!applies) return [];
    const request = sampleLoginRequest(programme, client, { ...values, ...changes });
    return [{ reason, what, request }];
  });
}
