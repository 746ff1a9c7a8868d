// Owns the client_credentials grant (RFC 6749 4.4): a partner asks for a token of its own.

import type { TokenSet } from '../oauth/token_set.ts';
import { beginLogin } from './answer.ts';
import type { GrantRequest } from './authorization.ts';
import { makeClientToken } from './issue.ts';

/** With a refresh token it is a login's, so that revoking the one ends the other (RFC 7009 2.1). */
export async function grantToClient(request: GrantRequest): Promise<TokenSet> {
  const { programme, store } = request.service;
  const grant = 'client_credentials';
  const scope = programme.scope.ofClient(request.scope);
  if (!programme.refreshing.has(grant)) return makeClientToken(request, scope);
  const own = { grant, member: undefined, asked: scope, loggedInAt: request.now } as const;
  return beginLogin(request, own, async (login) =>
    request.record.timed('store start_login', async () => store.startLogin(login)),
  );
}
