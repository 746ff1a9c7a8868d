// Owns the one row that says whether what a node remembers of registered things still stands, and in
// which era what it issues is.

import { present } from '../../lib/present.ts';
import type { Era } from '../../oauth/grant.ts';
import { acceptedIn } from '../accepted_time.ts';
import type { Life } from '../sql/db.ts';
import { batched } from './link/batch.ts';
import type { Link } from './link/link.ts';
import type { Found, Statement } from './link/statement.ts';

/** Columns of the row, for other statements to read along; their FROM needs `epoch`. */
export const epochColumns =
  'epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time';
export const epochLength = 5;

/** The row as of the last round. */
export interface Epochs {
  /** The row as of this turn, read at most once for all that ask in it. */
  readonly current: () => Promise<Life>;
  /** The row from the columns of another statement, which counts for the rest of this turn. */
  readonly note: (columns: readonly Found[]) => Life;
}

const read: Statement = {
  name: 'epoch',
  text: `SELECT ${epochColumns} FROM epoch`,
  isRead: true,
};

/** Milliseconds for which a row counts within its turn: a turn may be long, and a process may be stopped in it. */
const sameMoment = 1;

export function epochs(link: Link): Epochs {
  let seen: Life | undefined;
  /** By `performance.now`. */
  let seenAt = Number.NEGATIVE_INFINITY;
  let isOfThisTurn = false;
  const note = (columns: readonly Found[]): Life => {
    seen = epochOf(columns);
    seenAt = performance.now();
    if (!isOfThisTurn) {
      isOfThisTurn = true;
      setImmediate(() => {
        isOfThisTurn = false;
      });
    }
    return seen;
  };
  const ask = batched<undefined, Life>({
    link,
    answer: async (questions, until) => {
      const [row = []] = await link.run(read, [], until);
      const epoch = note(row);
      return questions.map(() => epoch);
    },
  });
  return {
    // A request that has just arrived may be told what the answer to another says: the row is then older
    // than the request by the way from the database and a moment.
    current: async () => {
      const isRecent = isOfThisTurn && performance.now() - seenAt < sameMoment;
      return isRecent && seen !== undefined ? seen : ask(undefined);
    },
    note,
  };
}

function epochOf(columns: readonly Found[]): Life {
  const [registrations, era, forgotten, acceptedEra, acceptedTime] = columns as number[];
  const accepted = acceptedIn(acceptedEra, acceptedTime, forgotten);
  return present({ registrations: registrations ?? 0, era: era as Era, accepted });
}
