// Owns the keys of one programme that sign JWTs, in a running server: those of each kind, the signing key and
// the published ones.

import type { Clock, Instant } from '../lib/clock.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { SigningAlgorithm, SigningKeyRecord, SigningKind } from '../oauth/signing_key.ts';
import { lineOf, marked, signerAt, takenUp } from './key_line.ts';
import { changed, type KeyRecords, lastRead } from './key_records.ts';
import type { SigningRules } from './key_rules.ts';
import type { Keyring } from './keyring.ts';
import {
  newSigningKey,
  openSigningKey,
  openVerifyingKey,
  renderJwk,
  type SigningKey,
  type VerifyingKey,
} from './signing_keys.ts';

type Keys = readonly SigningKeyRecord[];

/** The public part of a programme's keys of one kind; `reload` reads changes from the store. */
export interface PublishedKeys {
  readonly kind: SigningKind;
  /** As they stand in the key set: keys that sign, will sign, or have signed tokens that still live. */
  readonly jwks: () => readonly string[];
  /** A published key by its exact name, also if it no longer signs (HOSTILE 36). */
  readonly verifier: (kid: string) => VerifyingKey | undefined;
  readonly reload: () => Promise<void>;
}

export interface KeyChest extends PublishedKeys {
  readonly signer: (now: Instant) => SigningKey;
}

interface Published {
  readonly jwks: readonly string[];
  readonly verifiers: ReadonlyMap<string, VerifyingKey>;
}

interface Opened extends Published {
  /** The keys of the algorithm, in the order in which they sign. */
  readonly line: readonly { readonly key: SigningKey; readonly signsFrom: Instant | undefined }[];
}

export interface KeyChestOptions {
  readonly programme: ProgrammeId;
  readonly rules: SigningRules & { readonly algorithm: SigningAlgorithm };
  readonly records: KeyRecords<SigningKind, SigningKeyRecord>;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

/**
 * Opens the programme's keys; makes the first key of the algorithm if there is none. Whenever they are
 * read, those that this server may sign with are taken up (`takenUp`).
 */
export async function openKeyChest(options: KeyChestOptions): Promise<KeyChest> {
  const { programme, rules, records, keyring, clock } = options;
  const { kind, algorithm, longestToken } = rules;
  const read = async (former: Opened | undefined): Promise<Opened> => {
    const stored = await records.list(kind, programme);
    let first: Keys = [];
    if (lineOf(stored, algorithm).length === 0) {
      // A key was there before: a command has removed it, which this server cannot mend.
      if (former !== undefined) throw new Error(`${programme} has no ${algorithm} key left`);
      const signsFrom = clock.now();
      const key = await newSigningKey(programme, algorithm, keyring, signsFrom, kind);
      first = [{ ...key, signsFrom, longestToken }];
    }
    const taken = await changed(records, kind, programme, stored, (keys) => {
      const isFirst = lineOf(keys, algorithm).length === 0;
      return takenUp(isFirst ? [...keys, ...first] : keys, rules, clock.now());
    });
    const line = lineOf(taken, algorithm).map((record) => ({
      key: openSigningKey(record, keyring, kind),
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
  return { signer, kind, ...publishedKeys(get), reload };
}

export interface FormerKeysOptions extends Pick<
  KeyChestOptions,
  'programme' | 'records' | 'clock'
> {
  readonly rules: SigningRules;
  /** Whether another server of the store, which has another file, signs by the keys still. */
  readonly signsElsewhere: () => boolean;
  /** Whether keys may come that sign once the programme's file says so (`key rotate`). */
  readonly awaitsKeys?: boolean;
}

/**
 * The keys of a programme that does not sign by them, or no longer; undefined where it has none and awaits
 * none. Once no server signs by them, the end of signing is marked.
 */
export async function openFormerKeys({
  programme,
  rules,
  records,
  clock,
  signsElsewhere,
  awaitsKeys = false,
}: FormerKeysOptions): Promise<PublishedKeys | undefined> {
  const { kind } = rules;
  let isEmpty = false;
  const read = async (): Promise<Published> => {
    const stored = await records.list(kind, programme);
    isEmpty = stored.length === 0;
    // One that has not begun waits for the file that it is made for.
    const hasSigned = ({ signsFrom }: SigningKeyRecord): boolean =>
      !awaitsKeys || signsFrom !== undefined;
    const end = (keys: Keys): Keys =>
      signsElsewhere() ? keys : marked(keys, rules, clock.now(), hasSigned);
    return publish(await changed(records, kind, programme, stored, end));
  };
  const { get, again: reload } = await lastRead(read);
  return isEmpty && !awaitsKeys ? undefined : { kind, ...publishedKeys(get), reload };
}

function publishedKeys(get: () => Published): Pick<PublishedKeys, 'jwks' | 'verifier'> {
  return { jwks: () => get().jwks, verifier: (kid) => get().verifiers.get(kid) };
}

async function publish(records: Keys): Promise<Published> {
  const keys = await Promise.all(records.map(openVerifyingKey));
  return {
    verifiers: new Map(keys.map((key) => [key.kid, key])),
    jwks: records.map(renderJwk),
  };
}
