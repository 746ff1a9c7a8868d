// Owns the result of a grant: the tokens and what is known of them, before any dialect words it.

import type { Instant } from '../lib/clock.ts';
import type { GrantType } from './grant.ts';

/** What a successful token request is answered with; plain data, so that it can be sealed. */
export interface TokenSet {
  readonly grant: GrantType;
  readonly kind: 'member' | 'client';
  readonly subject: string;
  readonly accessToken: string;
  /** The access token's identifier (`jti`), in decimal digits. */
  readonly tokenId: string;
  readonly issuedAt: Instant;
  readonly accessExpiresAt: Instant;
  readonly refreshToken?: string;
  readonly refreshExpiresAt?: Instant;
  readonly scope?: string;
  readonly level?: string;
  readonly membershipNumber?: string;
}
