// Owns the era of the file store, which revocations compare instead of a time (docs/decisions/024).

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import { randomBytes } from '../../lib/random.ts';
import type { Era } from '../../oauth/grant.ts';
import { type AcceptedTime, firstEra } from '../judgement.ts';
import type { Freshness } from './commits/freshness.ts';

export interface Eras {
  /** The era of new codes and tokens. */
  readonly current: () => Era;
  /** Ends the current era and returns it; call it inside a write. */
  readonly end: () => Era;
  /** Revocations of JWTs that ended up to this instant may have been removed. */
  readonly forgotten: () => Instant;
  /** Notes that the revocation of a JWT with this end is removed; call it inside a write. */
  readonly forget: (expiresAt: Instant) => void;
  /** The last time that a clock was accepted; absent where none was. */
  readonly accepted: () => AcceptedTime | undefined;
  /** The same, if another process did so since this one last accepted or followed one. */
  readonly acceptedElsewhere: () => AcceptedTime | undefined;
  /** Ends the current era with a time that was accepted; call it inside a write. */
  readonly accept: (time: Instant) => void;
  /** Notes that this process follows the accepted time. */
  readonly follow: () => void;
}

interface Found {
  readonly epoch: number;
  readonly era: Era;
  readonly forgotten: Instant;
  readonly accepted?: AcceptedTime;
}

/** Eras over the file. They are read again only after another connection has committed. */
export function fileEras(database: DatabaseSync, fresh: Freshness): Eras {
  const rows = eraRows(database);
  let found: Found | undefined;
  let followed = rows.read().accepted?.era;
  const look = (): Found => {
    const { epoch } = fresh;
    if (found?.epoch !== epoch) found = { epoch, ...rows.read() };
    return found;
  };
  const end = (): Era => {
    const { era } = rows.read();
    rows.put('era', era + 1);
    fresh.forget();
    return era;
  };
  return {
    current: () => look().era,
    end,
    forgotten: () => look().forgotten,
    forget: (expiresAt) => {
      if (expiresAt <= rows.read().forgotten) return;
      rows.put('forgotten_until', expiresAt);
      fresh.forget();
    },
    accepted: () => look().accepted,
    acceptedElsewhere: () => {
      const { accepted } = look();
      return accepted?.era === followed ? undefined : accepted;
    },
    accept: (time) => {
      followed = end();
      rows.put('accepted_time', time);
      rows.put('accepted_era', followed);
      fresh.forget();
    },
    follow: () => {
      followed = rows.read().accepted?.era;
    },
  };
}

interface EraRows {
  readonly read: () => Omit<Found, 'epoch'>;
  readonly put: (name: string, value: number) => void;
}

function eraRows(database: DatabaseSync): EraRows {
  const select = database.prepare(
    `SELECT name, CAST(value AS INTEGER) AS value FROM meta
     WHERE name IN ('era', 'forgotten_until', 'accepted_era', 'accepted_time')`,
  );
  const replace = database.prepare('REPLACE INTO meta (name, value) VALUES (?, ?)');
  return {
    read: () => {
      const rows = select.all() as unknown as { name: string; value: number }[];
      const held = new Map(rows.map(({ name, value }) => [name, value]));
      const [era, time] = [held.get('accepted_era'), held.get('accepted_time')];
      return {
        era: (held.get('era') ?? firstEra) as Era,
        forgotten: (held.get('forgotten_until') ?? 0) as Instant,
        ...(era === undefined || time === undefined
          ? {}
          : { accepted: { era: era as Era, time: time as Instant } }),
      };
    },
    put: (name, value) => void replace.run(name, String(value)),
  };
}

/** More eras than a store has between a backup and its restore. */
const manyEras = 2 ** 20;

/**
 * Ends every era that this file or `other` has had, and every era that the lost store may have had after
 * this backup. The random part separates two restores of one backup: a store refuses a token of an era
 * later than its own. Returns the last ended era; call it inside a write.
 */
export function endAllEras(database: DatabaseSync, other: Era = firstEra): Era {
  const rows = eraRows(database);
  const far = manyEras + randomBytes(4).readUInt32BE();
  const ended = (Math.max(rows.read().era, other) + far) as Era;
  rows.put('era', ended + 1);
  return ended;
}

/** The era of a file that no server uses. */
export function eraIn(database: DatabaseSync): Era {
  return eraRows(database).read().era;
}
