// Owns departures in how clients authenticate.

import type { Path } from '../../../lib/fault.ts';
import { isHeaderMethod } from '../../../oauth/client.ts';
import { wrong } from '../../../schema/complaint.ts';
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
      'bodies are never logged, and header and parameter together are refused',
    ]),

  raw_credentials: ({ client: { authentication } }) =>
    wrong([
      authentication.credentials === 'raw' && authentication.methods.some(isHeaderMethod),
      ['client', 'authentication', 'credentials'],
      'identifier and secret are taken as they are, not form-encoded (RFC 6749 2.3.1)',
      'identifiers and secrets that Jetway makes are the same in both',
    ]),
};
