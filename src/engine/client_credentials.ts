// Owns the client_credentials grant (RFC 6749 4.4): a partner asks for a token of its own.

import type { Client } from '../oauth/client.ts';
import type { Authorization, GrantRequest } from './authorization.ts';

/**
 * The subject of a client's own tokens. The prefix is one that no member's subject may have, so
 * that the two cannot be taken for each other (C-9, HOSTILE 34).
 */
export function clientSubject(client: Client): string {
  return `client:${client.id}`;
}

/** A client's own token; never with a refresh token (RFC 6749 4.4.3). */
export async function authorizeClient(request: GrantRequest): Promise<Authorization> {
  const { service, client, scope } = request;
  const { scope: rules } = service.programme;
  return {
    grant: 'client_credentials',
    kind: 'client',
    subject: clientSubject(client),
    scope: rules.narrow(scope, rules.ofClient(scope)),
    withRefreshToken: false,
    settle: async ({ tokens, access }) => {
      if (access !== undefined) await service.store.saveAccessToken(access);
      return tokens;
    },
  };
}
