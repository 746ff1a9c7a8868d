// Owns refresh and access tokens in the file store; judgement.ts decides the outcome of a rotation.

import type { DatabaseSync } from 'node:sqlite';

import type { ProgrammeId } from '../../oauth/client.ts';
import type { RefreshToken, RefreshTokenState, TokenKey } from '../../oauth/grant.ts';
import type { Store } from '../contract.ts';
import type { RotateOutcome, Rotation, StandingQuestion } from '../grants.ts';
import {
  diedAtOnce,
  eraOf,
  isOfThisLife,
  judgeRotation,
  visibleRefreshToken,
} from '../judgement.ts';
import {
  liveAccessToken,
  type LiveAccessToken,
  refreshTokenState,
  tokenFamily,
} from '../sql/grant_rows.ts';
import {
  accessTokens,
  families,
  type RefreshTokenRow,
  refreshTokens,
} from '../sql/grant_tables.ts';
import { some, sumOf } from '../sql/table.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { type Freshness, Remembered } from './commits/freshness.ts';
import type { Eras } from './eras.ts';
import type { GrantWriter } from './issue.ts';
import {
  revocationJoins,
  revocationParts,
  fileRevokedTokens,
  unrememberedUntil,
} from './revocations.ts';
import { finder, from, leftJoined } from './tables.ts';

/** The refresh tokens' verbs. */
export function fileRefreshTokens(
  database: DatabaseSync,
  queue: CommitQueue,
  writer: GrantWriter,
  fresh: Freshness,
): Pick<
  Store,
  'startFamily' | 'findRefreshToken' | 'rotateRefreshToken' | 'revokeFamily' | 'findFamily'
> {
  const findRow = finder(
    database,
    {
      token: from(refreshTokens, 'token'),
      family: from(families, 'family'),
      next: leftJoined(some(refreshTokens, 'key', 'kept_answer', 'retry_until'), 'next'),
      ...revocationParts,
    },
    `FROM refresh_token AS token
     JOIN family ON family.programme = token.programme AND family.key = token.family
     LEFT JOIN refresh_token AS next
       ON next.programme = token.programme AND next.key = token.successor
     ${revocationJoins('family')}
     WHERE token.programme = ? AND token.key = ?`,
  );
  const findFamilyRow = finder(
    database,
    { row: from(families, 'family') },
    'FROM family WHERE programme = ? AND key = ?',
  );
  const find = (programme: ProgrammeId, key: TokenKey): FoundToken | undefined => {
    const found = findRow(programme, key);
    return found && { row: found.token, state: refreshTokenState(found) };
  };
  // Holds a token from its look-up to its rotation, and its successor until the next rotation.
  const seen = new Remembered<FoundToken>(fresh, mostAlive);
  const look = (programme: ProgrammeId, key: TokenKey): FoundToken | undefined => {
    const found = seen.get(programme, key, () => find(programme, key));
    // No answer is remembered past its retry window.
    if (found?.state.rotated === true) seen.take(programme, key);
    return found;
  };
  const rotate = rotator(database, writer, seen);
  return {
    startFamily: ({ family, access, refresh, era }) =>
      queue.write(() => {
        writer.family(family, era);
        if (access) writer.access(access, era);
        if (refresh) writer.refresh(family.programme, family.id, refresh);
      }),
    findRefreshToken: (programme, key, now) =>
      queue.read(() => {
        const found = look(programme, key);
        return found && visibleRefreshToken(found.state, now);
      }),
    rotateRefreshToken: (rotation) =>
      queue.write(() => {
        const { programme, key } = rotation;
        return rotate(rotation, seen.take(programme, key) ?? find(programme, key));
      }),
    revokeFamily: (programme, family, now) =>
      queue.writeFromReserve(() => writer.revoke(programme, family, now)),
    findFamily: (programme, id) =>
      queue.read(() => {
        const found = findFamilyRow(programme, id);
        return found && tokenFamily(found.row);
      }),
  };
}

interface FoundToken {
  readonly row: RefreshTokenRow;
  readonly state: RefreshTokenState;
}

/** The most unused refresh tokens held; others are read again. */
const mostAlive = 10_000;

function rotator(
  database: DatabaseSync,
  writer: GrantWriter,
  seen: Remembered<FoundToken>,
): (rotation: Rotation, found: FoundToken | undefined) => RotateOutcome {
  const markRotated = database.prepare(
    `UPDATE refresh_token SET successor = ?, kept_answer = NULL, retry_until = NULL, sum = ?
     WHERE programme = ? AND key = ?`,
  );
  return (rotation, found) => {
    const { programme, client, key, successor, access, now } = rotation;
    const judgement = judgeRotation(found?.state, client, now);
    if (found === undefined || judgement.verdict === 'unknown') return { outcome: 'unknown' };
    if (judgement.verdict === 'retry') {
      return { outcome: 'retried', keptAnswer: judgement.keptAnswer };
    }
    const { row } = found;
    if (judgement.verdict === 'reuse') {
      writer.revoke(programme, row.family, now);
      return { outcome: 'reused' };
    }
    const { retryUntil } = rotation;
    const retry = retryUntil > now ? { answer: rotation.keptAnswer, until: retryUntil } : {};
    // A client that presents this token has received it: its predecessor's retries end (HOSTILE 29).
    const marked = sumOf(refreshTokens, { ...row, successor: successor.key });
    const { changes } = markRotated.run(successor.key, marked, programme, key);
    // The row was held in memory, and a sweep has removed it meanwhile.
    if (changes !== 1) return { outcome: 'unknown' };
    const sum = writer.refresh(programme, row.family, successor, { predecessor: key, ...retry });
    if (access) writer.access(access);
    seen.note(programme, successor.key, followerOf(found, successor, sum));
    return { outcome: 'rotated' };
  };
}

/** The successor as a look-up would find it. */
function followerOf(
  { row, state }: FoundToken,
  { key, expiresAt }: RefreshToken,
  sum: number,
): FoundToken {
  const followed = { key, expires_at: expiresAt, predecessor: row.key, successor: null };
  return {
    row: { ...row, ...followed, kept_answer: null, retry_until: null, sum },
    state: { key, expiresAt, family: state.family, revoked: false, rotated: false },
  };
}

/** The access tokens' verbs, those of tokens that are not remembered among them. */
export function fileAccessTokens(
  database: DatabaseSync,
  queue: CommitQueue,
  writer: GrantWriter,
  fresh: Freshness,
  eras: Eras,
): Pick<Store, 'saveAccessToken' | 'findAccessToken' | 'revokeToken' | 'isStanding' | 'era'> {
  // A revocation by member covers tokens of logins only: a partner's own token has no member.
  const subject = `CASE token.kind WHEN 'member' THEN token.subject END`;
  const find = finder(
    database,
    {
      token: from(accessTokens, 'token'),
      family: leftJoined(some(families, 'ends_at', 'revoked_at', 'era', 'sum'), 'family'),
      ...revocationParts,
    },
    `FROM access_token AS token
     LEFT JOIN family ON family.programme = token.programme AND family.key = token.family
     ${revocationJoins('token', subject)}
     WHERE token.programme = ? AND token.key = ?`,
  );
  const drop = database.prepare('DELETE FROM access_token WHERE programme = ? AND key = ?');
  const revoked = fileRevokedTokens(database);
  const deadUntil = unrememberedUntil(database);
  const findFamily = finder(
    database,
    { row: from(some(families, 'era', 'revoked_at'), 'family') },
    'FROM family WHERE programme = ? AND key = ?',
  );
  const isStanding = (programme: ProgrammeId, token: StandingQuestion): boolean => {
    const until = deadUntil(programme, token);
    const { tokenId, expiresAt, family: id } = token;
    if (expiresAt !== undefined && expiresAt <= eras.forgotten()) return false;
    if (tokenId !== undefined && revoked.has(programme, tokenId)) return false;
    if (id === undefined) {
      if (!isOfThisLife(token, eras.current(), eras.accepted())) return false;
      return !diedAtOnce(eraOf(token), until);
    }
    const row = findFamily(programme, id)?.row;
    if (row === undefined || row.revoked_at !== null) return false;
    return !diedAtOnce(row.era, until);
  };
  // A gateway asks about the same tokens again and again (C-4).
  const tokens = new Remembered<LiveAccessToken>(fresh, mostAsked);
  const standing = new Remembered<true>(fresh, mostAsked);
  return {
    era: () => queue.read(eras.current),
    saveAccessToken: (...call) => queue.write(() => writer.access(...call)),
    findAccessToken: (programme, key, now) =>
      queue.read(() => {
        const found = tokens.get(programme, key, () => {
          const row = find(programme, key);
          return row && liveAccessToken(row);
        });
        return found && now < found.endsAt ? found.token : undefined;
      }),
    revokeToken: (programme, token, now) =>
      queue.writeFromReserve(() => {
        fresh.forget();
        if ('key' in token) drop.run(programme, token.key);
        else if (token.expiresAt > now) revoked.add(programme, token);
      }),
    isStanding: (programme, token) =>
      queue.read(() => {
        const read = (): true | undefined => (isStanding(programme, token) ? true : undefined);
        return standing.get(programme, nameOf(token), read) ?? false;
      }),
  };
}

/** Access tokens remembered, of either kind. */
const mostAsked = 10_000;

/** All parts of the question; texts whose form a dialect decides come last. */
function nameOf({ client, subject, family, tokenId, issuedAt, era }: StandingQuestion): string {
  return JSON.stringify([issuedAt, era ?? 0, family ?? '', tokenId ?? '', client, subject]);
}
