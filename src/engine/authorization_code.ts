// Owns the authorization_code grant (RFC 6749 4.1.3): a login's code is exchanged for tokens.

import { Refusal } from '../oauth/failure.ts';
import type { AuthorizationCode } from '../oauth/grant.ts';
import { provesChallenge } from '../oauth/pkce.ts';
import { tokenKey } from '../oauth/token_key.ts';
import type { Inputs } from '../programme/requests/input_rules.ts';
import { type Authorization, type GrantRequest, newFamily } from './authorization.ts';

/**
 * A code must belong to this client, match the login request and be live. A request that fails one of
 * these changes nothing; a replay by the code's own client revokes what the first use issued (G-2,
 * G-21).
 */
export async function authorizeByCode(request: GrantRequest): Promise<Authorization> {
  const { service, client, inputs, scope, now } = request;
  const { programme, store } = service;
  const key = tokenKey(inputs.get('code') ?? '');
  const code = await store.findCode(programme.id, key, now);
  if (code === undefined || code.client !== client.id) throw new Refusal('invalid_code');
  checkPossession(code, inputs);

  // A login without a scope leaves the scope to the token request (P-5). The requested scope of
  // either is the granted one: a refresh cannot widen it, and does not lose it (HOSTILE 32).
  const granted = code.scope ?? scope;
  const family = newFamily(request, code.member, granted, code.issuedAt);
  return {
    grant: 'authorization_code',
    kind: 'member',
    subject: code.member.subject,
    scope: programme.scope.narrow(scope, granted),
    family,
    withRefreshToken: programme.grants.has('refresh_token'),
    persist: async ({ tokens, ...records }) => {
      const spent = await store.spendCode(
        programme.id,
        client.id,
        key,
        { family, ...records },
        now,
      );
      if (spent.outcome !== 'spent') throw new Refusal('invalid_code', { detail: spent.outcome });
      return tokens;
    },
  };
}

/** The token request must match the login request that the code is of (RFC 6749 4.1.3). */
function checkPossession(code: AuthorizationCode, inputs: Inputs): void {
  // The documents do not ask for redirect_uri here: it is compared where it is sent.
  const redirectUri = inputs.get('redirect_uri');
  if (redirectUri !== undefined && redirectUri !== code.redirectUri) {
    throw new Refusal('invalid_code', { detail: 'redirect_uri differs' });
  }
  if (!provesChallenge(code.codeChallenge, inputs.get('code_verifier'))) {
    throw new Refusal('invalid_code', { detail: 'the code verifier does not fit' });
  }
}
