// Owns authorization codes in the file store; what a try to spend one comes to is decided in judgement.ts.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../lib/clock.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { AuthorizationCode, TokenKey } from '../oauth/grant.ts';
import type { CommitQueue } from './commit_queue.ts';
import type { SpendOutcome, Store } from './contract.ts';
import type { GrantWriter } from './file_issue.ts';
import { codeState, type CodeRow } from './file_rows.ts';
import { forgetSpentAt, judgeSpend, type CodeState } from './judgement.ts';

/** The codes' verbs. */
export function fileCodes(
  database: DatabaseSync,
  queue: CommitQueue,
  writer: GrantWriter,
): Pick<Store, 'issueCode' | 'findCode' | 'spendCode'> {
  const issue = codeIssuer(database);
  const find = codeFinder(database);
  const markSpent = database.prepare(
    'UPDATE code SET spent_for = ?, forget_at = ? WHERE programme = ? AND key = ?',
  );
  return {
    issueCode: (code) => queue.write(() => issue(code)),
    findCode: (programme, key, now) =>
      queue.read(() => {
        const code = find(programme, key)?.code;
        return code === undefined || now >= code.forgetAt ? undefined : code;
      }),
    spendCode: (programme, client, key, { family, access, refresh }, now) =>
      queue.write((): SpendOutcome => {
        const state = find(programme, key);
        const judgement = judgeSpend(state, client, now);
        if (judgement.verdict === 'replay') {
          writer.revoke(programme, judgement.family, now);
          return { outcome: 'replayed', family: judgement.family };
        }
        if (judgement.verdict === 'unknown' || state === undefined) return { outcome: 'unknown' };
        writer.family(family);
        if (access) writer.access(access);
        if (refresh) writer.refresh(programme, family.id, refresh, null);
        markSpent.run(family.id, forgetSpentAt(state.code, family), programme, key);
        return { outcome: 'spent' };
      }),
  };
}

function codeFinder(
  database: DatabaseSync,
): (programme: ProgrammeId, key: TokenKey) => CodeState | undefined {
  const select = database.prepare('SELECT * FROM code WHERE programme = ? AND key = ?');
  return (programme, key) => {
    const row = select.get(programme, key) as CodeRow | undefined;
    return row && codeState(row);
  };
}

/** Puts a login's code in the place of its unspent one: two are never live. */
function codeIssuer(
  database: DatabaseSync,
): (code: AuthorizationCode) => 'issued' | 'already_spent' {
  const earlier = database.prepare('SELECT spent_for FROM code WHERE programme = ? AND login = ?');
  const drop = database.prepare('DELETE FROM code WHERE programme = ? AND login = ?');
  const insert = database.prepare(
    `INSERT INTO code
       (programme, key, login, client, redirect_uri, member, scope, code_challenge,
        issued_at, expires_at, forget_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (code) => {
    const { programme, key, transaction, client, redirectUri, scope, codeChallenge } = code;
    const row = earlier.get(programme, transaction);
    if (row !== undefined && row['spent_for'] !== null) return 'already_spent';
    if (row !== undefined) drop.run(programme, transaction);
    const optional = [scope ?? null, codeChallenge ?? null] as const;
    const times: readonly Instant[] = [code.issuedAt, code.expiresAt, code.forgetAt];
    const member = JSON.stringify(code.member);
    insert.run(programme, key, transaction, client, redirectUri, member, ...optional, ...times);
    return 'issued';
  };
}
