// Owns authorization codes in the file store; what a try to spend one comes to is decided in judgement.ts.

import type { DatabaseSync } from 'node:sqlite';

import type { ProgrammeId } from '../oauth/client.ts';
import type { AuthorizationCode, TokenFamily, TokenKey } from '../oauth/grant.ts';
import type { CommitQueue } from './commit_queue.ts';
import type { IssueOutcome, SpendOutcome, Store } from './contract.ts';
import type { GrantWriter } from './file_issue.ts';
import { revocationColumns, revocationJoins } from './file_revocations.ts';
import { codeState, codeValues, type CodeRow } from './file_rows.ts';
import { rowSum } from './file_sums.ts';
import { type Freshness, Remembered } from './freshness.ts';
import { type CodeState, forgetSpentAt, judgeSpend, visibleCode } from './judgement.ts';

/** The codes' verbs. */
export function fileCodes(
  database: DatabaseSync,
  queue: CommitQueue,
  writer: GrantWriter,
  fresh: Freshness,
): Pick<Store, 'issueCode' | 'findCode' | 'spendCode'> {
  const issue = codeIssuer(database, fresh);
  const find = codeFinder(database);
  const markSpent = codeMarker(database);
  // From the look at a code to its spending.
  const seen = new Remembered<FoundCode>(fresh, mostUnderWay);
  return {
    issueCode: (code) => queue.write(() => issue(code)),
    findCode: (programme, key, now) =>
      queue.read(() =>
        visibleCode(seen.get(programme, key, () => find(programme, key))?.state, now),
      ),
    spendCode: (programme, client, key, { family, access, refresh }, now) =>
      // Codes are few on a full disk, where none can be issued: those there are stay good for what they are.
      queue.writeFromReserve((): SpendOutcome => {
        const found = seen.take(programme, key) ?? find(programme, key);
        const judgement = judgeSpend(found?.state, client, now);
        if (judgement.verdict === 'replay') {
          writer.revoke(programme, judgement.family, now);
          return { outcome: 'replayed', family: judgement.family };
        }
        if (judgement.verdict === 'unknown' || found === undefined) return { outcome: 'unknown' };
        writer.family(family);
        if (access) writer.access(access);
        if (refresh) writer.refresh(programme, family.id, refresh);
        markSpent(found.row, family);
        return { outcome: 'spent' };
      }),
  };
}

interface FoundCode {
  readonly row: CodeRow;
  readonly state: CodeState;
}

/** Requests between looking and spending; more are read again. */
const mostUnderWay = 1000;

function codeFinder(
  database: DatabaseSync,
): (programme: ProgrammeId, key: TokenKey) => FoundCode | undefined {
  const select = database.prepare(
    `SELECT code.*, ${revocationColumns} FROM code ${revocationJoins('code')}
     WHERE code.programme = ? AND code.key = ?`,
  );
  return (programme, key) => {
    const row = select.get(programme, key) as CodeRow | undefined;
    return row && { row, state: codeState(row) };
  };
}

function codeMarker(database: DatabaseSync): (row: CodeRow, family: TokenFamily) => void {
  const mark = database.prepare(
    'UPDATE code SET spent_for = ?, forget_at = ?, sum = ? WHERE programme = ? AND key = ?',
  );
  return (row, family) => {
    const forgetAt = forgetSpentAt(row.forget_at, family);
    const spent = { ...row, forget_at: forgetAt, spent_for: family.id };
    mark.run(family.id, forgetAt, rowSum(codeValues(spent)), row.programme, row.key);
  };
}

/** Puts a login's code in the place of its unspent one: two are never live. */
function codeIssuer(
  database: DatabaseSync,
  fresh: Freshness,
): (code: AuthorizationCode) => IssueOutcome {
  const earlier = database.prepare(
    'SELECT spent_for, issued_at FROM code WHERE programme = ? AND login = ?',
  );
  const drop = database.prepare('DELETE FROM code WHERE programme = ? AND login = ?');
  const insert = database.prepare(
    `INSERT INTO code
       (programme, key, login, client, redirect_uri, member, subject, scope, code_challenge,
        issued_at, expires_at, forget_at, sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (code) => {
    const { programme, key, transaction, client, redirectUri, member } = code;
    const row = earlier.get(programme, transaction);
    if (row !== undefined && row['spent_for'] !== null) return 'already_spent';
    if (row !== undefined && Number(row['issued_at']) > code.issuedAt) return 'superseded';
    if (row !== undefined) {
      drop.run(programme, transaction);
      fresh.forget();
    }
    const names = [programme, key, transaction, client, redirectUri];
    const asked = [code.scope ?? null, code.codeChallenge ?? null];
    const who = [JSON.stringify(member), member.subject];
    const values = [...names, ...who, ...asked, code.issuedAt, code.expiresAt, code.forgetAt];
    insert.run(...values, rowSum([...values, null]));
    return 'issued';
  };
}
