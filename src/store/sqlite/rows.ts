// Owns the rows of the file store's grant tables as SQLite returns them, and reading records out of them.

import { earlier, type Instant } from '../../lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import type {
  AccessToken,
  AuthorizationCode,
  Era,
  FamilyId,
  RefreshTokenState,
  TokenFamily,
  TokenKey,
} from '../../oauth/grant.ts';
import type { Member } from '../../oauth/member.ts';
import { type CodeState, diedAtOnce } from '../judgement.ts';
import { revokedUntil, type RevocationColumns } from './revocations.ts';
import { damaged, expectSum, revokedSum } from './sums.ts';

export interface CodeRow extends RevocationColumns {
  /** Its place in the file, which nothing changes while the store is open. */
  readonly rowid: number;
  readonly programme: ProgrammeId;
  readonly key: TokenKey;
  readonly login: string;
  readonly client: ClientId;
  readonly redirect_uri: string;
  readonly member: string;
  readonly subject: string;
  readonly scope: string | null;
  readonly code_challenge: string | null;
  readonly issued_at: Instant;
  readonly expires_at: Instant;
  readonly forget_at: Instant;
  readonly spent_for: FamilyId | null;
  readonly era: Era;
  readonly sum: number;
}

/** The columns of such a row in the order in which they are selected. */
export type CodeColumns = readonly [
  number,
  ProgrammeId,
  TokenKey,
  string,
  ClientId,
  string,
  string,
  string,
  string | null,
  string | null,
  Instant,
  Instant,
  Instant,
  FamilyId | null,
  Era,
  number,
  Era | null,
  number | null,
  Era | null,
  number | null,
];

/** The row by names: without SQLite's own names, which are made anew for every row. */
export function codeRow(columns: CodeColumns): CodeRow {
  return {
    rowid: columns[0],
    programme: columns[1],
    key: columns[2],
    login: columns[3],
    client: columns[4],
    redirect_uri: columns[5],
    member: columns[6],
    subject: columns[7],
    scope: columns[8],
    code_challenge: columns[9],
    issued_at: columns[10],
    expires_at: columns[11],
    forget_at: columns[12],
    spent_for: columns[13],
    era: columns[14],
    sum: columns[15],
    client_until: columns[16],
    client_sum: columns[17],
    subject_until: columns[18],
    subject_sum: columns[19],
  };
}

/** A family, as it is or beside one of its refresh tokens. */
export interface FamilyRow {
  readonly programme: ProgrammeId;
  readonly family: FamilyId;
  readonly client: ClientId;
  readonly member: string;
  readonly subject: string;
  readonly scope: string | null;
  readonly created_at: Instant;
  readonly ends_at: Instant;
  readonly revoked_at: Instant | null;
  readonly family_era: Era;
  readonly family_sum: number;
}

/** A refresh token beside its family. */
export interface RefreshRow extends RevocationColumns, FamilyRow {
  readonly key: TokenKey;
  readonly expires_at: Instant;
  readonly predecessor: TokenKey | null;
  readonly successor: TokenKey | null;
  /** The answer that the successor came with; it lies in the successor's row until that is used. */
  readonly sealed_answer: string | null;
  readonly retry_until: Instant | null;
  readonly sum: number;
}

/** The columns of such a row in the order in which they are selected. */
export type RefreshColumns = readonly [
  ProgrammeId,
  TokenKey,
  Instant,
  TokenKey | null,
  TokenKey | null,
  string | null,
  Instant | null,
  number,
  FamilyId,
  ClientId,
  string,
  string,
  string | null,
  Instant,
  Instant,
  Instant | null,
  Era,
  number,
  Era | null,
  number | null,
  Era | null,
  number | null,
];

/** The row by names. */
export function refreshRow(columns: RefreshColumns): RefreshRow {
  return {
    programme: columns[0],
    key: columns[1],
    expires_at: columns[2],
    predecessor: columns[3],
    successor: columns[4],
    sealed_answer: columns[5],
    retry_until: columns[6],
    sum: columns[7],
    family: columns[8],
    client: columns[9],
    member: columns[10],
    subject: columns[11],
    scope: columns[12],
    created_at: columns[13],
    ends_at: columns[14],
    revoked_at: columns[15],
    family_era: columns[16],
    family_sum: columns[17],
    client_until: columns[18],
    client_sum: columns[19],
    subject_until: columns[20],
    subject_sum: columns[21],
  };
}

/** An access token beside what decides on its family; nulls where there is none (any more). */
export interface AccessRow extends RevocationColumns {
  readonly programme: ProgrammeId;
  readonly key: TokenKey;
  readonly client: ClientId;
  readonly kind: 'member' | 'client';
  readonly subject: string;
  readonly family: FamilyId | null;
  readonly scope: string | null;
  readonly issued_at: Instant;
  readonly expires_at: Instant;
  readonly era: Era;
  readonly sum: number;
  readonly ends_at: Instant | null;
  readonly revoked_at: Instant | null;
  readonly family_era: Era | null;
  readonly family_sum: number | null;
}

/** A row's values under its sum, as it is or as it will be once spent. */
export function codeValues(row: CodeRow): readonly (string | number | null)[] {
  const { programme, key, login, client, redirect_uri: redirectUri, member, subject } = row;
  const named = [programme, key, login, client, redirectUri, member, subject, row.scope];
  const times = [row.issued_at, row.expires_at, row.forget_at];
  return [...named, row.code_challenge, ...times, row.spent_for, row.era];
}

/** The code of a row, and the family it was spent for. */
export function codeState(row: CodeRow): CodeState {
  expectSum('code', row.sum, codeValues(row));
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
  const revoked = diedAtOnce(row.era, revokedUntil(row, row.subject));
  return { code, ...present('spentFor', row.spent_for), revoked };
}

/** A row's values under its sum, with the successor that it has or is about to get. */
export function refreshValues(
  row: Pick<RefreshRow, 'programme' | 'key' | 'family' | 'expires_at' | 'predecessor'>,
  successor: TokenKey | null,
): (string | number | null)[] {
  return [row.programme, row.key, row.family, row.expires_at, row.predecessor, successor];
}

/** The family of a row, whether it still stands or not. */
export function tokenFamily(row: FamilyRow): TokenFamily {
  const { programme, family: id, client, member, subject, scope } = row;
  const { created_at: createdAt, ends_at: endsAt } = row;
  const sum = row.revoked_at === null ? row.family_sum : revokedSum(row.family_sum);
  const times = [createdAt, endsAt, row.family_era];
  expectSum('family', sum, [programme, id, client, member, subject, scope, ...times]);
  return {
    id,
    programme,
    client,
    member: JSON.parse(member) as Member,
    ...present('scope', scope),
    createdAt,
    endsAt,
  };
}

/** The refresh token of a row, whether or not it may still be shown. */
export function refreshTokenState(row: RefreshRow): RefreshTokenState {
  expectSum('refresh_token', row.sum, refreshValues(row, row.successor));
  const family = tokenFamily(row);
  const until = revokedUntil(row, row.subject);
  return {
    key: row.key,
    expiresAt: row.expires_at,
    family,
    revoked: row.revoked_at !== null || diedAtOnce(row.family_era, until),
    rotated: row.successor !== null,
    ...present('keptAnswer', row.sealed_answer),
    ...present('retryUntil', row.retry_until),
  };
}

/** An access token, and when it ends: by itself, or with its login. */
export interface LiveAccessToken {
  readonly token: AccessToken;
  readonly endsAt: Instant;
}

/** The access token of a row, unless it, its family or all of its owner's tokens are dead. */
export function liveAccessToken(row: AccessRow): LiveAccessToken | undefined {
  const { programme, key, client, kind, subject, family, scope } = row;
  const { issued_at: issuedAt, expires_at: expiresAt } = row;
  const times = [issuedAt, expiresAt, row.era];
  const values = [programme, key, client, kind, subject, family, scope, ...times];
  expectSum('access_token', row.sum, values);
  const until = revokedUntil(row, subject);
  if (diedAtOnce(row.era, until)) return undefined;
  const loginEndsAt = family === null ? expiresAt : endOfFamily(row, until);
  if (loginEndsAt === undefined) return undefined;
  const names = { ...present('family', family), ...present('scope', scope) };
  const token = { programme, key, client, kind, subject, ...names, issuedAt, expiresAt };
  return { token: Object.freeze(token), endsAt: earlier(expiresAt, loginEndsAt) };
}

/** Undefined where the family is dead or forgotten. */
function endOfFamily(row: AccessRow, until: Era | null): Instant | undefined {
  const { family_era: era, ends_at: endsAt, revoked_at: revokedAt, family_sum: sum } = row;
  if (era === null || endsAt === null || sum === null) return undefined;
  // The rest of its sum is left to those who use the rest of the row.
  if (sum < 0 !== (revokedAt !== null)) throw damaged('family');
  return revokedAt !== null || diedAtOnce(era, until) ? undefined : endsAt;
}

/** A property where the column has a value; an optional property is absent, never undefined. */
function present<Name extends string, Held>(
  name: Name,
  value: Held | null,
): { readonly [N in Name]?: Held } {
  return (value === null ? {} : { [name]: value }) as { readonly [N in Name]?: Held };
}
