// Owns the rows of the file store's grant tables as SQLite returns them, and reading records out of them.

import type { Instant } from '../lib/clock.ts';
import type { ClientId, ProgrammeId } from '../oauth/client.ts';
import type {
  AccessToken,
  AuthorizationCode,
  FamilyId,
  RefreshTokenState,
  TokenFamily,
  TokenKey,
} from '../oauth/grant.ts';
import type { Member } from '../oauth/member.ts';
import type { CodeState } from './judgement.ts';

export interface CodeRow {
  readonly programme: ProgrammeId;
  readonly key: TokenKey;
  readonly login: string;
  readonly client: ClientId;
  readonly redirect_uri: string;
  readonly member: string;
  readonly scope: string | null;
  readonly code_challenge: string | null;
  readonly issued_at: Instant;
  readonly expires_at: Instant;
  readonly forget_at: Instant;
  readonly spent_for: FamilyId | null;
}

/** A refresh token beside its family. */
export interface RefreshRow {
  readonly programme: ProgrammeId;
  readonly key: TokenKey;
  readonly expires_at: Instant;
  readonly predecessor: TokenKey | null;
  readonly successor: TokenKey | null;
  readonly sealed_answer: string | null;
  readonly retry_until: Instant | null;
  readonly family: FamilyId;
  readonly client: ClientId;
  readonly member: string;
  readonly scope: string | null;
  readonly created_at: Instant;
  readonly ends_at: Instant;
  readonly revoked_at: Instant | null;
}

/** An access token beside what decides on its family; nulls where there is none (any more). */
export interface AccessRow {
  readonly programme: ProgrammeId;
  readonly key: TokenKey;
  readonly client: ClientId;
  readonly kind: 'member' | 'client';
  readonly subject: string;
  readonly family: FamilyId | null;
  readonly scope: string | null;
  readonly issued_at: Instant;
  readonly expires_at: Instant;
  readonly ends_at: Instant | null;
  readonly revoked_at: Instant | null;
}

/** The code of a row, and the family it was spent for. */
export function codeState(row: CodeRow): CodeState {
  const code: AuthorizationCode = {
    programme: row.programme,
    key: row.key,
    transaction: row.login,
    client: row.client,
    redirectUri: row.redirect_uri,
    member: JSON.parse(row.member) as Member,
    ...present('scope', row.scope),
    ...present('codeChallenge', row.code_challenge),
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    forgetAt: row.forget_at,
  };
  return { code, ...present('spentFor', row.spent_for) };
}

/** The refresh token of a row, whether or not it may still be shown. */
export function refreshTokenState(row: RefreshRow): RefreshTokenState {
  const family: TokenFamily = {
    id: row.family,
    programme: row.programme,
    client: row.client,
    member: JSON.parse(row.member) as Member,
    ...present('scope', row.scope),
    createdAt: row.created_at,
    endsAt: row.ends_at,
  };
  return {
    key: row.key,
    expiresAt: row.expires_at,
    family,
    revoked: row.revoked_at !== null,
    rotated: row.successor !== null,
    ...present('sealedAnswer', row.sealed_answer),
    ...present('retryUntil', row.retry_until),
  };
}

/** The access token of a row, whether or not it is good. */
export function accessToken(row: AccessRow): AccessToken {
  return {
    programme: row.programme,
    key: row.key,
    client: row.client,
    kind: row.kind,
    subject: row.subject,
    ...present('family', row.family),
    ...present('scope', row.scope),
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
  };
}

/** A property where the column has a value; an optional property is absent, never undefined. */
function present<Name extends string, Value>(
  name: Name,
  value: Value | null,
): { readonly [N in Name]?: Value } {
  return (value === null ? {} : { [name]: value }) as { readonly [N in Name]?: Value };
}
