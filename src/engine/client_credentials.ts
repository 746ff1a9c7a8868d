// Owns the client_credentials grant (RFC 6749 4.4): a partner asks for a token of its own.

import type { Authorization, GrantRequest } from './authorization.ts';

/** A client's own token; never with a refresh token (RFC 6749 4.4.3). */
export async function authorizeClient(request: GrantRequest): Promise<Authorization> {
  const { service, client, scope, era } = request;
  const { programme, store } = service;
  return {
    grant: 'client_credentials',
    kind: 'client',
    // Its prefix, which no member's subject has, tells clients from members (C-9, HOSTILE 34).
    subject: programme.clientSubject(client.id),
    scope: programme.scope.ofClient(scope),
    withRefreshToken: false,
    persist: async ({ tokens, access }) => {
      if (access !== undefined) await store.saveAccessToken(access, era);
      return tokens;
    },
  };
}
