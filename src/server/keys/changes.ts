// Owns changing a programme's keys of one kind. Each change is one transaction of the store: a killed
// command has changed everything or nothing, and two commands at once do not mix.

import type { Service } from '../../engine/service.ts';
import type { Instant } from '../../lib/clock.ts';
import type { KeyRecord } from '../../oauth/signing_key.ts';
import type { Store } from '../../store/contract.ts';
import { keyStates } from '../../token/key_line.ts';
import { shortestWait, tokenKeyRules, type TokenRules } from '../../token/key_rules.ts';
import {
  type Removed,
  removed,
  type Retired,
  retired,
  type Rotated,
  rotated,
  type RotationWish,
} from '../../token/key_steps.ts';
import { newSigningKey } from '../../token/signing_keys.ts';
import { freeNumber, newTokenKey } from '../../token/token_keys.ts';
import { failed } from '../exit.ts';
import type { OpenStore } from '../open_store.ts';
import { type KeyLine, signedWith } from './lines.ts';

/** If several commands rotate at once, only one adds a key. */
export async function rotateKeys(
  open: Pick<OpenStore, 'store' | 'keyring'>,
  line: KeyLine,
  wish: RotationWish,
  now: Instant,
): Promise<Rotated> {
  const { id, rules } = line;
  const seen = await open.store.list(rules.kind, id);
  const made = await newKey(open, line, seen, wish, now);
  return changeKeys(open.store, line, (keys) => rotated(keys, { rules, wish, now, made, seen }));
}

async function newKey(
  { keyring }: Pick<OpenStore, 'keyring'>,
  { id, rules }: KeyLine,
  seen: readonly KeyRecord[],
  wish: RotationWish,
  now: Instant,
): Promise<KeyRecord> {
  const algorithm = wish.algorithm ?? rules.algorithm;
  const { kind } = rules;
  if (algorithm !== undefined && kind !== 'token_key') {
    return newSigningKey(id, algorithm, keyring, now, kind);
  }
  const due = keyStates(seen, rules, now).find(({ status }) => status === 'due');
  const number = freeNumber(seen) ?? (due && Number(due.key.kid));
  const { longestToken } = rules;
  if (number !== undefined) {
    return newTokenKey({ programme: id, number, longestToken }, keyring, now);
  }
  throw failed(`${id}: all numbers of token keys are in use: wait until one of them is due`);
}

type Renewing = Pick<Service, 'tokenKeys' | 'store' | 'keyring' | 'clock'> & {
  readonly programme: TokenRules & Pick<Service['programme'], 'id'>;
};

/**
 * Adds the next token key of a programme if it is time for that. It removes none that are due, since
 * the clock may be wrong (FAULTS 11), except for their number where no other is free.
 */
export async function renewTokenKey({
  programme,
  tokenKeys,
  store,
  keyring,
  clock,
}: Renewing): Promise<void> {
  const now = clock.now();
  if (!tokenKeys.isOld(now)) return;
  const line = { id: programme.id, rules: tokenKeyRules(programme) };
  await rotateKeys({ store, keyring }, line, { wait: shortestWait }, now);
}

/** Removes keys that are due, and marks those of an algorithm that no server signs with. */
export async function retireKeys(store: Store, line: KeyLine, now: Instant): Promise<Retired> {
  const signed = (await store.nodes(now)).flatMap(
    ({ facts }) => signedWith(facts.programmes[line.id], line.rules.kind) ?? [],
  );
  return changeKeys(store, line, (keys) => retired(keys, line.rules, now, signed));
}

/** Removes one key, due or not, unless that is refused. */
export async function removeKey(
  store: Store,
  line: KeyLine,
  key: KeyRecord,
  now: Instant,
): Promise<Removed> {
  return changeKeys(store, line, (keys) => removed(keys, line.rules, key, now));
}

async function changeKeys<Outcome>(
  store: Store,
  { id, rules }: KeyLine,
  change: (keys: readonly KeyRecord[]) => {
    readonly after: readonly KeyRecord[];
    readonly outcome: Outcome;
  },
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  await store.changeAll(rules.kind, { programme: id }, (keys) => {
    const changed = change(keys);
    outcome = changed.outcome;
    return changed.after;
  });
  if (outcome === undefined) throw new Error('a store that resolves has run the change');
  return outcome;
}
