// Owns which answers tell a client's own token beside a member's (docs/decisions/054), and which clients get it.

import type { Definition } from '../../language/definition.ts';
import { writtenValues } from '../../language/value_tree.ts';
import { type Milliseconds, milliseconds } from '../../lib/clock.ts';
import type { Client, Role } from '../../oauth/client.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { offeredGrants } from '../requests/grant_places.ts';
import { treesOf } from './layouts.ts';

export interface BesideRules {
  /** Grants whose answers tell it. */
  readonly grants: ReadonlySet<GrantType>;
  /** 0 where no answer tells it. */
  readonly lifetime: Milliseconds;
  /** Whether a client that has proved itself could get such a token by `client_credentials`. */
  readonly isFor: (client: Client) => boolean;
}

/** @param lifetime of tokens by `client_credentials` */
export function compileBeside(definition: Definition, lifetime: Milliseconds): BesideRules {
  const grants = new Set(grantsWith(definition, 'client_token'));
  const role: Role | undefined = definition.grants.client_credentials?.role;
  return {
    grants,
    lifetime: grants.size === 0 ? milliseconds(0) : lifetime,
    isFor: ({ isPublic, roles }) => isPublic !== true && role !== undefined && roles.includes(role),
  };
}

/** Grants that can bring a member's tokens, and whose answers hold the value. */
export function grantsWith(definition: Definition, value: string): readonly GrantType[] {
  const trees = treesOf(definition, 'token answer');
  return offeredGrants(definition).filter(
    (type) =>
      bringsMembers(definition, type) && trees.some((tree) => writtenValues(tree, type).has(value)),
  );
}

function bringsMembers({ grants }: Definition, type: GrantType): boolean {
  if (type === 'jwt_bearer') {
    return grants.jwt_bearer?.subject.some((way) => !way.startsWith('client')) === true;
  }
  if (type === 'refresh_token') return (grants.authorization_code ?? grants.password) !== undefined;
  // An exchange brings one token for another (RFC 8693 2.2.1).
  return type === 'authorization_code' || type === 'password';
}
