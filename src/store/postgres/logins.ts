// Owns logins in PostgreSQL: one row each, which a refresh changes and which holds no token.

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { Unavailable } from '../../oauth/failure.ts';
import type { Answer, Place } from '../../oauth/grant.ts';
import type { Store } from '../contract.ts';
import { type NewLogin, PlaceTaken } from '../grants.ts';
import {
  answerColumns,
  type KeptLogin,
  keptLogin,
  loginRow,
  revokedColumns,
} from '../sql/login_rows.ts';
import { from, partReader } from '../sql/parts.ts';
import { revocationJoins, revocationParts } from '../sql/revocations.ts';
import { stateOf } from '../sql/state.ts';
import type { Value } from '../sql/table.ts';
import { logins } from '../sql/tables.ts';
import { epochColumns, epochLength, type Epochs } from './epoch.ts';
import { batched, untilKnown } from './link/batch.ts';
import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';
import { arrayRows, tableRows } from './tables.ts';

/** Rows of logins as they are inserted. */
export const loginRows = tableRows(logins);

const places = arrayRows({ place: 'bigint' });
const parts = partReader({ row: from(logins, 'login'), ...revocationParts });

const find: Statement = {
  name: 'find_logins',
  text: `SELECT ${epochColumns}, asked.n, ${parts.columns}
    FROM epoch CROSS JOIN ${places.from('asked')} JOIN login ON login.place = asked.place ${revocationJoins('login')}`,
  isRead: true,
};

const insert: Statement = {
  name: 'start_logins',
  text: `INSERT INTO login (${loginRows.names.join(', ')})
    SELECT ${loginRows.names.join(', ')} FROM ${loginRows.from('asked')}
    ON CONFLICT (place) DO NOTHING RETURNING place`,
  isRead: false,
};

const own = arrayRows({ place: 'bigint', login_digest: 'bytea' });

const confirm: Statement = {
  name: 'confirm_logins',
  // A write: its commit waits for the standbys that the insert may not have reached.
  text: `UPDATE login SET sum = login.sum FROM ${own.from('asked')}
    WHERE login.place = asked.place AND login.login_digest = asked.login_digest RETURNING login.place`,
  isRead: false,
};

const moves = arrayRows({
  place: 'bigint',
  programme: 'text',
  before: 'bytea',
  again: 'bytea',
  state: 'bytea',
  own_scope: 'text',
  sum: 'bigint',
});

const advance: Statement = {
  name: 'advance_logins',
  // `again` is the answer itself, where an earlier run of the statement may have written it: no two
  // answers are alike, since each has a nonce.
  text: `UPDATE login SET state = asked.state, own_scope = asked.own_scope, sum = asked.sum
    FROM ${moves.from('asked')}
    WHERE login.place = asked.place AND login.programme = asked.programme
      AND login.revoked_at IS NULL AND login.state IN (asked.before, asked.again)
    RETURNING asked.n`,
  isRead: false,
};

const ends = arrayRows({
  place: 'bigint',
  programme: 'text',
  revoked_at: 'bigint',
  before: 'bytea',
  sum: 'bigint',
});

const revoke: Statement = {
  name: 'revoke_logins',
  // A row that is revoked already is written again: what was revoked on this server alone reaches its
  // standbys before this is acknowledged.
  text: `UPDATE login SET revoked_at = coalesce(login.revoked_at, asked.revoked_at),
      sum = CASE WHEN login.revoked_at IS NULL THEN asked.sum ELSE login.sum END
    FROM ${ends.from('asked')}
    WHERE login.place = asked.place AND login.programme = asked.programme
      AND (login.revoked_at IS NOT NULL OR login.state = asked.before)
    RETURNING asked.n`,
  isRead: false,
};

export interface NamedLogin {
  readonly programme: ProgrammeId;
  readonly place: Place;
}

interface Move extends NamedLogin {
  readonly before: Answer;
  readonly after: Answer;
  readonly kept: KeptLogin;
}

interface End extends NamedLogin {
  readonly now: Instant;
  readonly kept: KeptLogin;
}

/** Those of the logins that are there, under the digest that the caller gave them. */
export async function confirmLogins(
  link: Link,
  asked: readonly NewLogin[],
  until: number,
): Promise<ReadonlySet<Place>> {
  const rows = asked.map((login) => ({
    place: login.place,
    login_digest: Buffer.from(login.loginDigest, 'latin1'),
  }));
  const found = await link.run(confirm, own.values(rows), until);
  return new Set(found.map(([place]) => place as Place));
}

/** The logins' verbs. */
export function loginVerbs(
  link: Link,
  epochs: Epochs,
): Pick<Store, 'startLogin' | 'findLogin' | 'advanceLogin' | 'revokeLogin'> {
  const read = batched<Place, ReturnType<typeof parts.read> | undefined>({
    link,
    answer: async (asked, until) => {
      const rows = await link.run(find, places.values(asked.map((place) => ({ place }))), until);
      const found = new Map(
        rows.map((row) => [row[epochLength], parts.read(row.slice(epochLength + 1) as Value[])]),
      );
      // The member is looked up next.
      if (rows[0] !== undefined) epochs.note(rows[0]);
      return asked.map((_, index) => found.get(index + 1));
    },
  });
  /** By the state that was found: what a change of it needs beside. */
  const kept = new WeakMap<Answer, KeptLogin>();
  const look = async (programme: ProgrammeId, place: Place): Promise<KeptLogin | undefined> => {
    const found = await read(place);
    if (found?.row.programme !== programme) return undefined;
    const login = keptLogin(found.row, found);
    kept.set(login.state, login);
    return login;
  };
  const start = batched<NewLogin & Required<Pick<NewLogin, 'era'>>, boolean>({
    link,
    rowOf: ({ place }) => String(place),
    answer: async (asked, until) => {
      let ours: ReadonlySet<Place> = new Set();
      const { result } = await untilKnown(until, async (isAgain) => {
        if (isAgain) ours = await confirmLogins(link, asked, until);
        const rows = asked.map((login) => loginRow(login, login.era));
        return link.run(insert, loginRows.values(rows), until);
      });
      const started = new Set(result.map(([place]) => place));
      return asked.map(({ place }) => started.has(place) || ours.has(place));
    },
  });
  const move = batched<Move, boolean | undefined>({
    link,
    rowOf: ({ place }) => String(place),
    answer: async (asked, until) => {
      const { result, wasUnknown } = await untilKnown(until, (isAgain) => {
        const rows = asked.map(({ place, programme, before, after, kept: login }) => {
          const columns = answerColumns(login, after);
          const was = stateOf(before);
          return {
            place,
            programme,
            before: was,
            again: isAgain ? columns.state : was,
            ...columns,
          };
        });
        return link.run(advance, moves.values(rows), until);
      });
      const moved = new Set(result.map(([n]) => Number(n) - 1));
      // Undefined: see `overtaken`.
      return asked.map((_, index) => moved.has(index) || (wasUnknown ? undefined : false));
    },
  });
  const end = batched<End, boolean>({
    link,
    rowOf: ({ place }) => String(place),
    answer: async (asked, until) => {
      const rows = asked.map(({ place, programme, now, kept: login }) => ({
        place,
        programme,
        ...revokedColumns(login, now),
      }));
      const { result } = await untilKnown(until, () => link.run(revoke, ends.values(rows), until));
      const ended = new Set(result.map(([n]) => Number(n) - 1));
      return asked.map((_, index) => ended.has(index));
    },
  });
  const revokeLogin: Store['revokeLogin'] = async (programme, place, now) => {
    const login = await look(programme, place);
    if (login === undefined || (await end({ programme, place, now, kept: login }))) return;
    // It was answered meanwhile, or is gone.
    await revokeLogin(programme, place, now);
  };
  return {
    startLogin: async (login) => {
      const era = login.era ?? (await epochs.current()).era;
      if (!(await start({ ...login, era }))) throw new PlaceTaken();
    },
    findLogin: async (...name) => (await look(...name))?.state,
    advanceLogin: async (programme, place, before, after) => {
      const login = kept.get(before) ?? (await look(programme, place));
      if (login === undefined) return false;
      const moved = await move({ programme, place, before, after, kept: login });
      if (moved === undefined) throw new Unavailable(overtaken);
      return moved;
    },
    revokeLogin,
  };
}

/**
 * After a lost commit the row says what somebody else has made of it since: whoever was told the lost
 * answer in a retry may have gone on. That is no reuse.
 */
const overtaken =
  'store: PostgreSQL: a change was lost, or overtaken while its outcome was not known';
