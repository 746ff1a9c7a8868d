// Owns the checks of assertions: inputs that they need, and whom they can name.

import { isHeaderMethod, privateKeyJwt } from '../../oauth/client.ts';
import type { Complaint } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { endpointsOf, grantsAt } from '../requests/grant_places.ts';
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
