// Owns departures in how clients authenticate.

import type { Path } from '../../../lib/fault.ts';
import { isHeaderMethod } from '../../../oauth/client.ts';
import { wrong } from '../../../schema/complaint.ts';
import { readsHeader } from '../../language/client_schema.ts';
import type { Departures } from './departure.ts';

const methodsAt: Path = ['client', 'authentication', 'methods'];

export const clientDepartures: Departures = {
  bare_basic: ({ client }) =>
    wrong([
      client.authentication.methods.includes('bare_basic'),
      methodsAt,
      'credentials are taken without the scheme Basic (RFC 7617 2)',
      'they are decoded as strictly as with it',
    ]),

  parameters_secret: ({ client }) =>
    wrong([
      client.authentication.methods.includes('parameters'),
      methodsAt,
      'client secrets are taken as parameters (RFC 6749 2.3.1)',
      `bodies are never logged${client.authentication.when_both === 'refuse' ? ', and header and parameter together are refused' : ''}`,
    ]),

  secret_alone: ({ client }) =>
    wrong([
      client.authentication.methods.includes('secret'),
      methodsAt,
      'clients are known by a secret without an identifier, so that one guess may hit any of them (RFC 6749 2.3.1)',
      'secrets that Jetway makes have 256 bits, and failures count by address; give out no short ones',
    ]),

  refresh_token_alone: ({ client, grants, tokens: { refresh } }) =>
    wrong([
      client.authentication.methods.includes('token') && grants.refresh_token !== undefined,
      methodsAt,
      'a thief of a refresh token needs no credentials to get access tokens with it, until its login ends (RFC 6749 6)',
      refresh.rotation === 'off'
        ? 'nothing shows the theft while tokens.refresh.rotation is off: turn it on, so that the second use of a token ends its login'
        : 'as soon as thief and client have both used one token, the login ends with all of its tokens; before that, revoke the refresh token',
    ]),

  subject_token_alone: ({ client, grants }) =>
    wrong([
      client.authentication.methods.includes('token') && grants.token_exchange !== undefined,
      methodsAt,
      'a thief of an access token needs no credentials to exchange it for a new one, again and again, until its login ends (RFC 8693 2.1)',
      'to revoke the stolen token ends all that was exchanged from it; a short tokens.refresh.longest and a narrow scope limit the rest',
    ]),

  other_scheme: ({ client: { authentication } }) =>
    wrong([
      authentication.scheme !== 'Basic' && readsHeader(authentication),
      ['client', 'authentication', 'scheme'],
      `credentials come after the word ${authentication.scheme} in place of Basic (RFC 7617 2)`,
      'they are decoded as strictly as with it',
    ]),

  both_methods: ({ client: { authentication } }) =>
    wrong([
      authentication.when_both === 'header' && readsHeader(authentication),
      ['client', 'authentication', 'when_both'],
      'a request may hold credentials in the header and as parameters (RFC 6749 2.3)',
      'the header alone counts',
    ]),

  raw_credentials: ({ client: { authentication } }) =>
    wrong([
      authentication.credentials === 'raw' && authentication.methods.some(isHeaderMethod),
      ['client', 'authentication', 'credentials'],
      'identifier and secret are taken as they are, not form-encoded (RFC 6749 2.3.1)',
      'identifiers and secrets that Jetway makes are the same in both',
    ]),
};
