// Owns refresh and access tokens in the file store; what a rotation comes to is decided in judgement.ts.

import type { DatabaseSync } from 'node:sqlite';

import type { ProgrammeId } from '../oauth/client.ts';
import type { TokenKey } from '../oauth/grant.ts';
import type { CommitQueue } from './commit_queue.ts';
import type { RotateOutcome, Rotation, Store } from './contract.ts';
import type { GrantWriter } from './file_issue.ts';
import { accessToken, refreshTokenState, type AccessRow, type RefreshRow } from './file_rows.ts';
import { familyIsLive, judgeRotation, visibleRefreshToken } from './judgement.ts';

/** The refresh tokens' verbs. */
export function fileRefreshTokens(
  database: DatabaseSync,
  queue: CommitQueue,
  writer: GrantWriter,
): Pick<Store, 'findRefreshToken' | 'rotateRefreshToken' | 'revokeFamily'> {
  const select = database.prepare(
    `SELECT token.programme, token.key, token.expires_at, token.predecessor, token.successor,
       token.sealed_answer, token.retry_until, token.family, family.client, family.member,
       family.scope, family.created_at, family.ends_at, family.revoked_at
     FROM refresh_token AS token
     JOIN family ON family.programme = token.programme AND family.key = token.family
     WHERE token.programme = ? AND token.key = ?`,
  );
  const find = (programme: ProgrammeId, key: TokenKey): RefreshRow | undefined =>
    select.get(programme, key) as RefreshRow | undefined;
  const rotate = rotator(database, writer);
  return {
    findRefreshToken: (programme, key, now) =>
      queue.read(() => {
        const row = find(programme, key);
        return row && visibleRefreshToken(refreshTokenState(row), now);
      }),
    rotateRefreshToken: (rotation) =>
      queue.write(() => rotate(rotation, find(rotation.programme, rotation.key))),
    revokeFamily: (programme, family, now) =>
      queue.write(() => writer.revoke(programme, family, now)),
  };
}

function rotator(
  database: DatabaseSync,
  writer: GrantWriter,
): (rotation: Rotation, row: RefreshRow | undefined) => RotateOutcome {
  const markRotated = database.prepare(
    `UPDATE refresh_token SET successor = ?, sealed_answer = ?, retry_until = ?
     WHERE programme = ? AND key = ?`,
  );
  const endRetries = database.prepare(
    `UPDATE refresh_token SET sealed_answer = NULL, retry_until = NULL
     WHERE programme = ? AND key = ?`,
  );
  return (rotation, row) => {
    const { programme, client, key, successor, access, now } = rotation;
    const judgement = judgeRotation(row && refreshTokenState(row), client, now);
    if (row === undefined || judgement.verdict === 'unknown') return { outcome: 'unknown' };
    if (judgement.verdict === 'retry') {
      return { outcome: 'retried', sealedAnswer: judgement.sealedAnswer };
    }
    if (judgement.verdict === 'reuse') {
      writer.revoke(programme, row.family, now);
      return { outcome: 'reused' };
    }
    writer.refresh(programme, row.family, successor, key);
    if (access) writer.access(access);
    const mayRetry = rotation.retryUntil > now;
    const retry = mayRetry ? ([rotation.sealedAnswer, rotation.retryUntil] as const) : [null, null];
    markRotated.run(successor.key, ...retry, programme, key);
    // Whoever holds this token had the answer: its predecessor's retries end here (HOSTILE 29).
    if (row.predecessor !== null) endRetries.run(programme, row.predecessor);
    return { outcome: 'rotated' };
  };
}

/** The access tokens' verbs. */
export function fileAccessTokens(
  database: DatabaseSync,
  queue: CommitQueue,
  writer: GrantWriter,
): Pick<Store, 'saveAccessToken' | 'findAccessToken'> {
  const select = database.prepare(
    `SELECT token.*, family.ends_at, family.revoked_at
     FROM access_token AS token
     LEFT JOIN family ON family.programme = token.programme AND family.key = token.family
     WHERE token.programme = ? AND token.key = ?`,
  );
  return {
    saveAccessToken: (token) => queue.write(() => writer.access(token)),
    findAccessToken: (programme, key, now) =>
      queue.read(() => {
        const row = select.get(programme, key) as AccessRow | undefined;
        if (row === undefined || now >= row.expires_at) return undefined;
        if (row.family === null) return accessToken(row);
        const { ends_at: endsAt, revoked_at: revokedAt } = row;
        const family = endsAt === null ? undefined : { revoked: revokedAt !== null, endsAt };
        return familyIsLive(family, now) ? accessToken(row) : undefined;
      }),
  };
}
