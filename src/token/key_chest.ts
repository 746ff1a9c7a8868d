// Owns the signing keys of one programme in a running server: the signing key and published keys.

import type { Clock, Instant } from '../lib/clock.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { SigningAlgorithm, SigningKeyRecord } from '../oauth/signing_key.ts';
import { givenUp, isReadyToSign, readyToSign } from './key_steps.ts';
import type { Keyring } from './keyring.ts';
import {
  newSigningKey,
  openSigningKey,
  openVerifyingKey,
  renderKeySet,
  type SigningKey,
  type VerifyingKey,
} from './signing_keys.ts';

export interface SigningKeyRecords {
  list(kind: 'signing_key', programme: ProgrammeId): Promise<readonly SigningKeyRecord[]>;
  changeAll(
    kind: 'signing_key',
    selection: { readonly programme: ProgrammeId },
    change: (keys: readonly SigningKeyRecord[]) => readonly SigningKeyRecord[],
  ): Promise<readonly SigningKeyRecord[]>;
}

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

/** Opens the programme's keys; makes the first key of the algorithm if there is none. */
export async function openKeyChest(options: KeyChestOptions): Promise<KeyChest> {
  const { programme, algorithm, records, keyring, clock } = options;
  const present = await records.list('signing_key', programme);
  if (!isReadyToSign(present, algorithm)) {
    const now = clock.now();
    const made = { ...(await newSigningKey(programme, algorithm, keyring, now)), signsFrom: now };
    await records.changeAll('signing_key', { programme }, (keys) => readyToSign(keys, made));
  }
  let keys: readonly Opened[] = [];
  const shown = await publication(present);
  const reload = async (): Promise<void> => {
    const found = await records.list('signing_key', programme);
    const opened = openAll(found, algorithm, keyring);
    if (opened.length === 0) throw new Error(`${programme} has no ${algorithm} key left`);
    await shown.show(found);
    keys = opened;
  };
  await reload();
  const { keySet, verifier } = shown;
  return { signer: (now) => signerAt(keys, now), keySet, verifier, reload };
}

export interface FormerKeysOptions extends Pick<KeyChestOptions, 'programme' | 'records'> {
  /** When the last token of a key has expired by which nobody signs any more. */
  readonly end: () => Instant;
  /** Whether another server of the store, which has another file, signs by the keys still. */
  readonly signsElsewhere: () => boolean;
}

/** The keys of a programme that no longer signs; they are given up once no server signs by them. */
export async function openFormerKeys({
  programme,
  records,
  end,
  signsElsewhere,
}: FormerKeysOptions): Promise<PublishedKeys | undefined> {
  const read = async (): Promise<readonly SigningKeyRecord[]> => {
    const present = await records.list('signing_key', programme);
    const isUsed = present.some(({ retiresAt }) => retiresAt === undefined);
    if (!isUsed || signsElsewhere()) return present;
    return records.changeAll('signing_key', { programme }, (keys) => givenUp(keys, end()));
  };
  const found = await read();
  if (found.length === 0) return undefined;
  const { keySet, verifier, show } = await publication(found);
  return { keySet, verifier, reload: async () => show(await read()) };
}

interface Publication extends Omit<PublishedKeys, 'reload'> {
  readonly show: (records: readonly SigningKeyRecord[]) => Promise<void>;
}

async function publication(records: readonly SigningKeyRecord[]): Promise<Publication> {
  let verifiers: ReadonlyMap<string, VerifyingKey> = new Map();
  let keySet = '';
  const show = async (shown: readonly SigningKeyRecord[]): Promise<void> => {
    const keys = await Promise.all(shown.map(openVerifyingKey));
    verifiers = new Map(keys.map((key) => [key.kid, key]));
    keySet = renderKeySet(shown);
  };
  await show(records);
  return { keySet: () => keySet, verifier: (kid) => verifiers.get(kid), show };
}

function openAll(
  records: readonly SigningKeyRecord[],
  algorithm: SigningAlgorithm,
  keyring: Keyring,
): readonly Opened[] {
  return records
    .filter((record) => record.algorithm === algorithm)
    .map((record) => ({
      key: openSigningKey(record, keyring),
      signsFrom: record.signsFrom ?? (Number.POSITIVE_INFINITY as Instant),
    }))
    .toSorted((one, other) => one.signsFrom - other.signsFrom);
}

/** The latest key whose time has come; the first key if the clock is behind all of them. */
function signerAt(keys: readonly Opened[], now: Instant): SigningKey {
  const current = keys.findLast(({ signsFrom }) => signsFrom <= now) ?? keys[0];
  if (current === undefined) throw new Error('a key chest is never empty');
  return current.key;
}
