// Owns what a grant hands to the issuer: for whom tokens are to be made, and how they are paid for.

import type { Instant } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import type { AccessToken, Era, GrantType, RefreshToken, TokenFamily } from '../oauth/grant.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import type { Inputs } from '../programme/requests/input_rules.ts';
import type { Service } from './service.ts';
import type { Successor } from './successor.ts';

/** A token request that has passed every shared check. */
export interface GrantRequest {
  readonly service: Service;
  readonly client: Client;
  readonly inputs: Inputs;
  /** Scope asked for, if any; it exists. */
  readonly scope: string | undefined;
  readonly now: Instant;
  /** The era in which the request began: what is revoked meanwhile takes its tokens along. */
  readonly era: Era;
  /** Makes a signal that aborts when the client hangs up, for what takes long. */
  readonly hangUp: () => AbortSignal;
}

/** Tokens that were made but do not stand yet. */
export interface Issued {
  readonly tokens: TokenSet;
  /** What the store is to remember; absent where access tokens are JWTs. */
  readonly access?: AccessToken;
  /** Absent where the grant gives no refresh token. */
  readonly refresh?: RefreshToken;
}

/** A grant's decision. Nothing is spent until `settle`. */
export interface Authorization {
  readonly grant: GrantType;
  readonly kind: 'member' | 'client';
  readonly subject: string;
  readonly scope: string | undefined;
  /** The login the tokens descend from; a client's own tokens descend from none. */
  readonly family?: TokenFamily;
  readonly withRefreshToken: boolean;
  /** Tokens that follow from what was presented, where fresh ones are not to be made. */
  readonly successor?: Pick<Successor, 'accessToken' | 'refreshToken'>;
  /**
   * Spends what was presented and makes the tokens durable, both in one step. Returns what is to
   * be answered: the tokens, or those that an earlier try was answered with.
   */
  readonly settle: (issued: Issued) => Promise<TokenSet>;
}

/** The same answer again, for a client that lost the first (DESIGN, "Refresh tokens"). */
export interface RepeatedAnswer {
  readonly repeated: TokenSet;
}

/** One grant: decides, or throws `Refusal`. */
export type Grant = (request: GrantRequest) => Promise<Authorization | RepeatedAnswer>;
