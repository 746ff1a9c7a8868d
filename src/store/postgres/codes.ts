// Owns authorization codes in PostgreSQL; judgement.ts decides the outcome of spending a code.

import type { ProgrammeId } from '../../oauth/client.ts';
import { Unavailable } from '../../oauth/failure.ts';
import type { AuthorizationCode, CodeKey, Era } from '../../oauth/grant.ts';
import type { Store } from '../contract.ts';
import { type IssueOutcome, type NewLogin, PlaceTaken } from '../grants.ts';
import { judgeSpend, type KeptCode, visibleCode } from '../judgement.ts';
import { codeRow, keptCode, loginRow, spentDigest, spentFor, unspent } from '../sql/login_rows.ts';
import { leftJoined, partReader } from '../sql/parts.ts';
import { revocationJoins, revocationParts } from '../sql/revocations.ts';
import { some, sumOf, type Value } from '../sql/table.ts';
import { type CodeRow, codes, logins, spentCodes } from '../sql/tables.ts';
import { epochColumns, epochLength, type Epochs } from './epoch.ts';
import { batched, untilKnown } from './link/batch.ts';
import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';
import { confirmLogins, loginRows } from './logins.ts';
import { arrayRows, tableRows } from './tables.ts';

interface Name {
  readonly programme: ProgrammeId;
  readonly key: CodeKey;
}

const names = arrayRows({ programme: 'text', key: 'text', digest: 'bytea' });
const parts = partReader({
  row: leftJoined(codes, 'code'),
  spent: leftJoined(spentCodes, 'spent_code'),
  login: leftJoined(some(logins, 'client'), 'login'),
  ...revocationParts,
});

const find: Statement = {
  name: 'find_codes',
  // In one statement: a sweep moves what is left of a spent code from one table to the other.
  text: `SELECT ${epochColumns}, ${parts.columns} FROM epoch CROSS JOIN ${names.from('asked')}
    LEFT JOIN code ON code.programme = asked.programme AND code.key = asked.key
    LEFT JOIN spent_code ON spent_code.digest = asked.digest
    LEFT JOIN login ON login.place = spent_code.place AND login.programme = asked.programme
    ${revocationJoins('code')} ORDER BY asked.n`,
  isRead: true,
};

const rows = tableRows(codes);

const issue: Statement = {
  name: 'issue_codes',
  // A row of the same key is this very code, which an earlier run of the statement has written.
  text: `INSERT INTO code AS kept (${rows.names.join(', ')})
    SELECT ${rows.names.join(', ')} FROM ${rows.from('asked')}
    ON CONFLICT (programme, login) DO UPDATE SET
      ${rows.names.map((name) => `${name} = excluded.${name}`).join(', ')}
      WHERE kept.spent_for = ${unspent} AND kept.issued_at <= excluded.issued_at
    RETURNING kept.login, kept.programme`,
  isRead: false,
};

const transactions = arrayRows({ programme: 'text', login: 'text' });

const findIssued: Statement = {
  name: 'find_issued',
  text: `SELECT asked.n, code.spent_for FROM ${transactions.from('asked')}
    JOIN code ON code.programme = asked.programme AND code.login = asked.login`,
  isRead: true,
};

const marks = arrayRows({ code_programme: 'text', code_key: 'text', code_sum: 'bigint' });

const spend: Statement = {
  name: 'spend_codes',
  // The code's row is locked first, and the login inserted only for who has it: a place that is taken
  // leaves the code unspent.
  text: `WITH asked AS (
      SELECT * FROM ${marks.from('asked_code')} JOIN ${loginRows.from('asked_login', marks.length + 1)} USING (n)
    ), unspent AS (
      SELECT asked.* FROM asked JOIN code ON code.programme = code_programme AND code.key = code_key
      WHERE code.spent_for = ${unspent} ORDER BY code_key FOR UPDATE OF code
    ), started AS (
      INSERT INTO login (${loginRows.names.join(', ')})
      SELECT ${loginRows.names.join(', ')} FROM unspent
      ON CONFLICT (place) DO NOTHING RETURNING place, login_digest
    ), marked AS (
      UPDATE code SET spent_for = unspent.place, sum = unspent.code_sum
      FROM unspent JOIN started USING (place, login_digest)
      WHERE code.programme = code_programme AND code.key = code_key
    )
    SELECT unspent.n, EXISTS (SELECT FROM started WHERE started.place = unspent.place
      AND started.login_digest = unspent.login_digest) FROM unspent`,
  isRead: false,
};

interface Spend extends Name {
  readonly row: CodeRow;
  readonly login: NewLogin & { readonly era: Era };
}

interface Found {
  /** Undefined for a code that is not there. */
  readonly kept?: KeptCode;
  /** Undefined for a code of which only its use is left. */
  readonly row?: CodeRow;
  /** As of the same moment: a revocation after it covers a login of this era too. */
  readonly era: Era;
}

/** `lost`: somebody has spent the code while the outcome was not known, and not for this login. */
type Spent = 'spent' | 'place_taken' | 'too_late' | 'lost';

/** The codes' verbs. */
export function codeVerbs(
  link: Link,
  epochs: Epochs,
  revokeLogin: Store['revokeLogin'],
): Pick<Store, 'issueCode' | 'findCode' | 'spendCode'> {
  const read = batched<Name, ReturnType<typeof parts.read> & Pick<Found, 'era'>>({
    link,
    answer: async (asked, until) => {
      const keys = asked.map(({ programme, key }) => ({
        programme,
        key,
        digest: spentDigest(programme, key),
      }));
      const found = await link.run(find, names.values(keys), until);
      const { era } = epochs.note(found[0] ?? []);
      return found.map((row) => ({ ...parts.read(row.slice(epochLength) as Value[]), era }));
    },
  });
  const look = async (name: Name): Promise<Found> => {
    const { row, spent, login, era, ...revocations } = await read(name);
    if (row !== null) return { kept: keptCode(row, revocations), row, era };
    return spent === null || login === null ? { era } : { kept: spentFor(spent, login), era };
  };
  /** What was found in this turn, in which the code is mostly spent too. */
  const justFound = new Map<string, Found>();
  const ask = batched<AuthorizationCode & { readonly era: Era }, IssueOutcome>({
    link,
    rowOf: ({ programme, transaction }) => `${programme}\0${transaction}`,
    answer: async (asked, until) => {
      const values = rows.values(asked.map((code) => codeRow(code, code.era)));
      const { result } = await untilKnown(until, () => link.run(issue, values, until));
      const issued = new Set(
        result.map(([login, programme]) => `${String(programme)}\0${String(login)}`),
      );
      const isIssued = ({ programme, transaction }: AuthorizationCode): boolean =>
        issued.has(`${programme}\0${transaction}`);
      if (asked.every(isIssued)) return asked.map(() => 'issued');
      const named = asked.map(({ programme, transaction: login }) => ({ programme, login }));
      const found = await link.run(findIssued, transactions.values(named), until);
      const spent = new Map(found.map(([n, place]) => [Number(n), place !== unspent]));
      return asked.map((code, index) => {
        if (isIssued(code)) return 'issued';
        return spent.get(index + 1) === false ? 'superseded' : 'already_spent';
      });
    },
  });
  const pay = batched<Spend, Spent>({
    link,
    rowOf: ({ programme, key }) => `${programme}\0${key}`,
    answer: async (asked, until) => {
      const values = [
        ...marks.values(
          asked.map(({ row, login }) => ({
            code_programme: row.programme,
            code_key: row.key,
            code_sum: sumOf(codes, { ...row, spent_for: login.place }),
          })),
        ),
        ...loginRows.values(asked.map(({ login }) => loginRow(login, login.era))),
      ];
      let ours: ReadonlySet<unknown> = new Set();
      const { result, wasUnknown } = await untilKnown(until, async (isAgain) => {
        const started = asked.map(({ login }) => login);
        if (isAgain) ours = await confirmLogins(link, started, until);
        return link.run(spend, values, until);
      });
      const outcomes = new Map(
        result.map(([n, isStarted]) => [Number(n), isStarted ? 'spent' : 'place_taken'] as const),
      );
      return asked.map(({ login }, index) => {
        if (ours.has(login.place)) return 'spent';
        return outcomes.get(index + 1) ?? (wasUnknown ? 'lost' : 'too_late');
      });
    },
  });
  const spendCode: Store['spendCode'] = async (programme, client, key, login, now) => {
    const name = `${programme}\0${key}`;
    const known = justFound.get(name);
    // Once: after that the row is another.
    justFound.delete(name);
    const { kept, row, era } = known ?? (await look({ programme, key }));
    const judgement = judgeSpend(kept, client, now);
    if (judgement.verdict === 'replay') {
      await revokeLogin(programme, judgement.place, now);
      return { outcome: 'replayed', place: judgement.place };
    }
    if (judgement.verdict === 'unknown' || row === undefined) return { outcome: 'unknown' };
    const outcome = await pay({ programme, key, row, login: { era, ...login } });
    if (outcome === 'spent') return { outcome };
    if (outcome === 'place_taken') throw new PlaceTaken();
    if (outcome === 'lost') throw new Unavailable('store: PostgreSQL: a spent code was lost');
    // Another request was faster: what it has made of the code decides.
    return spendCode(programme, client, key, login, now);
  };
  return {
    issueCode: async (code) => ask({ ...code, era: code.era ?? (await epochs.current()).era }),
    findCode: async (programme, key, now) => {
      const found = await look({ programme, key });
      if (justFound.size === 0) setImmediate(() => justFound.clear());
      justFound.set(`${programme}\0${key}`, found);
      return visibleCode(found.kept, now);
    },
    spendCode,
  };
}
