// Owns a process that does to the keys of programmes what a command or the start of a server does, at
// once with others or until it is killed; key_races.test.ts starts it.

import { once } from 'node:events';
import { writeSync } from 'node:fs';

import { instant, type Instant, milliseconds } from '../../src/lib/clock.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import { removeKey, retireKeys, rotateKeys } from '../../src/server/keys/changes.ts';
import type { KeyLine } from '../../src/server/keys/lines.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { openKeyChest } from '../../src/token/key_chest.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { openTokenKeys } from '../../src/token/token_keys.ts';
import { at } from '../store/fixtures.ts';

/** What the process does: `force` removes the key that signs, as whoever fears it stolen does. */
export type Act = 'start' | 'rotate' | 'now' | 'retire' | 'force';

/** Programmes, one a round. */
export const rules = {
  kind: 'signing_key',
  algorithm: 'ES256',
  longestToken: milliseconds(60_000),
} as const satisfies KeyLine['rules'];
export const programmeOf = (round: number): ProgrammeId => `club-${round}` as ProgrammeId;

const keyring = createKeyring(new Uint8Array(32).fill(7));

/** Does it in each of so many programmes, at a second of the test's clock. */
export async function perform(
  path: string,
  act: Act,
  rounds: number,
  second: number,
): Promise<void> {
  const store = openFileStore({ path, environment: 'staging' });
  const now: Instant = at(second);
  for (let round = 0; round < rounds; round += 1) {
    const id = programmeOf(round);
    const programme = { id, rules };
    if (act === 'start') {
      const clock = { now: (): Instant => instant(now) };
      const options = { programme: id, records: store, keyring, clock };
      await openKeyChest({ ...options, rules });
      const { longestToken } = rules;
      const tokens = { kind: 'token_key', longestToken } as const;
      await openTokenKeys({ ...options, environment: 'staging', rules: tokens });
    } else if (act === 'retire') {
      await retireKeys(store, programme, now);
    } else if (act === 'force') {
      const [first] = await store.list('signing_key', id);
      if (first !== undefined) await removeKey(store, programme, first, now);
    } else {
      const wait = milliseconds(act === 'now' ? 0 : 600_000);
      await rotateKeys({ store, keyring }, programme, { wait }, now);
    }
  }
  await store.close();
}

if (process.argv[1] === import.meta.filename) {
  const [path = '', act = 'start', rounds = '1', second = '0'] = process.argv.slice(2);
  const told = once(process, 'message');
  if (process.send?.('ready') === true) await told;
  await perform(path, act as Act, Number(rounds), Number(second));
  writeSync(1, 'done\n');
  process.disconnect?.();
}
