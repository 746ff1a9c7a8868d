// Owns the token keys of one programme in a running server: which key makes a token, and which keys
// vouch for what they made.

import {
  after,
  allowedDrift,
  type Clock,
  instant,
  type Instant,
  type Milliseconds,
  milliseconds,
} from '../lib/clock.ts';
import { randomKey } from '../lib/random.ts';
import { seal, unseal } from '../lib/seal.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { KeyRecord, TokenKeyRecord } from '../oauth/signing_key.ts';
import { endOf, lineOf, takenUp } from './key_line.ts';
import { changed, type KeyRecords, lastRead } from './key_records.ts';
import type { KeyRules } from './key_rules.ts';
import type { Keyring } from './keyring.ts';
import { openSealingKey, type SealingKey } from './sealed/sealing_key.ts';

/** Tokens name their key in a byte. */
const numbers = 256;

/** A server adds the next key when the newest is this old: a stolen backup is of use that long. */
const longestUse = milliseconds(30 * 86_400_000);

interface NewTokenKey {
  readonly programme: ProgrammeId;
  readonly number: number;
  /** See `TokenKeyRecord`. */
  readonly longestToken: Milliseconds;
}

/** A key that begins at once; a rotation begins it later. */
export function newTokenKey(
  { programme, number, longestToken }: NewTokenKey,
  keyring: Keyring,
  now: Instant,
): TokenKeyRecord {
  const named = { programme, kid: String(number), createdAt: now };
  const sealedKey = seal(keyring.tokenKeySeal, randomKey(32), sealContext(named));
  return { ...named, sealedKey, signsFrom: now, longestToken };
}

/** The number for the next key: one that was given up longest ago; undefined if all are in use. */
export function freeNumber(keys: readonly KeyRecord[]): number | undefined {
  const newest = Number(lineOf(keys, undefined).at(-1)?.kid ?? -1);
  const taken = new Set(keys.map(({ kid }) => Number(kid)));
  return Array.from({ length: numbers }, (_, n) => (newest + 1 + n) % numbers).find(
    (number) => !taken.has(number),
  );
}

/** Binds a sealed key to its record: neither another nor an earlier key can be put in its place. */
function sealContext({
  programme,
  kid,
  createdAt,
}: Pick<TokenKeyRecord, 'programme' | 'kid' | 'createdAt'>): string {
  return `${programme} ${kid} ${createdAt}`;
}

type Keys = readonly TokenKeyRecord[];

/** Their list is the same object as long as nothing has changed. */
export type TokenKeyRecords = KeyRecords<'token_key', TokenKeyRecord>;

/** The keys as last read; numbers are those in tokens. */
export interface TokenKeys {
  /** The key of tokens issued at `now`; it vouches for them. */
  readonly signer: (now: Instant) => SealingKey;
  /**
   * The key of a number; undefined for an unknown number, and after a forced retirement. It is the
   * same object as long as its record lasts, so that it tells whether what was opened still holds.
   */
  readonly find: (number: number) => SealingKey | undefined;
  /**
   * Whether a key may have made a token then: from its own beginning until that of the next key. The
   * oldest has no beginning, since servers whose clock is behind all keys make tokens with it. Keys
   * that were retired by force do not count.
   */
  readonly vouches: (number: number, issuedAt: Instant) => boolean;
  /** No token of the key is valid from then on, whatever it says; undefined if that is not known yet. */
  readonly latestEnd: (number: number) => Instant | undefined;
  /** How long any token may still be good that was made while one of these keys was in use. */
  readonly longestToken: () => Milliseconds;
  /** The key for successors of refresh tokens, also after a forced retirement. */
  readonly next: (number: number) => SealingKey['next'] | undefined;
  /** Whether the next key is to be added. */
  readonly isOld: (now: Instant) => boolean;
  /** Reads the keys if any have changed; calls during a read wait for that read. */
  readonly reloadIfMoved: () => Promise<void>;
}

export interface TokenKeysOptions {
  readonly programme: ProgrammeId;
  readonly records: TokenKeyRecords;
  readonly keyring: Keyring;
  readonly environment: string;
  readonly clock: Clock;
  /** Among them how long after an answer this server needs its key (`tokenKeyRules`). */
  readonly rules: KeyRules;
}

interface Opened {
  readonly record: TokenKeyRecord;
  readonly key: SealingKey;
  /** The key vouches from then on, until the next that was not ended begins. */
  readonly opensAt: number;
  readonly closesAt: number;
  readonly endsAt: Instant | undefined;
}

interface Line {
  /** As they were read. */
  readonly stored: Keys;
  /** In the order in which they make tokens. */
  readonly keys: readonly Opened[];
  readonly byNumber: readonly (Opened | undefined)[];
}

/**
 * Opens the programme's keys; makes the first key if there is none. Whenever they are read, those with
 * which this server may make tokens are taken up: they last as long as its tokens.
 * @throws Error for a key that was sealed under another master key or for another record
 */
export async function openTokenKeys(options: TokenKeysOptions): Promise<TokenKeys> {
  const { programme, rules } = options;
  const { get, again } = await lastRead((former: Line | undefined) => readLine(options, former));
  let reading: Promise<void> | undefined;
  return {
    signer: (at) => {
      const signing = get().keys.findLast(
        ({ record, opensAt, closesAt }) =>
          record.ended === undefined && opensAt <= at && at < closesAt,
      );
      if (signing === undefined) throw new Error(`${programme} has no token key`);
      return signing.key;
    },
    find: (number) => {
      const opened = get().byNumber[number];
      return opened?.record.ended ? undefined : opened?.key;
    },
    vouches: (number, issuedAt) => {
      const opened = get().byNumber[number];
      if (opened === undefined || opened.record.ended) return false;
      return issuedAt >= opened.opensAt && issuedAt < opened.closesAt;
    },
    latestEnd: (number) => get().byNumber[number]?.endsAt,
    longestToken: () => {
      const all = get().keys.map(({ record }) => record.longestToken);
      return milliseconds(Math.max(rules.longestToken, ...all));
    },
    next: (number) => get().byNumber[number]?.key.next,
    isOld: (at) => {
      const newest = get().keys.at(-1);
      return newest !== undefined && after(newest.record.signsFrom, longestUse) <= at;
    },
    reloadIfMoved: () => {
      reading ??= again().finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
}

async function readLine(options: TokenKeysOptions, former: Line | undefined): Promise<Line> {
  const { programme, records, keyring, clock, rules } = options;
  const stored = await records.list('token_key', programme);
  if (stored === former?.stored) return former;
  const take = (keys: Keys): Keys => {
    if (keys.length > 0) return takenUp(keys, rules, clock.now());
    const now = clock.now();
    const { longestToken } = rules;
    const first = newTokenKey({ programme, number: 0, longestToken }, keyring, now);
    // Another server's clock may be behind.
    return [{ ...first, signsFrom: instant(now - allowedDrift) }];
  };
  const taken = await changed(records, 'token_key', programme, stored, take);
  if (taken !== stored) return readLine(options, former);
  const line = lineOf(stored, undefined);
  const live = line.filter(({ ended }) => ended === undefined);
  const byNumber: (Opened | undefined)[] = [];
  const keys = line.map((record): Opened => {
    const place = live.indexOf(record);
    const opened = {
      record,
      key: openRecord(record, options, former?.byNumber[Number(record.kid)]),
      opensAt: place === 0 ? -Infinity : record.signsFrom,
      closesAt: live[place + 1]?.signsFrom ?? Infinity,
      endsAt: endOf(line, record, rules),
    };
    byNumber[opened.key.number] = opened;
    return opened;
  });
  return { stored, keys, byNumber };
}

/** The key of a record; `known` is what was opened under its number before. */
function openRecord(
  record: TokenKeyRecord,
  { keyring, environment }: TokenKeysOptions,
  known: Opened | undefined,
): SealingKey {
  const { programme, kid, sealedKey, createdAt } = record;
  if (known?.record.sealedKey === sealedKey && known.record.createdAt === createdAt) {
    return known.key;
  }
  const secret = unseal(keyring.tokenKeySeal, sealedKey, sealContext(record));
  if (secret === undefined) {
    throw new Error(`the token key ${kid} of ${programme} was sealed under another master key`);
  }
  return openSealingKey(Number(kid), Buffer.from(secret, 'base64url'), environment, programme);
}
