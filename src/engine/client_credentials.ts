// Owns the client_credentials grant (RFC 6749 4.4): a partner asks for a token of its own.

import type { TokenSet } from '../oauth/token_set.ts';
import type { GrantRequest } from './authorization.ts';
import { makeClientToken } from './issue.ts';

export async function grantToClient(request: GrantRequest): Promise<TokenSet> {
  return makeClientToken(request, request.service.programme.scope.ofClient(request.scope));
}
