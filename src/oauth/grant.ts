// Owns the vocabulary of grants: codes, token families and tokens as the store keeps them.

import type { Instant } from '../lib/clock.ts';
import type { ClientId, ProgrammeId } from './client.ts';
import type { Member } from './member.ts';

export const grantTypes = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
] as const;
export type GrantType = (typeof grantTypes)[number];

/** Inputs of a token request that belong to one grant: those it needs, and those it also takes. */
export const grantInputs: Readonly<
  Record<GrantType, { readonly needs: readonly string[]; readonly takes: readonly string[] }>
> = {
  authorization_code: { needs: ['code'], takes: ['redirect_uri', 'code_verifier'] },
  refresh_token: { needs: ['refresh_token'], takes: [] },
  client_credentials: { needs: [], takes: [] },
  password: { needs: ['username', 'password'], takes: [] },
};

/** Every input that belongs to some grant. */
export const inputsOfGrants: ReadonlySet<string> = new Set(
  Object.values(grantInputs).flatMap(({ needs, takes }) => [...needs, ...takes]),
);

/**
 * The store's key of a code or token: its plain time prefix, if any, then its digest. Keys that begin
 * with the time of issue lie beside each other in the store.
 */
export type TokenKey = string & { readonly __brand: 'TokenKey' };

/**
 * Number of the span between two revocations of a store; each revocation begins the next era. Eras
 * order issues and revocations independently of any clock (docs/decisions/024). Every era is greater
 * than every Instant.
 */
export type Era = number & { readonly __brand: 'Era' };

export type FamilyId = string & { readonly __brand: 'FamilyId' };

/** An authorization code as the store keeps it; only the browser has the code itself. */
export interface AuthorizationCode {
  readonly programme: ProgrammeId;
  readonly key: TokenKey;
  /** Its login, which has at most one live code. */
  readonly transaction: string;
  readonly client: ClientId;
  readonly redirectUri: string;
  readonly member: Member;
  /** The login request's scope, if any. */
  readonly scope?: string;
  /** The login request's S256 challenge (RFC 7636), if any. */
  readonly codeChallenge?: string;
  /** The era in which its login began: a later revocation ends it. The store's era if left out. */
  readonly era?: Era;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
  /** The row outlives the code, so that a replay is noticed. */
  readonly forgetAt: Instant;
}

/** All tokens that descend from one login; revoked together (RFC 9700 4.14). */
export interface TokenFamily {
  readonly id: FamilyId;
  readonly programme: ProgrammeId;
  readonly client: ClientId;
  readonly member: Member;
  /** What the login granted; a refresh may ask for less, never for more. */
  readonly scope?: string;
  readonly createdAt: Instant;
  /** No token of the family outlives this. */
  readonly endsAt: Instant;
}

export interface RefreshToken {
  readonly key: TokenKey;
  readonly expiresAt: Instant;
}

/** A refresh token's place in its family. */
export interface RefreshTokenState extends RefreshToken {
  readonly family: TokenFamily;
  readonly revoked: boolean;
  /** Set once a successor was issued. */
  readonly rotated: boolean;
  /** The answer that a retry gets again, sealed or as its parts; there only while a retry may have it. */
  readonly keptAnswer?: string;
  readonly retryUntil?: Instant;
}

/** An opaque access token as the store keeps it; JWTs hold these facts and are not stored. */
export interface AccessToken {
  readonly programme: ProgrammeId;
  readonly key: TokenKey;
  readonly client: ClientId;
  readonly kind: 'member' | 'client';
  readonly subject: string;
  readonly family?: FamilyId;
  readonly scope?: string;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
}
