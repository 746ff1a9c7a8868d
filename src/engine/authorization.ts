// Owns what a grant hands to the issuer: the subject, scope and login that the tokens are made for,
// and how they become durable.

import { after, type Instant } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import type { AccessToken, Era, GrantType, RefreshToken, TokenFamily } from '../oauth/grant.ts';
import type { Member } from '../oauth/member.ts';
import { newFamilyId } from '../oauth/token_key.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import type { Inputs } from '../programme/requests/input_rules.ts';
import type { Successor } from './retry_answer.ts';
import type { Service } from './service.ts';

/** A token request that has passed every shared check. */
export interface GrantRequest {
  readonly service: Service;
  readonly client: Client;
  readonly inputs: Inputs;
  /** The requested scope, if any; it exists. */
  readonly scope: string | undefined;
  readonly now: Instant;
  /** The era in which the request began: a later revocation also ends the tokens issued here. */
  readonly era: Era;
  /** Makes a signal that aborts when the client hangs up, for work that takes long. */
  readonly hangUp: () => AbortSignal;
}

/** Tokens that were made but are not stored yet. */
export interface Issued {
  readonly tokens: TokenSet;
  /** The record for the store; absent where access tokens are JWTs. */
  readonly access?: AccessToken;
  /** Absent where the grant gives no refresh token. */
  readonly refresh?: RefreshToken;
}

/** A grant's decision. Nothing is spent before `persist`. */
export interface Authorization {
  readonly grant: GrantType;
  readonly kind: 'member' | 'client';
  readonly subject: string;
  readonly scope: string | undefined;
  /** The login that the tokens descend from; absent for a client's own tokens. */
  readonly family?: TokenFamily;
  readonly withRefreshToken: boolean;
  /** Tokens derived from the presented one; the issuer makes no others. */
  readonly successor?: Pick<Successor, 'accessToken' | 'refreshToken'> | undefined;
  /**
   * Spends what was presented and stores the tokens, both in one step. Returns the answer: these
   * tokens, or those of an earlier try.
   */
  readonly persist: (issued: Issued) => Promise<TokenSet>;
}

/** The same answer again, for a client that lost the first (DESIGN, "Refresh tokens"). */
export interface RepeatedAnswer {
  readonly repeated: TokenSet;
}

/** One grant: decides, or throws `Refusal`. */
export type Grant = (request: GrantRequest) => Promise<Authorization | RepeatedAnswer>;

/** The family that a login begins; it ends when the dialect's longest login since `loggedInAt` does. */
export function newFamily(
  { service, client, now }: GrantRequest,
  member: Member,
  scope: string | undefined,
  loggedInAt: Instant,
): TokenFamily {
  return {
    id: newFamilyId(now),
    programme: service.programme.id,
    client: client.id,
    member,
    ...(scope === undefined ? {} : { scope }),
    createdAt: now,
    endsAt: after(loggedInAt, service.programme.refresh.longest),
  };
}
