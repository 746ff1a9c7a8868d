// Owns the authorization_code grant (RFC 6749 4.1.3): a login's code is exchanged for tokens.

import { Refusal } from '../oauth/failure.ts';
import type { AuthorizationCode } from '../oauth/grant.ts';
import { provesChallenge } from '../oauth/pkce.ts';
import { tokenKey } from '../oauth/token_key.ts';
import type { Inputs } from '../programme/requests/input_rules.ts';
import type { Authorization, GrantRequest } from './authorization.ts';
import { newFamily } from './new_family.ts';

/**
 * A code must be this client's, be redeemed as it was asked for, and be good still. A try that
 * fails one of these changes nothing; a replay by the code's own client revokes what the first use
 * issued (G-2, G-21).
 */
export async function authorizeByCode(request: GrantRequest): Promise<Authorization> {
  const { service, client, inputs, scope, now } = request;
  const { programme, store } = service;
  const key = tokenKey(inputs.get('code') ?? '');
  const code = await store.findCode(programme.id, key, now);
  if (code === undefined || code.client !== client.id) throw new Refusal('invalid_code');
  checkPossession(code, inputs);

  // A login that asked for no scope leaves it to the token request (P-5). What either asked for is
  // what was granted: a refresh gets no other scope, and does not lose it (HOSTILE 32).
  const granted = code.scope ?? scope;
  const family = newFamily(request, code.member, granted, code.issuedAt);
  return {
    grant: 'authorization_code',
    kind: 'member',
    subject: code.member.subject,
    scope: programme.scope.narrow(scope, granted),
    family,
    withRefreshToken: programme.grants.has('refresh_token'),
    settle: async ({ tokens, access, refresh }) => {
      const issue = {
        family,
        ...(access === undefined ? {} : { access }),
        ...(refresh === undefined ? {} : { refresh }),
      };
      const spent = await store.spendCode(programme.id, client.id, key, issue, now);
      if (spent.outcome !== 'spent') throw new Refusal('invalid_code', { detail: spent.outcome });
      return tokens;
    },
  };
}

/** That the code is redeemed by whom, and as, the login request asked (RFC 6749 4.1.3). */
function checkPossession(code: AuthorizationCode, inputs: Inputs): void {
  // The documents do not ask for redirect_uri here, so only one that was sent is compared.
  const redirectUri = inputs.get('redirect_uri');
  if (redirectUri !== undefined && redirectUri !== code.redirectUri) {
    throw new Refusal('invalid_code', { detail: 'redirect_uri differs' });
  }
  if (!provesChallenge(code.codeChallenge, inputs.get('code_verifier'))) {
    throw new Refusal('invalid_code', { detail: 'the code verifier does not fit' });
  }
}
