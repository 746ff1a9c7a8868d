// Owns departures of the login request and of the grant authorization_code, and those from OpenID Connect
// Core.

import { wrong } from '../../../schema/complaint.ts';
import { endpointsOf } from '../../requests/grant_places.ts';
import type { Departures } from './departure.ts';

export const loginDepartures: Departures = {
  no_pkce: ({ authorize }) =>
    wrong([
      authorize.pkce === 'off',
      ['authorize', 'pkce'],
      'proof keys for codes are not supported (RFC 9700 2.1.1)',
      'codes are bound to client and redirect URI and need the client secret',
    ]),

  no_state: ({ authorize }) =>
    wrong([
      authorize.endpoint.inputs['state'] === undefined,
      ['authorize', 'endpoint', 'inputs'],
      'no state is sent back, so partners cannot tell a forged callback (RFC 6749 4.1.2)',
      'codes go to registered redirect URIs only and are bound to their client',
    ]),

  *code_without_redirect_uri(definition) {
    for (const [name, { inputs }] of endpointsOf(definition, 'authorization_code')) {
      yield* wrong([
        inputs['redirect_uri'] === undefined,
        ['token_endpoints', name, 'inputs'],
        'a code is redeemed without its redirect URI (RFC 6749 4.1.3)',
        'codes are bound to client and redirect URI and live for minutes',
      ]);
    }
  },
};

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
