// Owns departures from OpenID Connect Core.

import { wrong } from '../../../schema/complaint.ts';
import type { Departures } from './departure.ts';

const inputs = ['authorize', 'endpoint', 'inputs'];

export const identityDepartures: Departures = {
  no_nonce: ({ id_token: identity, authorize }) =>
    wrong([
      identity !== undefined && authorize.endpoint.inputs['nonce'] === undefined,
      inputs,
      'identity tokens name no nonce of the login request (OpenID Connect Core 3.1.2.1)',
      'clients that send one refuse the identity token: add nonce: {}',
    ]),

  no_prompt: ({ id_token: identity, authorize }) =>
    wrong([
      identity !== undefined && authorize.endpoint.inputs['prompt'] === undefined,
      inputs,
      'prompt=none shows the login page (OpenID Connect Core 3.1.2.1)',
      'add prompt: {}, so that it is answered with login_required',
    ]),
};
