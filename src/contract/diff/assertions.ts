// Owns what a difference tells of assertions (RFC 7523).

import type { Programme } from '../../programme/programme.ts';
import { type Rows, span, text } from './rows.ts';

/** What assertions must be; nothing where none are taken. */
export function assertionRows({ clients, assertionSubjects }: Programme): Rows {
  if (clients.assertions === undefined) return [];
  const { assertion } = clients.authentication;
  const { audience, algorithms, issuer, longest, tolerance, jti } = assertion;
  return [
    text('aud of assertions', audience.join(' or ')),
    text('algorithms of assertions', algorithms.join(', ')),
    text('iss of assertions', issuer),
    span('longest life of an assertion', longest),
    span('tolerance for clocks', tolerance),
    text('jti of assertions', jti ?? 'required of a client, optional of a grant'),
    assertionSubjects.length !== 0 &&
      text('sub of assertions of a grant', assertionSubjects.join(' or ')),
  ];
}
