// Owns the checks of assertions and of tokens to exchange: inputs that they need, and whom or what they can
// name.

import type { Definition } from '../language/definition.ts';
import { isHeaderMethod, privateKeyJwt } from '../oauth/client.ts';
import { endpointsOf, grantsAt } from '../programme/requests/grant_places.ts';
import type { Complaint } from '../schema/complaint.ts';
import { lackingInputs } from './endpoints.ts';

export function* assertionComplaints(definition: Definition): Iterable<Complaint> {
  const { grants, members, token_endpoints: endpoints } = definition;
  const { methods, assertion } = definition.client.authentication;
  if (methods.includes(privateKeyJwt)) {
    const message = (role: string): string =>
      `authentication by ${privateKeyJwt} needs an input "${role}" here`;
    for (const [name, endpoint] of Object.entries(endpoints)) {
      // There the assertion of the grant proves the client.
      if (grantsAt(definition, name).every((type) => type === 'jwt_bearer')) continue;
      yield* lackingInputs(['token_endpoints', name], endpoint, ['client_assertion'], message);
    }
  }
  const isNamed = assertion.issuer === 'client.id' || methods.some(isHeaderMethod);
  for (const [name, { inputs }] of isNamed ? [] : endpointsOf(definition, 'jwt_bearer')) {
    if (inputs['client_id'] !== undefined) continue;
    yield [
      ['token_endpoints', name, 'inputs'],
      `an assertion whose iss is ${assertion.issuer} does not name its client`,
      'declare an input client_id here, or set client.authentication.assertion.issuer to client.id',
    ];
  }
  for (const [index, way] of (grants.jwt_bearer?.subject ?? []).entries()) {
    if (way !== 'username' || members.directory === 'store') continue;
    yield [
      ['grants', 'jwt_bearer', 'subject', index],
      'a directory behind a hook is not asked for a member by its username',
      'take subject, or directory: store',
    ];
  }
}

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
