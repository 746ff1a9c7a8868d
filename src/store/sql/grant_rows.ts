// Owns reading records out of the rows of what was granted, for every SQL backend.

import { earlier, type Instant } from '../../lib/clock.ts';
import type {
  AccessToken,
  AuthorizationCode,
  Era,
  RefreshTokenState,
  TokenFamily,
} from '../../oauth/grant.ts';
import type { Member } from '../../oauth/member.ts';
import { type CodeState, diedAtOnce } from '../judgement.ts';
import {
  accessTokens,
  type AccessTokenRow,
  type CodeRow,
  codes,
  families,
  type FamilyRow,
  type RefreshTokenRow,
  refreshTokens,
  type RevocationRow,
  revocations,
} from './grant_tables.ts';
import { damaged, expectWhole } from './table.ts';

/** The revocations of a row's client and member; nulls where there are none. */
export interface Revocations {
  readonly ofClient: RevocationRow | null;
  readonly ofSubject: RevocationRow | null;
}

/** Until when what such a row was issued is dead with all of its owner's tokens; null if it is not. */
function revokedUntil({ ofClient, ofSubject }: Revocations): Era | null {
  return later(untilOf(ofClient), untilOf(ofSubject));
}

/** Until when a row of revocations kills. */
export function untilOf(row: RevocationRow | null): Era | null {
  if (row === null) return null;
  expectWhole(revocations, row);
  return row.revoked_until;
}

export function later(a: Era | null, b: Era | null): Era | null {
  return a === null || (b !== null && b > a) ? b : a;
}

/** The code of a row, and the family it was spent for. */
export function codeState(row: CodeRow, found: Revocations): CodeState {
  expectWhole(codes, row);
  const record: AuthorizationCode = {
    programme: row.programme,
    key: row.key,
    transaction: row.login,
    client: row.client,
    redirectUri: row.redirect_uri,
    member: JSON.parse(row.member) as Member,
    ...unlessNull('scope', row.scope),
    ...unlessNull('codeChallenge', row.code_challenge),
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    forgetAt: row.forget_at,
  };
  const revoked = diedAtOnce(row.era, revokedUntil(found));
  return { code: record, ...unlessNull('spentFor', row.spent_for), revoked };
}

/** The family of a row, whether it still stands or not. */
export function tokenFamily(row: FamilyRow): TokenFamily {
  expectWhole(families, row);
  return {
    id: row.key,
    programme: row.programme,
    client: row.client,
    member: JSON.parse(row.member) as Member,
    ...unlessNull('scope', row.scope),
    createdAt: row.created_at,
    endsAt: row.ends_at,
  };
}

/** A refresh token beside its family, and the answer in its successor's row. */
export interface FoundRefreshToken extends Revocations {
  readonly token: RefreshTokenRow;
  readonly family: FamilyRow;
  readonly next: Pick<RefreshTokenRow, 'key' | 'kept_answer' | 'retry_until'> | null;
}

/** The refresh token of a row, whether or not it may still be shown. */
export function refreshTokenState(found: FoundRefreshToken): RefreshTokenState {
  const { token, next } = found;
  expectWhole(refreshTokens, token);
  const { revoked_at: revokedAt, era } = found.family;
  return {
    key: token.key,
    expiresAt: token.expires_at,
    family: tokenFamily(found.family),
    revoked: revokedAt !== null || diedAtOnce(era, revokedUntil(found)),
    rotated: token.successor !== null,
    ...unlessNull('keptAnswer', next?.kept_answer ?? null),
    ...unlessNull('retryUntil', next?.retry_until ?? null),
  };
}

/** An access token beside what decides on its family; null where there is none (any more). */
export interface FoundAccessToken extends Revocations {
  readonly token: AccessTokenRow;
  readonly family: Pick<FamilyRow, 'ends_at' | 'revoked_at' | 'era' | 'sum'> | null;
}

/** An access token, and when it ends: by itself, or with its login. */
export interface LiveAccessToken {
  readonly token: AccessToken;
  readonly endsAt: Instant;
}

/** The access token of a row, unless it, its family or all of its owner's tokens are dead. */
export function liveAccessToken(found: FoundAccessToken): LiveAccessToken | undefined {
  const { token: row } = found;
  expectWhole(accessTokens, row);
  const until = revokedUntil(found);
  if (diedAtOnce(row.era, until)) return undefined;
  const loginEndsAt = row.family === null ? row.expires_at : endOfFamily(found.family, until);
  if (loginEndsAt === undefined) return undefined;
  const token = {
    programme: row.programme,
    key: row.key,
    client: row.client,
    kind: row.kind,
    subject: row.subject,
    ...unlessNull('family', row.family),
    ...unlessNull('scope', row.scope),
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
  };
  return { token: Object.freeze(token), endsAt: earlier(row.expires_at, loginEndsAt) };
}

/** Undefined where the family is dead or forgotten. */
function endOfFamily(row: FoundAccessToken['family'], until: Era | null): Instant | undefined {
  if (row === null) return undefined;
  const isRevoked = row.revoked_at !== null;
  // A verb that reads the whole row holds it to the rest of its sum.
  if (row.sum < 0 !== isRevoked) throw damaged('family');
  return isRevoked || diedAtOnce(row.era, until) ? undefined : row.ends_at;
}

/** A property where the column has a value; an optional property is absent, never undefined. */
function unlessNull<Name extends string, Held>(
  name: Name,
  value: Held | null,
): { readonly [N in Name]?: Held } {
  return (value === null ? {} : { [name]: value }) as { readonly [N in Name]?: Held };
}
