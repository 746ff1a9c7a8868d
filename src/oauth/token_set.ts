// Owns the result of a grant: the tokens and their facts, before a dialect renders them.

import type { Instant } from '../lib/clock.ts';
import type { GrantType } from './grant.ts';
import type { Member } from './member.ts';

/** The answer to a successful token request; plain data, so that it can be sealed. */
export interface TokenSet {
  readonly grant: GrantType;
  readonly kind: 'member' | 'client';
  readonly subject: string;
  readonly accessToken: string;
  /** The access token's identifier (`jti`); empty where nothing tells it. */
  readonly tokenId: string;
  readonly issuedAt: Instant;
  readonly accessExpiresAt: Instant;
  readonly refreshToken?: string | undefined;
  readonly idToken?: string | undefined;
  /** The client's own token beside a member's, in answers that tell one. */
  readonly beside?: BesideToken | undefined;
  readonly refreshExpiresAt?: Instant | undefined;
  /** Of an exchange alone: which kind of token was issued (RFC 8693 2.2.1). */
  readonly issuedTokenType?: string | undefined;
  readonly scope?: string | undefined;
  /** `aud`, where a request asked for one. */
  readonly resource?: string | undefined;
  readonly level?: string | undefined;
  readonly membershipNumber?: string | undefined;
  readonly memberProperties?: Member['properties'] | undefined;
}

/** An access token of the client's own that ends with the login of the member's token beside it. */
export interface BesideToken {
  readonly accessToken: string;
  readonly expiresAt: Instant;
  readonly scope?: string | undefined;
}
