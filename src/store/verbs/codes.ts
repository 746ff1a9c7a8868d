// Owns authorization codes; judgement.ts decides the outcome of spending a code.

import type { ProgrammeId } from '../../oauth/client.ts';
import { Unavailable } from '../../oauth/failure.ts';
import type { CodeKey, Era } from '../../oauth/grant.ts';
import type { Store } from '../contract.ts';
import { PlaceTaken, type SpendOutcome } from '../grants.ts';
import { judgeSpend, type KeptCode, visibleCode } from '../judgement.ts';
import { chain } from '../sql/chain.ts';
import type { Db } from '../sql/db.ts';
import { codeRow, keptCode, loginRow, spentDigest, spentFor, unspent } from '../sql/login_rows.ts';
import { leftJoined, partReader } from '../sql/parts.ts';
import { revocationJoins, revocationParts } from '../sql/revocations.ts';
import { insertText, statement } from '../sql/statement.ts';
import { some, sumOf, withSum } from '../sql/table.ts';
import { type CodeRow, codes, logins, spentCodes } from '../sql/tables.ts';
import { type RevokeLogin, startLogin, startLoginAgain } from './logins.ts';
import { untilDone } from './tries.ts';

const { columns, names } = codes;
const parts = partReader({
  row: leftJoined(codes, 'code'),
  spent: leftJoined(spentCodes, 'spent_code'),
  login: leftJoined(some(logins, 'client'), 'login'),
  ...revocationParts,
});

const find = statement(
  'find_code',
  columns,
  // In one statement: a sweep moves what is left of a spent code from one table to the other.
  `SELECT ${parts.columns} FROM (SELECT 1) AS one
    LEFT JOIN code ON code.programme = :programme AND code.key = :key
    LEFT JOIN spent_code ON spent_code.digest = :digest
    LEFT JOIN login ON login.place = spent_code.place AND login.programme = :programme
    ${revocationJoins('code')}`,
  { types: { digest: 'blob' } },
);

const issue = statement(
  'issue_code',
  columns,
  // A row of the same key is this very code, which an earlier run of the statement has written.
  insertText(
    codes,
    `ON CONFLICT (programme, login) DO UPDATE SET
        ${names.map((name) => `${name} = excluded.${name}`).join(', ')}
      WHERE code.spent_for = ${unspent} AND code.issued_at <= excluded.issued_at`,
  ),
  { row: ['programme', 'login'] },
);

const findIssued = statement(
  'find_issued',
  columns,
  'SELECT spent_for FROM code WHERE programme = :programme AND login = :login',
);

/** The code's row comes first, and the login only for who has it: a place that is taken leaves the code unspent. */
function spending(name: string, isUnspent: string, start: typeof startLogin) {
  return chain(
    name,
    statement(
      `${name}_guard`,
      columns,
      `SELECT 1 FROM code WHERE code.programme = :code_programme AND code.key = :code_key
        AND code.spent_for IN (${isUnspent})`,
      {
        row: ['code_programme', 'code_key'],
        types: { code_programme: 'text', code_key: 'text', place: 'integer' },
        isUrgent: true,
      },
    ),
    // Codes of one statement may ask for one place: who has it is known by the digest.
    { ...start, row: ['place', 'login_digest'] },
    statement(
      `${name}_mark`,
      columns,
      `UPDATE code SET spent_for = :place, sum = :code_sum
        WHERE code.programme = :code_programme AND code.key = :code_key`,
      {
        types: { code_programme: 'text', code_key: 'text', place: 'integer', code_sum: 'integer' },
      },
    ),
  );
}

const spend = spending('spend_code', String(unspent), startLogin);
/** Also a code that an earlier run has spent for this place. */
const spendAgain = spending('spend_code_again', `${unspent}, :place`, startLoginAgain);

const tooFast = 'a code changes faster than it can be spent';

interface FoundCode {
  /** Undefined for a code that is not there. */
  readonly kept?: KeptCode;
  /** Undefined for a code of which only its use is left. */
  readonly row?: CodeRow;
  readonly era: Era;
}

export function codeVerbs(
  db: Db,
  revokeLogin: RevokeLogin,
): Pick<Store, 'issueCode' | 'findCode' | 'spendCode'> {
  const rows = db.reader(find, (read, life): FoundCode => {
    const { row, spent, login, ...revocations } = parts.read(read);
    const { era } = life();
    if (row !== null) return { kept: keptCode(row, revocations), row, era };
    return spent === null || login === null ? { era } : { kept: spentFor(spent, login), era };
  });
  const issued = db.reader(findIssued, ([place]) => place);
  const [put, pay] = [db.writer(issue), db.chainWriter(spend, spendAgain)];
  const look = async (programme: ProgrammeId, key: CodeKey): Promise<FoundCode> => {
    const found = await rows.find({ programme, key, digest: spentDigest(programme, key) });
    // There is a row always.
    if (found === undefined) throw new Unavailable('store: a code could not be looked up');
    return found;
  };
  /** What was found in this turn, in which the code is mostly spent too. */
  const justFound = new Map<string, FoundCode>();
  /** Undefined where another request was faster: what it has made of the code decides. */
  const spendOnce = async (
    ...[programme, client, key, login, now]: Parameters<Store['spendCode']>
  ): Promise<SpendOutcome | undefined> => {
    const name = `${programme}\0${key}`;
    const known = justFound.get(name);
    // Once: after that the row is another.
    justFound.delete(name);
    const { kept, row, era } = known ?? (await look(programme, key));
    const judgement = judgeSpend(kept, client, now);
    if (judgement.verdict === 'replay') {
      await revokeLogin(programme, judgement.place, now);
      return { outcome: 'replayed', place: judgement.place };
    }
    if (judgement.verdict === 'unknown' || row === undefined) return { outcome: 'unknown' };
    const { done, wasUnknown } = await pay({
      ...withSum(logins, loginRow(login, login.era ?? era)),
      code_programme: programme,
      code_key: key,
      code_sum: sumOf(codes, { ...row, spent_for: login.place }),
    });
    if (done === 3) return { outcome: 'spent' };
    if (done === 1) throw new PlaceTaken();
    if (wasUnknown) throw new Unavailable('store: a spent code was lost');
    return undefined;
  };
  return {
    issueCode: async (code) => {
      const isIssued = await put((era) => withSum(codes, codeRow(code, code.era ?? era)));
      if (isIssued === true) return 'issued';
      const { programme, transaction: login } = code;
      const place = await issued.find({ programme, login });
      return place === unspent ? 'superseded' : 'already_spent';
    },
    findCode: async (programme, key, now) => {
      const found = await look(programme, key);
      // What is not there may come; what is there stays what it is until it is spent, of which its row tells.
      if (found.row !== undefined) {
        if (justFound.size === 0) setImmediate(() => justFound.clear());
        justFound.set(`${programme}\0${key}`, found);
      }
      return visibleCode(found.kept, now);
    },
    spendCode: (...call) => untilDone(tooFast, () => spendOnce(...call)),
  };
}
