// Owns counting events in windows in PostgreSQL: one count for all nodes, in a table that is not logged.

import { BoundedMap } from '../../lib/bounded_map.ts';
import { closeClocks, type Instant } from '../../lib/clock.ts';
import type { ProgrammeId, ThrottleLimit } from '../../oauth/client.ts';
import { Unavailable } from '../../oauth/failure.ts';
import type { Counters, WindowCounter } from '../counters.ts';
import { endingAt } from '../sql/ends.ts';
import { insertText, statement } from '../sql/statement.ts';
import { integer, plainTable, text } from '../sql/table.ts';
import { countInProcess, mostWindows, outcomeOf, takenBack, Windows } from '../windows.ts';
import { batched } from './link/batch.ts';
import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';
import { createTable } from './tables.ts';
import { arraysOf, textsOf } from './texts.ts';

const key = ['counter', 'programme', 'key'] as const;

const throttle = plainTable(
  'throttle',
  { key },
  {
    counter: text<WindowCounter>(),
    programme: text<ProgrammeId>(),
    key: text(),
    used: integer(),
    began_at: integer<Instant>(),
    ends_at: integer<Instant>(),
  },
);

export const endedThrottles = endingAt(throttle, 'throttle.ends_at');

/**
 * Not logged: a commit that changes no other table waits for neither disk nor standby. After a crash or
 * failover the table is empty, and windows begin anew.
 */
export const throttleTable: string = createTable(throttle).replace('CREATE', 'CREATE UNLOGGED');

// As if the window had had the length of the limit from its start (HOSTILE 81).
const end = 'LEAST(throttle.ends_at, throttle.began_at + excluded.ends_at - excluded.began_at)';
const isOpen = `${end} > excluded.began_at`;

/** Its texts return the row as it is counted. */
const count = statement(
  'count_throttle',
  throttle.columns,
  // A window that would outlast a new one still began before a jump of the clock: it ends when a new one
  // would.
  insertText(
    throttle,
    `ON CONFLICT (${key.join(', ')}) DO UPDATE SET
      used = CASE WHEN ${isOpen} THEN throttle.used ELSE 0 END + excluded.used,
      began_at = CASE WHEN ${isOpen} THEN throttle.began_at ELSE excluded.began_at END,
      ends_at = CASE WHEN ${isOpen} AND ${end} <= excluded.ends_at + ${closeClocks}
        THEN ${end} ELSE excluded.ends_at END`,
  ),
  { row: [...key, 'used', 'ends_at'] },
);
const putCounts: Statement = textsOf(count).many;

// `used` may be past the limit: refused events are in it, which nobody gives back. A window that began
// after the event has not counted it.
const takeBack: Statement = {
  name: 'take_back_throttle',
  text: `UPDATE throttle SET used = GREATEST(0, LEAST(used, $4::bigint) - 1)
    WHERE counter = $1 AND programme = $2 AND key = $3 AND began_at <= $5::bigint`,
  isRead: false,
};

interface Counted {
  readonly counter: WindowCounter;
  readonly programme: ProgrammeId;
  readonly key: string;
}

interface Window {
  readonly used: number;
  readonly endsAt: number;
}

/** Events of one key that are counted by one statement. */
interface Group extends Counted {
  readonly limit: ThrottleLimit;
  readonly now: Instant;
  events: number;
}

interface UsedUp extends Window {
  readonly limit: ThrottleLimit;
  /** When the database is asked again. */
  readonly until: number;
}

/**
 * For how many milliseconds a node takes a used-up window for used up: another node may give back what
 * logins under way have reserved.
 */
const believed: Readonly<Record<WindowCounter, number>> = {
  token_request: Infinity,
  failed_login: 1000,
  failed_secret: Infinity,
  failed_key: Infinity,
};

/** Used-up windows that a node remembers: what comes in them costs no round. */
const mostUsedUp = 50_000;

/**
 * The verb `count`. Where the database does not answer, events are counted in the process:
 * the requests that they belong to are refused all the same, or need no database. So are those of more
 * windows than a node may open in the table: strangers can have any number of addresses (HOSTILE 83).
 */
export function countTogether(link: Link, most = mostWindows): Counters['count'] {
  const alone = countInProcess();
  const opened = new Map<string, Windows>();
  const usedUp = new BoundedMap<string, UsedUp>(mostUsedUp);
  const groups = new Map<string, readonly [Group, Promise<Window | undefined>]>();
  const write = batched<Group, Window | undefined>({
    link,
    rowOf: nameOf,
    answer: async (asked, until) => {
      // Later events of these keys are the next statement's.
      for (const group of asked) groups.delete(nameOf(group));
      const values = asked.map(({ counter, programme, key: name, events, limit, now }) => ({
        counter,
        programme,
        key: name,
        used: events,
        began_at: now,
        ends_at: now + limit.window,
      }));
      const rows = await link.run(putCounts, arraysOf(count, values), until);
      const found = new Map(
        rows.map(([counter, programme, name, used, endsAt]) => [
          nameOf({ counter, programme, key: name } as Counted),
          windowOf(used, endsAt),
        ]),
      );
      return asked.map((group) => found.get(nameOf(group)));
    },
  });

  const add = async (event: Counted, limit: ThrottleLimit, now: Instant) => {
    const name = nameOf(event);
    let [group, written] = groups.get(name) ?? [];
    if (group === undefined || written === undefined || !isSame(group.limit, limit)) {
      group = { ...event, limit, now, events: 0 };
      written = write(group);
      groups.set(name, [group, written]);
      // Too many wait: of this group no statement is made that would take it away.
      written.catch(() => groups.delete(name));
    }
    group.events += 1;
    const place = group.events;
    const window = await written;
    // Under another spelling: halves of surrogate pairs are another character in the table.
    if (window === undefined) throw new Unavailable('store: a count was not told');
    return { ...window, used: window.used - group.events + place };
  };

  return async (counter, programme, name, limit, now, by = 1) => {
    const event = { counter, programme, key: name };
    const full = nameOf(event);
    const group = `${counter}\0${programme}`;
    if (by < 0) {
      // What the table has not counted, this process has.
      if (opened.get(group)?.has(name) !== true) {
        return alone(counter, programme, name, limit, now, by);
      }
      usedUp.delete(full);
      const values = [counter, programme, name, limit.limit, now];
      await link.run(takeBack, values).catch(() => undefined);
      return takenBack;
    }
    const known = usedUp.get(full);
    if (known !== undefined && isSame(known.limit, limit) && isUsedUp(known, limit, now)) {
      return outcomeOf(false, known, limit, now);
    }
    const open = opened.get(group) ?? new Windows(most[counter]);
    opened.set(group, open);
    if (!open.admit(name, limit, now)) return alone(counter, programme, name, limit, now);
    let window: Window;
    try {
      window = await add(event, limit, now);
    } catch {
      return alone(counter, programme, name, limit, now);
    }
    if (now >= window.endsAt) window = { used: 1, endsAt: now + limit.window };
    if (window.used >= limit.limit) {
      usedUp.set(full, { ...window, limit, until: now + believed[counter] });
    }
    // The event itself is in `used` by now.
    return outcomeOf(window.used <= limit.limit, window, limit, now);
  };
}

function nameOf({ counter, programme, key: name }: Counted): string {
  return `${counter}\0${programme}\0${name}`;
}

function windowOf(used: unknown, endsAt: unknown): Window {
  return { used: Number(used), endsAt: Number(endsAt) };
}

function isSame(one: ThrottleLimit, other: ThrottleLimit): boolean {
  return one.limit === other.limit && one.window === other.window;
}

/** A window that would outlast a new one is to be shortened by the database first. */
function isUsedUp(
  { endsAt, until }: UsedUp,
  { window: span }: ThrottleLimit,
  now: Instant,
): boolean {
  return now < endsAt && now < until && endsAt - now <= span + closeClocks;
}
