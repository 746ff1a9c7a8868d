// Owns writing what a grant pays for (family, access token, refresh token) inside its verb's transaction.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type {
  AccessToken,
  Era,
  FamilyId,
  RefreshToken,
  TokenFamily,
  TokenKey,
} from '../../oauth/grant.ts';
import { accessTokens, families, refreshTokens } from '../sql/grant_tables.ts';
import type { Freshness } from './commits/freshness.ts';
import type { Eras } from './eras.ts';
import { inserter } from './tables.ts';

/** What a rotation leaves beside the token that it brings. */
export interface RotatedFrom {
  readonly predecessor: TokenKey;
  /** The sealed answer, while the predecessor may be tried again. */
  readonly answer?: string;
  readonly until?: Instant;
}

/** Inserts and revocation that several verbs share; call them inside a write alone. */
export interface GrantWriter {
  /** `era` as in `IssuedTokens`. */
  readonly family: (family: TokenFamily, era?: Era) => void;
  readonly access: (token: AccessToken, era?: Era) => void;
  /** Returns the sum of the row. */
  readonly refresh: (
    programme: ProgrammeId,
    family: FamilyId,
    token: RefreshToken,
    from?: RotatedFrom,
  ) => number;
  readonly revoke: (programme: ProgrammeId, family: FamilyId, now: Instant) => void;
}

/** The writer over statements prepared once. */
export function grantWriter(database: DatabaseSync, fresh: Freshness, eras: Eras): GrantWriter {
  const insertFamily = inserter(database, families);
  const insertAccess = inserter(database, accessTokens);
  const insertRefresh = inserter(database, refreshTokens);
  const revoke = database.prepare(
    `UPDATE family SET revoked_at = ?, sum = ~sum
     WHERE programme = ? AND key = ? AND revoked_at IS NULL`,
  );
  return {
    family: (family, era = eras.current()) => {
      insertFamily({
        programme: family.programme,
        key: family.id,
        client: family.client,
        member: JSON.stringify(family.member),
        subject: family.member.subject,
        scope: family.scope ?? null,
        created_at: family.createdAt,
        ends_at: family.endsAt,
        era,
        revoked_at: null,
      });
    },
    access: (token, era = eras.current()) => {
      insertAccess({
        programme: token.programme,
        key: token.key,
        client: token.client,
        kind: token.kind,
        subject: token.subject,
        family: token.family ?? null,
        scope: token.scope ?? null,
        issued_at: token.issuedAt,
        expires_at: token.expiresAt,
        era,
      });
    },
    refresh: (programme, family, token, from) =>
      insertRefresh({
        programme,
        key: token.key,
        family,
        expires_at: token.expiresAt,
        predecessor: from?.predecessor ?? null,
        successor: null,
        kept_answer: from?.answer ?? null,
        retry_until: from?.until ?? null,
      }),
    revoke: (programme, family, now) => {
      revoke.run(now, programme, family);
      fresh.forget();
    },
  };
}
