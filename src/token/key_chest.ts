// Owns one programme's signing keys in a running server: which signs now, and which are published.

import type { Clock, Instant } from '../lib/clock.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { SigningAlgorithm, SigningKeyRecord } from '../oauth/signing_key.ts';
import { renderKeySet } from './jwks.ts';
import type { Keyring } from './keyring.ts';
import {
  newSigningKey,
  openSigningKey,
  openVerifyingKey,
  type SigningKey,
  type VerifyingKey,
} from './signing_keys.ts';

/** The part of the store that keeps signing keys. */
export interface SigningKeyRecords {
  listSigningKeys(programme: ProgrammeId): Promise<readonly SigningKeyRecord[]>;
  ensureSigningKey(
    programme: ProgrammeId,
    algorithm: SigningAlgorithm,
    candidate: SigningKeyRecord,
  ): Promise<SigningKeyRecord>;
}

/** A programme's keys, ready for use; `reload` follows changes in the store. */
export interface KeyChest {
  /** The key that signs at this moment. */
  readonly signer: (now: Instant) => SigningKey;
  /** The published key set, as JSON: keys that sign, will sign, or have signed what still lives. */
  readonly keySet: () => string;
  /** A published key by its exact name, whether it signs still or not (HOSTILE 36). */
  readonly verifier: (kid: string) => VerifyingKey | undefined;
  readonly reload: () => Promise<void>;
}

interface Opened {
  readonly key: SigningKey;
  readonly signsFrom: Instant;
}

export interface KeyChestOptions {
  readonly programme: ProgrammeId;
  readonly algorithm: SigningAlgorithm;
  readonly records: SigningKeyRecords;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

/** Opens the chest; makes the programme's first key of the algorithm where there is none. */
export async function openKeyChest(options: KeyChestOptions): Promise<KeyChest> {
  const { programme, algorithm, records, keyring, clock } = options;
  const present = await records.listSigningKeys(programme);
  if (!present.some((record) => record.algorithm === algorithm)) {
    const now = clock.now();
    const candidate = await newSigningKey(programme, algorithm, keyring, now);
    await records.ensureSigningKey(programme, algorithm, { ...candidate, signsFrom: now });
  }
  let keys: readonly Opened[] = [];
  let verifiers: ReadonlyMap<string, VerifyingKey> = new Map();
  let keySet = '';
  const reload = async (): Promise<void> => {
    const found = await records.listSigningKeys(programme);
    const opened = await openAll(found, algorithm, keyring);
    if (opened.length === 0) throw new Error(`${programme} has no ${algorithm} key left`);
    const published = await Promise.all(found.map(openVerifyingKey));
    keys = opened;
    verifiers = new Map(published.map((key) => [key.kid, key]));
    keySet = renderKeySet(found);
  };
  await reload();
  return {
    signer: (now) => signerAt(keys, now),
    keySet: () => keySet,
    verifier: (kid) => verifiers.get(kid),
    reload,
  };
}

async function openAll(
  records: readonly SigningKeyRecord[],
  algorithm: SigningAlgorithm,
  keyring: Keyring,
): Promise<readonly Opened[]> {
  const usable = records.filter((record) => record.algorithm === algorithm);
  const opened = await Promise.all(
    usable.map(async (record) => ({
      key: await openSigningKey(record, keyring),
      signsFrom: record.signsFrom ?? (Number.POSITIVE_INFINITY as Instant),
    })),
  );
  return opened.toSorted((one, other) => one.signsFrom - other.signsFrom);
}

/** The latest key whose time has come; the first of all if a clock is behind every one of them. */
function signerAt(keys: readonly Opened[], now: Instant): SigningKey {
  const current = keys.findLast(({ signsFrom }) => signsFrom <= now) ?? keys[0];
  if (current === undefined) throw new Error('a key chest is never empty');
  return current.key;
}
