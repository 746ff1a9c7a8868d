// Owns logins in the file store: one row each, which a refresh changes and which holds no token.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { LoginState, Place } from '../../oauth/grant.ts';
import type { Store } from '../contract.ts';
import { type NewLogin, PlaceTaken } from '../grants.ts';
import {
  advanced,
  answerColumns,
  type KeptLogin,
  keptLogin,
  loginRow,
  revokedColumns,
} from '../sql/login_rows.ts';
import { from } from '../sql/parts.ts';
import { revocationJoins, revocationParts } from '../sql/revocations.ts';
import { stateOf } from '../sql/state.ts';
import { logins } from '../sql/tables.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { type Freshness, Remembered } from './commits/freshness.ts';
import type { Eras } from './eras.ts';
import { finder, inserter } from './tables.ts';

/** Rows of logins; call `start`, `advance` and `revoke` inside a write alone. */
export interface LoginRows {
  readonly find: (programme: ProgrammeId, place: Place) => LoginState | undefined;
  /** @throws PlaceTaken */
  readonly start: (login: NewLogin) => void;
  readonly advance: (...call: Parameters<Store['advanceLogin']>) => boolean;
  readonly revoke: (programme: ProgrammeId, place: Place, now: Instant) => void;
  /** The row of that place was removed. */
  readonly forget: (place: Place) => void;
}

/** The most logins held, about 15 MB; others are read again. As many as opened tokens are remembered. */
const mostHeld = 20_000;

export function loginRows(database: DatabaseSync, fresh: Freshness, eras: Eras): LoginRows {
  const findRow = finder(
    database,
    { row: from(logins, 'login'), ...revocationParts },
    `FROM login ${revocationJoins('login')} WHERE login.place = ?`,
  );
  const insert = inserter(database, logins, 'ON CONFLICT DO NOTHING');
  const update = database.prepare(
    `UPDATE login SET state = ?, own_scope = ?, sum = ?
     WHERE place = ? AND programme = ? AND state = ? AND revoked_at IS NULL`,
  );
  const revoke = database.prepare(
    'UPDATE login SET revoked_at = ?, sum = ? WHERE place = ? AND revoked_at IS NULL',
  );
  const held = new Remembered<KeptLogin, Place>(fresh, mostHeld);
  const look = (programme: ProgrammeId, place: Place): KeptLogin | undefined => {
    const kept = held.get(place, () => {
      const found = findRow(place);
      return found && keptLogin(found.row, found);
    });
    return kept?.login.programme === programme ? kept : undefined;
  };
  return {
    find: (...name) => look(...name)?.state,
    start: (login) => {
      if (insert(loginRow(login, login.era ?? eras.current())) === 0) throw new PlaceTaken();
    },
    advance: (programme, place, before, answer) => {
      const found = look(programme, place);
      if (found === undefined) return false;
      const { own_scope: ownScope, state, sum } = answerColumns(found, answer);
      const { changes } = update.run(state, ownScope, sum, place, programme, stateOf(before));
      if (changes === 1) held.note(place, advanced(found, answer));
      return changes === 1;
    },
    revoke: (programme, place, now) => {
      const found = look(programme, place);
      if (found === undefined) return;
      const { revoked_at, sum } = revokedColumns(found, now);
      revoke.run(revoked_at, sum, place);
      held.take(place);
    },
    forget: (place) => void held.take(place),
  };
}

/** The logins' verbs. */
export function fileLogins(
  queue: CommitQueue,
  rows: LoginRows,
): Pick<Store, 'startLogin' | 'findLogin' | 'advanceLogin' | 'revokeLogin'> {
  return {
    startLogin: (login) => queue.write(() => rows.start(login)),
    findLogin: (...name) => queue.read(() => rows.find(...name)),
    advanceLogin: (...call) => queue.write(() => rows.advance(...call)),
    revokeLogin: (...call) => queue.writeFromReserve(() => rows.revoke(...call)),
  };
}
