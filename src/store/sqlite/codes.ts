// Owns authorization codes in the file store; judgement.ts decides the outcome of spending a code.

import type { DatabaseSync } from 'node:sqlite';

import type { ProgrammeId } from '../../oauth/client.ts';
import type { AuthorizationCode, CodeKey, Place } from '../../oauth/grant.ts';
import type { Store } from '../contract.ts';
import type { IssueOutcome, SpendOutcome } from '../grants.ts';
import { judgeSpend, type KeptCode, visibleCode } from '../judgement.ts';
import { codeRow, keptCode, spentDigest, spentFor, unspent } from '../sql/login_rows.ts';
import { from } from '../sql/parts.ts';
import { revocationJoins, revocationParts } from '../sql/revocations.ts';
import { type ColumnList, some, sumOf } from '../sql/table.ts';
import { type CodeRow, codes, logins, spentCodes } from '../sql/tables.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { type Freshness, nameIn, Remembered } from './commits/freshness.ts';
import type { Eras } from './eras.ts';
import type { LoginRows } from './logins.ts';
import { finder, inserter } from './tables.ts';

/** The codes' verbs. */
export function fileCodes(
  database: DatabaseSync,
  queue: CommitQueue,
  rows: LoginRows,
  fresh: Freshness,
  eras: Eras,
): Pick<Store, 'issueCode' | 'findCode' | 'spendCode'> {
  const find = codeFinder(database);
  const markSpent = codeMarker(database);
  // A code is spent moments after its login, mostly by this process: the held row saves a read.
  const seen = new Remembered<FoundCode>(fresh, mostAlive);
  const look = (programme: ProgrammeId, key: CodeKey): FoundCode | undefined => {
    const name = nameIn(programme, key);
    const held = seen.get(name, () => undefined);
    if (held !== undefined) return held;
    const found = find(programme, key);
    // Not of a spent code: a sweep cuts it, and removes what is left of it with its login.
    if (found?.kept.spentFor === undefined && found !== undefined) seen.note(name, found);
    return found;
  };
  const issue = codeIssuer(database, eras, (...name) => void seen.take(nameIn(...name)));
  return {
    issueCode: (code) =>
      queue.write(() => {
        const { programme, key } = code;
        const outcome = issue(code);
        // The row is read back, since a revocation may cover it already.
        if (outcome === 'issued') look(programme, key);
        return outcome;
      }),
    findCode: (programme, key, now) =>
      queue.read(() => visibleCode(look(programme, key)?.kept, now)),
    spendCode: (programme, client, key, login, now) =>
      // On a full disk no code is issued, so few codes are left, and the reserve has room to spend them.
      queue.writeFromReserve((): SpendOutcome => {
        const found = seen.take(nameIn(programme, key)) ?? find(programme, key);
        const judgement = judgeSpend(found?.kept, client, now);
        if (judgement.verdict === 'replay') {
          rows.revoke(programme, judgement.place, now);
          return { outcome: 'replayed', place: judgement.place };
        }
        if (judgement.verdict === 'unknown' || found?.stored === undefined)
          return { outcome: 'unknown' };
        // The row was held in memory, and a sweep has removed it meanwhile.
        if (!markSpent(found.stored, login.place)) return { outcome: 'unknown' };
        rows.start(login);
        return { outcome: 'spent' };
      }),
  };
}

interface FoundCode {
  readonly kept: KeptCode;
  /** Absent where only `spent_code` has the code. */
  readonly stored?: StoredCode;
}

interface StoredCode {
  readonly row: CodeRow;
  /** It stays the same while the store is open. */
  readonly rowid: number;
}

/** The most unspent codes held; others are read again. */
const mostAlive = 10_000;

const rowid: ColumnList<{ readonly rowid: number }> = { names: ['rowid'] };

function codeFinder(
  database: DatabaseSync,
): (programme: ProgrammeId, key: CodeKey) => FoundCode | undefined {
  const find = finder(
    database,
    { place: from(rowid, 'code'), row: from(codes, 'code'), ...revocationParts },
    `FROM code ${revocationJoins('code')} WHERE code.programme = ? AND code.key = ?`,
  );
  const findSpent = finder(
    database,
    { spent: from(spentCodes, 'spent_code'), login: from(some(logins, 'client'), 'login') },
    `FROM spent_code JOIN login ON login.place = spent_code.place
     WHERE spent_code.digest = ? AND login.programme = ?`,
  );
  return (programme, key) => {
    const found = find(programme, key);
    if (found !== undefined) {
      const { row, place } = found;
      return { kept: keptCode(row, found), stored: { row, rowid: place.rowid } };
    }
    const cut = findSpent(spentDigest(programme, key), programme);
    return cut && { kept: spentFor(cut.spent, cut.login) };
  };
}

/** The marker returns whether the row still exists. */
function codeMarker(database: DatabaseSync): (code: StoredCode, place: Place) => boolean {
  const mark = database.prepare(
    'UPDATE code SET spent_for = ?, sum = ? WHERE rowid = ? AND key = ?',
  );
  return ({ row, rowid: at }, place) => {
    // By rowid: a second search of the index by key would read more pages.
    const sum = sumOf(codes, { ...row, spent_for: place });
    return mark.run(place, sum, at, row.key).changes === 1;
  };
}

/**
 * Replaces the unspent code of a login, so that two are never live; `forget` gets the replaced code.
 */
function codeIssuer(
  database: DatabaseSync,
  eras: Eras,
  forget: (programme: ProgrammeId, key: CodeKey) => void,
): (code: AuthorizationCode) => IssueOutcome {
  const earlier = finder(
    database,
    { row: from(some(codes, 'key', 'spent_for', 'issued_at'), 'code') },
    'FROM code WHERE programme = ? AND login = ?',
  );
  const drop = database.prepare('DELETE FROM code WHERE programme = ? AND login = ?');
  const insert = inserter(database, codes);
  return (code) => {
    const { programme, transaction: login } = code;
    const row = earlier(programme, login)?.row;
    if (row !== undefined) {
      if (row.spent_for !== unspent) return 'already_spent';
      if (row.issued_at > code.issuedAt) return 'superseded';
      drop.run(programme, login);
      forget(programme, row.key);
    }
    insert(codeRow(code, code.era ?? eras.current()));
    return 'issued';
  };
}
