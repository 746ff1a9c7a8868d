// Owns the recorded time, and accepting a time after the clock was wrong: all of it or nothing, on every
// backend.

import { isDeepStrictEqual } from 'node:util';

import type { Instant } from '../../lib/clock.ts';
import type { Era } from '../../oauth/grant.ts';
import { placeAfter } from '../../oauth/place.ts';
import type { Keeping, StoreTime } from '../keeping.ts';
import { floorAfterSetBack } from '../kept_texts.ts';
import { type Kind, type KindDescription, kindNames, kinds } from '../kinds.ts';
import type { Db, Life, Values } from '../sql/db.ts';
import { digitsOf, floorRow, isMarkAfter, putFloor, rowSetBack } from '../sql/kept_rows.ts';
import { setBackLogin } from '../sql/login_rows.ts';
import { from, partReader } from '../sql/parts.ts';
import { ofEverybody, putRevocation } from '../sql/revocations.ts';
import { statement } from '../sql/statement.ts';
import { withSum } from '../sql/table.ts';
import { codes, keptTexts, logins, registered, secretUses } from '../sql/tables.ts';
import { changeItem, everywhere, itemRow } from './item_rows.ts';
import { untilDone } from './tries.ts';

/** The recorded time as a backend keeps it. */
export interface RecordedTime {
  readonly read: () => Promise<Omit<StoreTime, 'acceptedElsewhere'>>;
  /**
   * Records a time, at once or with a commit that comes anyway; not where another time was accepted than that
   * of the era `followed`.
   */
  readonly note: (now: Instant, followed: Era | undefined) => Promise<void>;
  /** Forgets what was noted. With a time, goes on at that: call it inside the commit that accepts it. */
  readonly startAnew: (at?: Instant) => void;
}

export interface TimeParts {
  readonly time: RecordedTime;
  /** The era of the accepted time when the store was opened. */
  readonly followed: Era | undefined;
  /** Sets back the uses of secrets that are not written yet. */
  readonly setBackUses: (now: Instant) => void;
}

export interface TimeVerbs extends Pick<Keeping, 'time' | 'acceptTime'> {
  /** The era of the accepted time that this process goes by. */
  readonly life: () => Era | undefined;
}

const dropCodes = statement(
  'drop_codes',
  codes.columns,
  'DELETE FROM code WHERE code.issued_at > :issued_at',
);

// Those of earlier eras began before the time was accepted, and are redated.
const dropLogins = statement(
  'drop_logins',
  logins.columns,
  'DELETE FROM login WHERE login.place >= :place AND login.era > :era',
);

const dropForgotten = statement(
  'drop_forgotten',
  logins.columns,
  'DELETE FROM login WHERE login.ends_at <= :ends_at',
);

const redate = statement(
  'redate_login',
  logins.columns,
  // One that was answered meanwhile is read again.
  `UPDATE login SET ends_at = :ends_at, state = :state, sum = :sum
    WHERE login.place = :place AND login.state = :before`,
  { types: { before: 'blob' } },
);

// They are counted by the wrong clock. Windows begin anew.
const dropAttempts = statement(
  'drop_attempts',
  {},
  'DELETE FROM login_attempt WHERE :time IS NOT NULL',
  { types: { time: 'integer' } },
);

const lowerUses = statement(
  'lower_uses',
  secretUses.columns,
  'UPDATE secret_use SET used_at = :used_at WHERE secret_use.used_at > :used_at',
);

const changeMark = statement(
  'change_mark',
  keptTexts.columns,
  // Not of a token that came since.
  `UPDATE kept_text SET mark = :mark, sum = :sum
    WHERE kept_text.programme = :programme AND kept_text.use = :use AND kept_text.key = :key
      AND kept_text.kept = :kept`,
);

const steps = {
  dropCodes,
  dropLogins,
  dropForgotten,
  redate,
  dropAttempts,
  lowerUses,
  putFloor,
  changeMark,
  changeItem,
  putRevocation,
} as const;

/** The rows of some steps. */
type Rows = { readonly [Name in keyof typeof steps]?: readonly Values[] };

const mark = partReader({ row: from(keptTexts, 'kept_text') });
const findMarks = statement(
  'find_marks_ahead',
  {},
  `SELECT ${mark.columns} FROM kept_text WHERE ${isMarkAfter(':digits')}`,
  { types: { digits: 'text' } },
);

const login = partReader({ row: from(logins, 'login') });
const findLater = statement(
  'find_later_logins',
  logins.columns,
  `SELECT ${login.columns} FROM login
    WHERE login.place >= :place AND login.era > :after AND login.era <= :era`,
  { types: { after: 'integer' } },
);

/** Milliseconds within which servers that follow an accepted time may have recorded it already. */
const recordedEvery = 5000;
/** Milliseconds by which the clocks of two servers that accept one time may differ: uptimes are coarse. */
const coarseness = 1000;
const changedFaster = 'registrations are changed faster than a time can be accepted';
const answeredFaster = 'logins are answered faster than a time can be accepted';

export function timeVerbs(db: Db, { time, followed: opened, setBackUses }: TimeParts): TimeVerbs {
  let followed = opened;
  const edit = db.editor('time', Object.values(steps));
  const items = everywhere(db);
  const marks = db.bulkReader(findMarks, (rows) => rows.map((row) => mark.read(row).row));
  const laterLogins = db.bulkReader(findLater, (rows) => rows.map((row) => login.read(row).row));

  /** Writes rows that are worked out from a life of the store, if that has not changed meanwhile. */
  const write = (
    work: (life: Life, forgotten: Instant) => Promise<Rows>,
    accepted?: Instant,
  ): Promise<Life> =>
    untilDone(changedFaster, async () => {
      // Before anything is read: what changes later than this is noticed.
      const [life, forgotten] = [await db.life(), await db.forgotten()];
      const rows = await work(life, forgotten);
      const options = {
        endsEra: accepted !== undefined,
        isUrgent: true,
        isRepeatable: true,
        settled: () => time.startAnew(accepted),
        ...(accepted === undefined ? {} : { accepts: { time: accepted, forgotten } }),
      };
      const names = Object.keys(steps) as (keyof typeof steps)[];
      const values = names.map((name) => rows[name] ?? []);
      return (await edit(life, options, values)) ? life : undefined;
    });

  /**
   * Logins that a clock ahead began since a time was accepted last, as they are once `now` is; without those that
   * end already as `done` says.
   */
  const redated = async (
    now: Instant,
    { era, accepted }: Life,
    done: ReadonlyMap<unknown, unknown> = new Map(),
  ): Promise<readonly Values[]> => {
    const [found = []] = await laterLogins([
      { place: placeAfter(now), after: accepted?.era ?? 0, era },
    ]);
    const left = found.filter(({ place, ends_at }) => done.get(place) !== ends_at);
    return left.map((row) => setBackLogin(row, now)).filter((row) => row !== undefined);
  };

  const marksSetBack = async (now: Instant): Promise<readonly Values[]> => {
    const [found = []] = await marks([{ digits: digitsOf(now) }]);
    return found.map((row) => withSum(keptTexts, rowSetBack(row, now)));
  };

  /** The items of all kinds that are others after a clock was set back. */
  const itemsSetBack = async (now: Instant, before: Instant): Promise<readonly Values[]> => {
    const changed: Values[] = [];
    for (const kind of kindNames) {
      const { setBack } = kinds[kind] as KindDescription<Kind>;
      for (const item of setBack === undefined ? [] : await items(kind)) {
        const after = setBack?.(item, now, before) ?? item;
        if (isDeepStrictEqual(after, item)) continue;
        changed.push(withSum(registered, itemRow(kind, after as never)));
      }
    }
    return changed;
  };

  const accept = async (now: Instant): Promise<void> => {
    const before = await time.read();
    const recorded = before.current ?? before.recorded ?? now;
    const isAhead = now < recorded;
    const redatedTo = new Map<unknown, unknown>();
    const ended = await write(async (life, forgotten) => {
      const { accepted } = life;
      const begun = await redated(now, life);
      redatedTo.clear();
      for (const { place, ends_at } of begun) redatedTo.set(place, ends_at);
      return {
        dropCodes: [{ issued_at: now }],
        // Of these a revocation may have been removed.
        dropForgotten: forgotten > now ? [{ ends_at: forgotten }] : [],
        redate: begun.filter(({ was_to_end }) => Number(was_to_end) > forgotten),
        dropAttempts: isAhead ? [{ time: now }] : [],
        lowerUses: [{ used_at: now }],
        putFloor: isAhead ? [withSum(keptTexts, floorRow(floorAfterSetBack(now, recorded)))] : [],
        changeMark: await marksSetBack(now),
        changeItem: await itemsSetBack(now, recorded),
        // Only one such mark is kept: a former one that still counts takes all of its tokens along.
        putRevocation:
          accepted !== undefined && accepted.forgotten > now ? [ofEverybody(accepted.era)] : [],
      };
    }, now);
    // What was answered while they were read.
    await untilDone(answeredFaster, async () => {
      const left = await redated(now, ended, redatedTo);
      if (left.length === 0) return true;
      await write(async () => ({ redate: left }));
      for (const { place, ends_at } of left) redatedTo.set(place, ends_at);
      return undefined;
    });
  };

  const follow = async (now: Instant): Promise<void> => {
    // Servers that follow already have gone on, and recorded it, since the time was accepted.
    const { recorded = now } = await time.read();
    const later = (Math.max(now, recorded + recordedEvery) + coarseness) as Instant;
    await write(async ({ accepted }) => ({
      dropCodes: [{ issued_at: later }],
      dropLogins: [{ place: placeAfter(later), era: accepted?.era ?? 0 }],
      lowerUses: [{ used_at: now }],
    }));
  };

  return {
    life: () => followed,
    time: async (now) => {
      if (now !== undefined) await time.note(now, followed);
      const { accepted } = await db.life();
      const acceptedElsewhere = accepted?.era === followed ? undefined : accepted?.time;
      return { ...(await time.read()), acceptedElsewhere };
    },
    acceptTime: async (now, acceptedBy) => {
      // First: uses that wait may be written meanwhile.
      setBackUses(now);
      await (acceptedBy === 'another_process' ? follow(now) : accept(now));
      followed = (await db.life()).accepted?.era;
      time.startAnew();
    },
  };
}
