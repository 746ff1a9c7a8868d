// Owns the checks of the grant token_exchange.

import type { Complaint } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { endpointsOf } from '../requests/grant_places.ts';

/** Which types there are, the dialect says: an answer repeats the one that was asked for. */
export function* exchangeComplaints(definition: Definition): Iterable<Complaint> {
  for (const [name, { inputs }] of endpointsOf(definition, 'token_exchange')) {
    const types = {
      subject_token_type: inputs['subject_token_type'],
      requested_token_type: inputs['requested_token_type'],
    };
    for (const [role, input] of Object.entries(types)) {
      if (input === undefined || input.allowed !== undefined) continue;
      yield [
        ['token_endpoints', name, 'inputs', role],
        'any type of token would be taken for the one that is exchanged (RFC 8693 2.1)',
        'add allowed: [urn:ietf:params:oauth:token-type:access_token]',
      ];
    }
  }
}
