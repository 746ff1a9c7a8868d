// Owns the era of the file store, which revocations compare instead of a time (docs/decisions/024).

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { Era } from '../../oauth/grant.ts';
import { type AcceptedTime, acceptedIn } from '../accepted_time.ts';
import { firstEra } from '../judgement.ts';
import type { Life } from '../sql/db.ts';
import type { Freshness } from './commits/freshness.ts';
import { type Meta, metaOf } from './meta.ts';

export interface Eras {
  /** Notes that registered things have changed; call it inside a write. */
  readonly edited: () => void;
  readonly life: () => Life;
  /** The era of new codes and tokens. */
  readonly current: () => Era;
  /** Ends the current era and returns it; call it inside a write. */
  readonly end: () => Era;
  /** Revocations of tokens up to this instant may have been removed since a time was accepted last. */
  readonly forgotten: () => Instant;
  /** Notes that a revocation that was kept until then is removed; call it inside a write. */
  readonly forget: (until: Instant) => void;
  /** The last time that a clock was accepted; absent where none was. */
  readonly accepted: () => AcceptedTime | undefined;
  /** Ends the current era with a time that was accepted; call it inside a write. */
  readonly accept: (time: Instant) => void;
}

interface Found extends Life {
  readonly epoch: number;
}

/** Eras over the file. They are read again only after another connection has committed. */
export function fileEras(database: DatabaseSync, fresh: Freshness): Eras {
  const meta = metaOf(database);
  let found: Found | undefined;
  const look = (): Found => {
    const { epoch } = fresh;
    if (found?.epoch !== epoch) found = { epoch, ...readEras(meta) };
    return found;
  };
  const end = (): Era => {
    const era = eraOf(meta);
    meta.put('era', era + 1);
    fresh.forget();
    return era;
  };
  return {
    life: look,
    edited: () => {
      meta.put('registrations', registrationsOf(meta) + 1);
      fresh.forget();
    },
    current: () => look().era,
    end,
    forgotten: () => forgottenSince(meta),
    forget: (until) => {
      if (until > forgottenSince(meta)) meta.put('forgotten_since', until);
    },
    accepted: () => look().accepted,
    accept: (time) => {
      meta.put('accepted_era', end());
      meta.put('accepted_time', time);
      meta.put('forgotten_until', forgottenSince(meta));
      meta.put('forgotten_since', 0);
      fresh.forget();
    },
  };
}

function readEras(meta: Meta): Omit<Found, 'epoch'> {
  const accepted = fileAccepted(meta);
  const registrations = registrationsOf(meta);
  return { registrations, era: eraOf(meta), ...(accepted === undefined ? {} : { accepted }) };
}

function registrationsOf(meta: Meta): number {
  return meta.number('registrations') ?? 1;
}

/** The last time that was accepted, with what had been forgotten before it. */
function fileAccepted(meta: Meta): AcceptedTime | undefined {
  const [era, time] = [meta.number('accepted_era'), meta.number('accepted_time')];
  return acceptedIn(era, time, meta.number('forgotten_until'));
}

function forgottenSince(meta: Meta): Instant {
  return (meta.number('forgotten_since') ?? 0) as Instant;
}

/** The era of what is issued now; the caller remembers nothing. */
function eraOf(meta: Meta): Era {
  return (meta.number('era') ?? firstEra) as Era;
}
