// Owns logins: one row each, which a refresh changes and which holds no token.

import type { Instant } from '../../lib/clock.ts';
import { type Soon, soon } from '../../lib/pause.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { Unavailable } from '../../oauth/failure.ts';
import type { Answer, Place } from '../../oauth/grant.ts';
import type { Store } from '../contract.ts';
import { PlaceTaken } from '../grants.ts';
import type { Db } from '../sql/db.ts';
import {
  advanced,
  answerColumns,
  type KeptLogin,
  keptLogin,
  loginRow,
  revokedColumns,
} from '../sql/login_rows.ts';
import { from, partReader } from '../sql/parts.ts';
import { revocationJoins, revocationParts } from '../sql/revocations.ts';
import { stateOf } from '../sql/state.ts';
import { insertText, type Statement, statement } from '../sql/statement.ts';
import { withSum } from '../sql/table.ts';
import { logins } from '../sql/tables.ts';

const { columns } = logins;
const parts = partReader({ row: from(logins, 'login'), ...revocationParts });

const find = statement(
  'find_login',
  columns,
  `SELECT ${parts.columns} FROM login ${revocationJoins('login')} WHERE login.place = :place`,
);

export const startLogin = statement(
  'start_login',
  columns,
  insertText(logins, 'ON CONFLICT (place) DO NOTHING'),
  { row: ['place'] },
);
/**
 * The row that an earlier run has made is written again as it is by now, since it may be revoked meanwhile: this
 * commit waits for the standbys, too.
 */
const startLoginAgain = statement(
  'start_login_again',
  columns,
  insertText(
    logins,
    `ON CONFLICT (place) DO UPDATE SET sum = login.sum
      WHERE login.login_digest = excluded.login_digest`,
  ),
  { row: ['place'] },
);

/** Writes the row of a login as it is, for the same reason. */
export const confirmLogin = statement(
  'confirm_login',
  columns,
  `UPDATE login SET sum = login.sum
    WHERE login.place = :place AND login.login_digest = :login_digest`,
  { row: ['place'] },
);

const advance: Statement = statement(
  'advance_login',
  columns,
  // `again` is the answer itself, where an earlier run of the statement may have written it: no two
  // answers are alike, since each has a nonce.
  `UPDATE login SET state = :state, own_scope = :own_scope, sum = :sum
    WHERE place = :place AND programme = :programme AND revoked_at IS NULL
      AND login.state IN (:before, :again)`,
  { row: ['place'], types: { before: 'blob', again: 'blob' } },
);

/** @param isFound SQL of whether the row is the one that was found */
function revocation(name: string, isFound: string) {
  const unlessRevoked = (column: string): string =>
    `${column} = CASE WHEN revoked_at IS NULL THEN :${column} ELSE ${column} END`;
  return statement(
    name,
    columns,
    // A row that is revoked already is written again: what was revoked on this server alone reaches its
    // standbys before this is acknowledged.
    `UPDATE login SET revoked_at = coalesce(revoked_at, :revoked_at), ${unlessRevoked('own_scope')},
        ${unlessRevoked('state')}, ${unlessRevoked('sum')}
      WHERE place = :place AND programme = :programme AND ${isFound}`,
    { row: ['place'], isUrgent: true },
  );
}

const revoke = revocation('revoke_login', '(revoked_at IS NOT NULL OR login.state = :state)');
/**
 * Whatever answer it has had since: that one is dead with the login, and no client can refresh so fast that
 * its login stays. The row tells an earlier answer from then on.
 */
const revokeAnyway = revocation('revoke_login_anyway', 'login.login_digest = :login_digest');

/** The most logins held, about 15 MB; others are read again. As many as opened tokens are remembered. */
const mostHeld = 20_000;

export type RevokeLogin = (programme: ProgrammeId, place: Place, now: Instant) => Promise<void>;

interface LoginVerbs extends Pick<Store, 'startLogin' | 'findLogin' | 'advanceLogin'> {
  readonly revokeLogin: RevokeLogin;
  /** The row of that place was removed. */
  readonly forgetLogin: (place: Place) => void;
}

export function loginVerbs(db: Db): LoginVerbs {
  const rows = db.reader(
    find,
    (read) => {
      const found = parts.read(read);
      return keptLogin(found.row, found);
    },
    { nameOf: ({ place }) => place as Place, most: mostHeld },
  );
  const [start, move] = [db.writer(startLogin, startLoginAgain), db.writer(advance)];
  const end = db.writer(revoke);
  /** One after another, until one has found the login. */
  const ends = [end, end, db.writer(revokeAnyway)];
  /** By the state that was found: what a change of it needs beside, where no row is held. */
  const kept = new WeakMap<Answer, KeptLogin>();
  const look = (programme: ProgrammeId, place: Place): Soon<KeptLogin | undefined> =>
    soon(rows.find({ place }), (login) => {
      if (login?.login.programme !== programme) return undefined;
      if (rows.last(place) === undefined) kept.set(login.state, login);
      return login;
    });
  const known = (place: Place, before: Answer): KeptLogin | undefined => {
    const last = rows.last(place);
    return last?.state === before ? last : kept.get(before);
  };
  const revokeLogin: RevokeLogin = async (programme, place, now) => {
    for (const revoked of ends) {
      const login = await look(programme, place);
      if (login === undefined) return;
      const values = { programme, place, ...revokedColumns(login, now) };
      if ((await revoked(values, { settled: () => rows.forget(place) })) === true) return;
      // It was answered meanwhile, or is gone.
    }
  };
  return {
    startLogin: async (login) => {
      const isStarted = await start((era) => withSum(logins, loginRow(login, login.era ?? era)));
      if (isStarted !== true) throw new PlaceTaken();
    },
    findLogin: (programme, place) => soon(look(programme, place), (login) => login?.state),
    advanceLogin: async (programme, place, before, after) => {
      const login = known(place, before) ?? (await look(programme, place));
      if (login === undefined) return false;
      const was = stateOf(before);
      const values = { programme, place, before: was, again: was, ...answerColumns(login, after) };
      const moved = await move(values, {
        again: () => ({ ...values, again: values.state }),
        settled: () => rows.replace(place, login, advanced(login, after)),
      });
      if (moved === undefined) throw new Unavailable(overtaken);
      return moved;
    },
    revokeLogin,
    forgetLogin: rows.forget,
  };
}

/**
 * After a lost commit the row says what somebody else has made of it since: whoever was told the lost
 * answer in a retry may have gone on. That is no reuse.
 */
const overtaken = 'store: a change was lost, or overtaken while its outcome was not known';
