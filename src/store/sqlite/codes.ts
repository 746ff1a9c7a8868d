// Owns authorization codes in the file store; judgement.ts decides the outcome of spending a code.

import type { DatabaseSync } from 'node:sqlite';

import type { ProgrammeId } from '../../oauth/client.ts';
import type { AuthorizationCode, TokenFamily, TokenKey } from '../../oauth/grant.ts';
import type { Store } from '../contract.ts';
import type { IssueOutcome, SpendOutcome } from '../grants.ts';
import { type CodeState, forgetSpentAt, judgeSpend, visibleCode } from '../judgement.ts';
import { codeState } from '../sql/grant_rows.ts';
import { type CodeRow, codes } from '../sql/grant_tables.ts';
import { type ColumnList, some, sumOf } from '../sql/table.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { type Freshness, Remembered } from './commits/freshness.ts';
import type { Eras } from './eras.ts';
import type { GrantWriter } from './issue.ts';
import { revocationJoins, revocationParts } from './revocations.ts';
import { finder, from, inserter } from './tables.ts';

/** The codes' verbs. */
export function fileCodes(
  database: DatabaseSync,
  queue: CommitQueue,
  writer: GrantWriter,
  fresh: Freshness,
  eras: Eras,
): Pick<Store, 'issueCode' | 'findCode' | 'spendCode'> {
  const find = codeFinder(database);
  const markSpent = codeMarker(database);
  // A code is spent moments after its login, mostly by this process: the held row saves a read.
  const seen = new Remembered<FoundCode>(fresh, mostAlive);
  const issue = codeIssuer(database, eras, (...name) => void seen.take(...name));
  return {
    issueCode: (code) =>
      queue.write(() => {
        const { programme, key } = code;
        const outcome = issue(code);
        // The row is read back, since a revocation may cover it already.
        if (outcome === 'issued') seen.get(programme, key, () => find(programme, key));
        return outcome;
      }),
    findCode: (programme, key, now) =>
      queue.read(() =>
        visibleCode(seen.get(programme, key, () => find(programme, key))?.state, now),
      ),
    spendCode: (programme, client, key, { family, access, refresh, era }, now) =>
      // On a full disk no code is issued, so few codes are left, and the reserve has room to spend them.
      queue.writeFromReserve((): SpendOutcome => {
        const found = seen.take(programme, key) ?? find(programme, key);
        const judgement = judgeSpend(found?.state, client, now);
        if (judgement.verdict === 'replay') {
          writer.revoke(programme, judgement.family, now);
          return { outcome: 'replayed', family: judgement.family };
        }
        if (judgement.verdict === 'unknown' || found === undefined) return { outcome: 'unknown' };
        // The row was held in memory, and a sweep has removed it meanwhile.
        if (!markSpent(found, family)) return { outcome: 'unknown' };
        writer.family(family, era);
        if (access) writer.access(access, era);
        if (refresh) writer.refresh(programme, family.id, refresh);
        return { outcome: 'spent' };
      }),
  };
}

interface FoundCode {
  readonly row: CodeRow;
  /** The rowid, which stays the same while the store is open. */
  readonly place: number;
  readonly state: CodeState;
}

/** The most unspent codes held; others are read again. */
const mostAlive = 10_000;

const rowid: ColumnList<{ readonly rowid: number }> = { names: ['rowid'] };

function codeFinder(
  database: DatabaseSync,
): (programme: ProgrammeId, key: TokenKey) => FoundCode | undefined {
  const find = finder(
    database,
    { place: from(rowid, 'code'), row: from(codes, 'code'), ...revocationParts },
    `FROM code ${revocationJoins('code')} WHERE code.programme = ? AND code.key = ?`,
  );
  return (programme, key) => {
    const found = find(programme, key);
    if (found === undefined) return undefined;
    const { row } = found;
    return { row, place: found.place.rowid, state: codeState(row, found) };
  };
}

/** The marker returns whether the row still exists. */
function codeMarker(database: DatabaseSync): (found: FoundCode, family: TokenFamily) => boolean {
  const mark = database.prepare(
    `UPDATE code SET spent_for = ?, member = ?, forget_at = ?, sum = ?
     WHERE rowid = ? AND key = ?`,
  );
  return ({ row, place }, family) => {
    const forgetAt = forgetSpentAt(row.forget_at, family);
    const member = row.member.trimEnd();
    const spent = { ...row, member, forget_at: forgetAt, spent_for: family.id };
    // By rowid: a second search of the index by key would read more pages.
    const sum = sumOf(codes, spent);
    const { changes } = mark.run(family.id, member, forgetAt, sum, place, row.key);
    return changes === 1;
  };
}

/**
 * Room in a row for the family of its code. Rows stand in the order of issue on full pages: a row that
 * grew would split its page.
 */
const room = ' '.repeat(36);

/**
 * Replaces the unspent code of a login, so that two are never live; `forget` gets the replaced code.
 */
function codeIssuer(
  database: DatabaseSync,
  eras: Eras,
  forget: (programme: ProgrammeId, key: TokenKey) => void,
): (code: AuthorizationCode) => IssueOutcome {
  const earlier = finder(
    database,
    { row: from(some(codes, 'key', 'spent_for', 'issued_at'), 'code') },
    'FROM code WHERE programme = ? AND login = ?',
  );
  const drop = database.prepare('DELETE FROM code WHERE programme = ? AND login = ?');
  const insert = inserter(database, codes);
  return (code) => {
    const { programme, key, transaction: login, member } = code;
    const row = earlier(programme, login)?.row;
    if (row !== undefined) {
      if (row.spent_for !== null) return 'already_spent';
      if (row.issued_at > code.issuedAt) return 'superseded';
      drop.run(programme, login);
      forget(programme, row.key);
    }
    insert({
      programme,
      key,
      login,
      client: code.client,
      redirect_uri: code.redirectUri,
      member: JSON.stringify(member) + room,
      subject: member.subject,
      scope: code.scope ?? null,
      code_challenge: code.codeChallenge ?? null,
      issued_at: code.issuedAt,
      expires_at: code.expiresAt,
      forget_at: code.forgetAt,
      spent_for: null,
      era: code.era ?? eras.current(),
    });
    return 'issued';
  };
}
