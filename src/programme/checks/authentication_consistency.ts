// Owns the checks of a Definition about clients' credentials: identifiers that can be sent as the
// dialect has them sent, and inputs to send them in.

import type { Complaint } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { alphabetOf } from '../language/value_shape.ts';

export function* authenticationComplaints(definition: Definition): Iterable<Complaint> {
  const { identifier, authentication } = definition.client;
  const readsHeader = authentication.methods.some((method) => method !== 'parameters');
  const letters = (identifier.prefix ?? '') + alphabetOf(identifier.characters ?? 'printable');
  if (readsHeader && authentication.credentials === 'either' && /[%+ ]/.test(letters)) {
    yield [
      ['client', 'identifier'],
      'identifiers that can hold "%", "+" or a space are not told apart when either encoding is taken',
      'narrow their characters, or set client.authentication.credentials to raw or form',
    ];
  }
  const given = (identifier.prefix ?? '') + alphabetOf(identifier.characters ?? 'alphanumeric');
  const splits = ['raw', 'either'].includes(authentication.credentials);
  if (readsHeader && splits && given.includes(':')) {
    yield [
      ['client', 'identifier'],
      'identifiers that can hold ":" end there when they are sent raw in the header (RFC 7617 2)',
      'narrow their characters, or set client.authentication.credentials to form',
    ];
  }
  if (readsHeader) yield* authorizationComplaints(definition);
  if (!authentication.methods.includes('parameters')) return;
  for (const [name, endpoint] of Object.entries(definition.token_endpoints)) {
    for (const role of ['client_id', 'client_secret']) {
      if (endpoint.inputs[role] !== undefined) continue;
      yield [
        ['token_endpoints', name, 'inputs'],
        `authentication by parameters needs an input "${role}" here`,
      ];
    }
  }
}

/** One header cannot hold the client's credentials and something else (RFC 9110 11.6.2). */
function* authorizationComplaints(definition: Definition): Iterable<Complaint> {
  for (const [name, endpoint] of Object.entries(definition.token_endpoints)) {
    for (const [role, input] of Object.entries(endpoint.inputs)) {
      if (input.in !== 'header' || (input.name ?? role).toLowerCase() !== 'authorization') continue;
      yield [
        ['token_endpoints', name, 'inputs', role],
        'the header Authorization holds the credentials of the client already',
        'read this from another header, or set client.authentication.methods to [parameters]',
      ];
    }
  }
}
