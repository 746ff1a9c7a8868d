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
import { lineOf } from './key_rotation.ts';
import { lastingFor } from './key_steps.ts';
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

export interface TokenKeyRecords {
  list(kind: 'token_key', programme: ProgrammeId): Promise<readonly TokenKeyRecord[]>;
  changeAll(
    kind: 'token_key',
    selection: { readonly programme: ProgrammeId },
    change: (keys: readonly TokenKeyRecord[]) => readonly TokenKeyRecord[],
  ): Promise<readonly TokenKeyRecord[]>;
  epoch(kind: 'token_key'): Promise<number>;
}

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
  /** How long after an answer this server needs its key (`tokenKeyRules`). */
  readonly longestToken: Milliseconds;
}

interface Opened {
  readonly record: TokenKeyRecord;
  readonly key: SealingKey;
  /** The key vouches from then on, until the next begins. */
  readonly opensAt: number;
  readonly closesAt: number;
}

/**
 * Opens the programme's keys; makes the first key if there is none. Whenever they are read, those with
 * which this server may make tokens are made to last as long as its tokens.
 * @throws Error for a key that was sealed under another master key or for another record
 */
export async function openTokenKeys(options: TokenKeysOptions): Promise<TokenKeys> {
  const { programme, records, keyring, clock, longestToken } = options;
  const present = await records.list('token_key', programme);
  if (present.length === 0) {
    const now = clock.now();
    // Another server's clock may be behind.
    const signsFrom = instant(now - allowedDrift);
    const made = newTokenKey({ programme, number: 0, longestToken }, keyring, now);
    const first = { ...made, signsFrom };
    await records.changeAll('token_key', { programme }, (keys) =>
      keys.length > 0 ? keys : [first],
    );
  }
  let line: readonly Opened[] = [];
  const byNumber: (Opened | undefined)[] = [];
  let epoch: number | undefined;
  const open = (keys: readonly TokenKeyRecord[]): void => {
    const all = lineOf(keys, undefined);
    const live = all.filter(({ ended }) => ended === undefined);
    line = all.map((record) => {
      const place = live.indexOf(record);
      return {
        record,
        key: openRecord(record, options, byNumber[Number(record.kid)]),
        opensAt: place === 0 ? -Infinity : record.signsFrom,
        closesAt: live[place + 1]?.signsFrom ?? Infinity,
      };
    });
    byNumber.fill(undefined);
    for (const opened of line) byNumber[opened.key.number] = opened;
  };
  const read = async (): Promise<void> => {
    const found = await records.epoch('token_key');
    if (found === epoch) return;
    const keys = await records.list('token_key', programme);
    open(keys);
    const lasting = (all: readonly TokenKeyRecord[]): readonly TokenKeyRecord[] =>
      lastingFor(all, longestToken, clock.now());
    if (lasting(keys).some((key) => !keys.includes(key))) {
      open(await records.changeAll('token_key', { programme }, lasting));
    }
    epoch = found;
  };
  let reading: Promise<void> | undefined;
  const reloadIfMoved = (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  await reloadIfMoved();
  return {
    signer: (at) => {
      const signing = line.findLast(
        ({ record, opensAt, closesAt }) =>
          record.ended === undefined && opensAt <= at && at < closesAt,
      );
      if (signing === undefined) throw new Error(`${programme} has no token key`);
      return signing.key;
    },
    find: (number) => {
      const opened = byNumber[number];
      return opened?.record.ended ? undefined : opened?.key;
    },
    vouches: (number, issuedAt) => {
      const opened = byNumber[number];
      if (opened === undefined || opened.record.ended) return false;
      return issuedAt >= opened.opensAt && issuedAt < opened.closesAt;
    },
    latestEnd: (number) => byNumber[number]?.record.retiresAt,
    longestToken: () =>
      milliseconds(Math.max(longestToken, ...line.map(({ record }) => record.longestToken))),
    next: (number) => byNumber[number]?.key.next,
    isOld: (at) => {
      const newest = line.at(-1);
      return newest !== undefined && after(newest.record.signsFrom, longestUse) <= at;
    },
    reloadIfMoved,
  };
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
