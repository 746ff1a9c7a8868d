// Owns the signing keys of one programme in a running server: the signing key and published keys.

import type { Clock, Instant } from '../lib/clock.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { SigningAlgorithm, SigningKeyRecord } from '../oauth/signing_key.ts';
import { lineOf, marked, signerAt, takenUp } from './key_line.ts';
import { changed, type KeyRecords, lastRead } from './key_records.ts';
import type { KeyRules } from './key_rules.ts';
import type { Keyring } from './keyring.ts';
import {
  newSigningKey,
  openSigningKey,
  openVerifyingKey,
  renderKeySet,
  type SigningKey,
  type VerifyingKey,
} from './signing_keys.ts';

type Keys = readonly SigningKeyRecord[];

/** The public part of a programme's keys; `reload` reads changes from the store. */
export interface PublishedKeys {
  /** The key set as JSON: keys that sign, will sign, or have signed tokens that still live. */
  readonly keySet: () => string;
  /** A published key by its exact name, also if it no longer signs (HOSTILE 36). */
  readonly verifier: (kid: string) => VerifyingKey | undefined;
  readonly reload: () => Promise<void>;
}

export interface KeyChest extends PublishedKeys {
  readonly signer: (now: Instant) => SigningKey;
}

interface Published {
  readonly keySet: string;
  readonly verifiers: ReadonlyMap<string, VerifyingKey>;
}

interface Opened extends Published {
  /** The keys of the algorithm, in the order in which they sign. */
  readonly line: readonly { readonly key: SigningKey; readonly signsFrom: Instant | undefined }[];
}

export interface KeyChestOptions {
  readonly programme: ProgrammeId;
  readonly rules: KeyRules & { readonly algorithm: SigningAlgorithm };
  readonly records: KeyRecords<'signing_key', SigningKeyRecord>;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

/**
 * Opens the programme's keys; makes the first key of the algorithm if there is none. Whenever they are
 * read, those that this server may sign with are taken up (`takenUp`).
 */
export async function openKeyChest(options: KeyChestOptions): Promise<KeyChest> {
  const { programme, rules, records, keyring, clock } = options;
  const { algorithm, longestToken } = rules;
  const read = async (former: Opened | undefined): Promise<Opened> => {
    const stored = await records.list('signing_key', programme);
    let first: Keys = [];
    if (lineOf(stored, algorithm).length === 0) {
      // A key was there before: a command has removed it, which this server cannot mend.
      if (former !== undefined) throw new Error(`${programme} has no ${algorithm} key left`);
      const signsFrom = clock.now();
      const key = await newSigningKey(programme, algorithm, keyring, signsFrom);
      first = [{ ...key, signsFrom, longestToken }];
    }
    const taken = await changed(records, 'signing_key', programme, stored, (keys) => {
      const isFirst = lineOf(keys, algorithm).length === 0;
      return takenUp(isFirst ? [...keys, ...first] : keys, rules, clock.now());
    });
    const line = lineOf(taken, algorithm).map((record) => ({
      key: openSigningKey(record, keyring),
      signsFrom: record.signsFrom,
    }));
    return { ...(await publish(taken)), line };
  };
  const { get, again: reload } = await lastRead(read);
  const signer = (now: Instant): SigningKey => {
    const current = signerAt(get().line, now);
    if (current === undefined) throw new Error('a key chest is never empty');
    return current.key;
  };
  return { signer, ...publishedKeys(get), reload };
}

export interface FormerKeysOptions extends Pick<
  KeyChestOptions,
  'programme' | 'records' | 'clock'
> {
  readonly rules: KeyRules;
  /** Whether another server of the store, which has another file, signs by the keys still. */
  readonly signsElsewhere: () => boolean;
}

/**
 * The keys of a programme that no longer signs; undefined where it has none. Once no server signs by
 * them, the end of signing is marked.
 */
export async function openFormerKeys({
  programme,
  rules,
  records,
  clock,
  signsElsewhere,
}: FormerKeysOptions): Promise<PublishedKeys | undefined> {
  let isEmpty = false;
  const read = async (): Promise<Published> => {
    const stored = await records.list('signing_key', programme);
    isEmpty = stored.length === 0;
    const end = (keys: Keys): Keys =>
      signsElsewhere() ? keys : marked(keys, rules, clock.now(), () => true);
    return publish(await changed(records, 'signing_key', programme, stored, end));
  };
  const { get, again: reload } = await lastRead(read);
  return isEmpty ? undefined : { ...publishedKeys(get), reload };
}

function publishedKeys(get: () => Published): Pick<PublishedKeys, 'keySet' | 'verifier'> {
  return { keySet: () => get().keySet, verifier: (kid) => get().verifiers.get(kid) };
}

async function publish(records: Keys): Promise<Published> {
  const keys = await Promise.all(records.map(openVerifyingKey));
  return {
    verifiers: new Map(keys.map((key) => [key.kid, key])),
    keySet: renderKeySet(records),
  };
}
