// Owns what a difference tells of assertions (RFC 7523).

import type { Definition } from '../language/definition.ts';
import { takesAssertions } from '../requests/assertion_terms.ts';
import { type Rows, span, text } from './rows.ts';

/** What assertions must be; nothing where none are taken. */
export function assertionRows(definition: Definition): Rows {
  if (!takesAssertions(definition)) return [];
  const { assertion } = definition.client.authentication;
  const { audience, algorithms, issuer, longest, tolerance, jti } = assertion;
  const { subject } = definition.grants.jwt_bearer ?? {};
  return [
    text('aud of assertions', audience.join(' or ')),
    text('algorithms of assertions', algorithms.join(', ')),
    text('iss of assertions', issuer),
    span('longest life of an assertion', longest),
    span('tolerance for clocks', tolerance),
    text('jti of assertions', jti ?? 'required of a client, optional of a grant'),
    subject !== undefined && text('sub of assertions of a grant', subject.join(' or ')),
  ];
}
