// Owns authorization codes; judgement.ts decides the outcome of spending a code.

import type { ProgrammeId } from '../../oauth/client.ts';
import { Unavailable } from '../../oauth/failure.ts';
import type { CodeKey, Era } from '../../oauth/grant.ts';
import { newPlace } from '../../oauth/place.ts';
import type { Store } from '../contract.ts';
import { PlaceTaken, type SpendOutcome, type SpentFor } from '../grants.ts';
import { firstEra, judgeSpend, type KeptCode, visibleCode } from '../judgement.ts';
import { type Chain, chain } from '../sql/chain.ts';
import type { Db } from '../sql/db.ts';
import {
  codeName,
  codeRow,
  finishedColumns,
  finishedName,
  keptCode,
  knownColumns,
  loginRow,
  spentFor,
} from '../sql/login_rows.ts';
import { from, partReader } from '../sql/parts.ts';
import { revocationJoins, revocationParts } from '../sql/revocations.ts';
import { insertText, replacing, type Statement, statement } from '../sql/statement.ts';
import { expectWhole, some, withSum } from '../sql/table.ts';
import { type CodeRow, codes, finishedLogins, knownCodes, logins } from '../sql/tables.ts';
import { confirmLogin, type RevokeLogin, startLogin } from './logins.ts';
import { untilDone } from './tries.ts';

const { columns, names } = codes;
const parts = partReader({ row: from(codes, 'code'), ...revocationParts });
const find = statement(
  'find_code',
  columns,
  `SELECT ${parts.columns} FROM code ${revocationJoins('code')}
    WHERE code.digest = :digest AND code.rest = :rest`,
);

const spentParts = partReader({
  spent: from(knownCodes, 'known_code'),
  login: from(some(logins, 'client'), 'login'),
});
const findSpent = statement(
  'find_spent_code',
  knownCodes.columns,
  `SELECT ${spentParts.columns} FROM known_code
    JOIN login ON login.place = known_code.place AND login.programme = :programme
    WHERE known_code.digest = :digest`,
  { types: { programme: 'text' } },
);

const finished = partReader({ row: from(finishedLogins, 'finished_login') });
const findFinished = statement(
  'find_finished_login',
  finishedLogins.columns,
  `SELECT ${finished.columns} FROM finished_login WHERE finished_login.login = :login`,
);

const issue = statement(
  'issue_code',
  columns,
  // A row of the same digest is this very code, which an earlier run of the statement has written.
  insertText(
    codes,
    `ON CONFLICT (programme, login) DO UPDATE SET
        ${names.map((name) => `${name} = excluded.${name}`).join(', ')}
      WHERE code.issued_at <= excluded.issued_at`,
    'NOT EXISTS (SELECT 1 FROM finished_login WHERE finished_login.login = :finished)',
  ),
  { row: ['programme', 'login'], types: { finished: 'blob' } },
);

const isCode = 'code.digest = :digest AND code.rest = :rest';
const drop = statement('drop_code', columns, `DELETE FROM code WHERE ${isCode}`, {
  row: ['digest'],
  isUrgent: true,
});

/** Several rows are written together: each sum has a name of its own. */
function put(table: typeof knownCodes | typeof finishedLogins, sum: string): Statement {
  const text = insertText(table, replacing(table)).replace(':sum', `:${sum}`);
  const { columns: like, key } = table;
  return statement(`put_${table.name}`, like, text, { row: key, types: { [sum]: 'integer' } });
}

const putKnown = put(knownCodes, 'known_sum');

/** The code's row comes first, and the login only for who has it: a place that is taken leaves the code unspent. */
function spending(name: string, ...more: readonly Statement[]): Chain {
  return chain(
    name,
    statement(`${name}_guard`, columns, `SELECT 1 FROM code WHERE ${isCode}`, {
      row: ['digest'],
      isUrgent: true,
    }),
    // Codes of one statement may ask for one place: who has it is known by the digest.
    { ...startLogin, row: ['place', 'login_digest'] },
    put(finishedLogins, 'finished_sum'),
    ...more,
    drop,
  );
}

const spend = spending('spend_code');
/** For a login at another place than the code's. */
const spendElsewhere = spending('spend_code_elsewhere', putKnown);

const tooFast = 'a code changes faster than it can be spent';

interface FoundCode {
  readonly kept: KeptCode;
  /** Of a code that is not spent. */
  readonly live?: { readonly row: CodeRow; readonly era: Era };
}

export function codeVerbs(
  db: Db,
  revokeLogin: RevokeLogin,
): Pick<Store, 'issueCode' | 'findCode' | 'spendCode'> {
  const rows = db.reader(find, (read, life) => ({ ...parts.read(read), era: life().era }));
  const spentRows = db.reader(findSpent, (read): SpentFor => {
    const { spent, login } = spentParts.read(read);
    return spentFor(spent, login);
  });
  const finishedRows = db.reader(findFinished, (read) => {
    const { row } = finished.read(read);
    expectWhole(finishedLogins, row);
    return row;
  });
  const [know, write, take] = [db.writer(putKnown), db.writer(issue), db.writer(drop)];
  const confirm = db.writer(confirmLogin);
  const [pay, payElsewhere] = [db.chainWriter(spend), db.chainWriter(spendElsewhere)];
  const look = async (programme: ProgrammeId, key: CodeKey): Promise<FoundCode | undefined> => {
    const name = codeName(programme, key);
    const found = await rows.find(name);
    if (found !== undefined) {
      const { row, era } = found;
      return { kept: keptCode(row, key, found), live: { row, era } };
    }
    // Second: a code that is spent meanwhile is found in either.
    const spent = await spentRows.find({ programme, digest: name.digest });
    return spent && { kept: spent };
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
    const { kept, live } = known ?? (await look(programme, key)) ?? {};
    const judgement = judgeSpend(kept, client, now);
    if (judgement.verdict === 'replay') {
      await revokeLogin(programme, judgement.place, now);
      return { outcome: 'replayed', place: judgement.place };
    }
    if (judgement.verdict === 'unknown' || live === undefined) return { outcome: 'unknown' };
    const { row, era } = live;
    const isElsewhere = login.place !== row.place;
    const values = {
      ...withSum(logins, loginRow(login, login.era ?? era)),
      digest: row.digest,
      rest: row.rest,
      ...finishedColumns(row),
      ...(isElsewhere ? knownColumns(row, login.place) : {}),
    };
    const { done, wasUnknown } = await (isElsewhere ? payElsewhere : pay)(values);
    if (done > (isElsewhere ? spendElsewhere : spend).steps.length) return { outcome: 'spent' };
    if (done === 1) throw new PlaceTaken();
    if (!wasUnknown) return undefined;
    // An earlier run may have done it all: nobody else has the secret of this login.
    if ((await confirm(values)) === true) return { outcome: 'spent' };
    throw new Unavailable('store: a spent code was lost');
  };
  return {
    issueCode: async (code) => {
      const { programme, key, transaction } = code;
      const login = finishedName(programme, transaction);
      const place = newPlace(code.issuedAt);
      // Together. Without the other one neither row is of any consequence.
      const [isIssued] = await Promise.all([
        write((era) => ({
          ...withSum(codes, codeRow(code, place, code.era ?? era)),
          finished: login,
        })),
        know(knownColumns(codeRow(code, place, firstEra), place)),
      ]);
      // Also of a code that was written: the one before it may have been spent beside this statement.
      if ((await finishedRows.find({ login })) === undefined) {
        return isIssued === true ? 'issued' : 'superseded';
      }
      // Nobody was told of it.
      if (isIssued === true) await take({ ...codeName(programme, key) });
      return 'already_spent';
    },
    findCode: async (programme, key, now) => {
      const found = await look(programme, key);
      // What is not there may come; what is there stays what it is until it is spent, of which its row tells.
      if (found?.live !== undefined) {
        if (justFound.size === 0) setImmediate(() => justFound.clear());
        justFound.set(`${programme}\0${key}`, found);
      }
      const visible = visibleCode(found?.kept, now);
      const place = found?.live?.row.place;
      return place === undefined || visible === undefined ? visible : { ...visible, place };
    },
    spendCode: (...call) => untilDone(tooFast, () => spendOnce(...call)),
  };
}
