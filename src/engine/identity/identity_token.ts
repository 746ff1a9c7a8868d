// Owns making identity tokens (OpenID Connect Core 2): who has logged in, when, and for which request.

import { hash } from 'node:crypto';

import { after, epochSeconds, type Instant } from '../../lib/clock.ts';
import type { Client } from '../../oauth/client.ts';
import type { Login } from '../../oauth/grant.ts';
import type { TokenSet } from '../../oauth/token_set.ts';
import { tokenValues } from '../../programme/answers/token_layout.ts';
import type { Service } from '../service.ts';

/** Of the login request whose code is redeemed. */
export interface LoggedIn {
  readonly at: Instant;
  readonly nonce?: string | undefined;
}

/** The tokens of a login's first answer, with an identity token where the programme gives one for its scope. */
export function withIdentity(
  { programme, signIdentity }: Service,
  client: Client,
  tokens: TokenSet,
  { scope }: Pick<Login, 'scope'>,
  loggedIn: LoggedIn | undefined,
): TokenSet | Promise<TokenSet> {
  const { identity, issuer, values } = programme;
  if (identity === undefined || signIdentity === undefined || loggedIn === undefined) return tokens;
  if (!identity.isAsked(scope)) return tokens;
  const { issuedAt, accessToken } = tokens;
  // Undefined members are left out of the JSON.
  const signed = signIdentity(issuedAt, {
    ...identity.claims(tokenValues(tokens, client, values)),
    iss: issuer,
    sub: tokens.subject,
    aud: client.id,
    exp: epochSeconds(after(issuedAt, identity.lifetime)),
    iat: epochSeconds(issuedAt),
    auth_time: epochSeconds(loggedIn.at),
    nonce: loggedIn.nonce,
    at_hash: accessHash(accessToken, identity.algorithm === 'EdDSA' ? 'sha512' : 'sha256'),
  });
  if (typeof signed === 'string') return { ...tokens, idToken: signed };
  return signed.then((idToken) => ({ ...tokens, idToken }));
}

/** OpenID Connect Core 3.1.3.6: the left half of the hash of the token's signature algorithm. */
function accessHash(accessToken: string, algorithm: 'sha256' | 'sha512'): string {
  const whole = hash(algorithm, accessToken, 'buffer');
  return whole.subarray(0, whole.length / 2).toString('base64url');
}
