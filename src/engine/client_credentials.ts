// Owns the client_credentials grant (RFC 6749 4.4): a partner asks for a token of its own.

import type { Authorization, GrantRequest } from './authorization.ts';

/** A client's own token; never with a refresh token (RFC 6749 4.4.3). */
export async function authorizeClient(request: GrantRequest): Promise<Authorization> {
  const { service, client, scope, era } = request;
  const { scope: rules } = service.programme;
  return {
    grant: 'client_credentials',
    kind: 'client',
    // A prefix that no member's subject has, so that the two are told apart (C-9, HOSTILE 34).
    subject: service.programme.clientSubject(client.id),
    scope: rules.ofClient(scope),
    withRefreshToken: false,
    settle: async ({ tokens, access }) => {
      if (access !== undefined) await service.store.saveAccessToken(access, era);
      return tokens;
    },
  };
}
