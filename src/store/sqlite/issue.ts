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
import type { Freshness } from './commits/freshness.ts';
import type { Eras } from './eras.ts';
import { rowSum } from './sums.ts';

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
  const insertFamily = database.prepare(
    `INSERT INTO family
       (programme, key, client, member, subject, scope, created_at, ends_at, era, sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertAccess = database.prepare(
    `INSERT INTO access_token
       (programme, key, client, kind, subject, family, scope, issued_at, expires_at, era, sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertRefresh = database.prepare(
    `INSERT INTO refresh_token
       (programme, key, family, expires_at, predecessor, sealed_answer, retry_until, sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // The turned sum is what tells a revocation from a flipped bit, and its loss from one.
  const revoke = database.prepare(
    `UPDATE family SET revoked_at = ?, sum = ~sum
     WHERE programme = ? AND key = ? AND revoked_at IS NULL`,
  );
  return {
    family: (family, era = eras.current()) => {
      const { programme, id, client, member, scope, createdAt, endsAt } = family;
      const names = [programme, id, client, JSON.stringify(member), member.subject];
      const values = [...names, scope ?? null, createdAt, endsAt, era];
      insertFamily.run(...values, rowSum(values));
    },
    access: (token, era = eras.current()) => {
      const { programme, key, client, kind, subject, family, scope, issuedAt, expiresAt } = token;
      const optional = [family ?? null, scope ?? null];
      const times = [issuedAt, expiresAt, era];
      const values = [programme, key, client, kind, subject, ...optional, ...times];
      insertAccess.run(...values, rowSum(values));
    },
    refresh: (programme, family, { key, expiresAt }, from) => {
      const predecessor = from?.predecessor ?? null;
      const sum = rowSum([programme, key, family, expiresAt, predecessor, null]);
      const retry = [from?.answer ?? null, from?.until ?? null] as const;
      insertRefresh.run(programme, key, family, expiresAt, predecessor, ...retry, sum);
      return sum;
    },
    revoke: (programme, family, now) => {
      revoke.run(now, programme, family);
      fresh.forget();
    },
  };
}
