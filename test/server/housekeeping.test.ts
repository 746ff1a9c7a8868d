// Tests of keys that change while a reload takes a programme up.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openService } from '../../src/engine/open_service.ts';
import type { Service } from '../../src/engine/service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { startHousekeeping } from '../../src/server/housekeeping.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { newSigningKey, renderKeySet } from '../../src/token/signing_keys.ts';
import { publicUrl, shippedProgramme } from '../support/jetway.ts';
import { until } from '../support/until.ts';

test('FAULTS 24: keys retired while a version is made ready end there, too', async (t) => {
  const store = openMemoryStore();
  const clock = systemClock();
  const keyring = createKeyring(new Uint8Array(32));
  const log = { error: (event: string): void => assert.fail(event) };
  const { loaded } = loadProgramme('second-club.yaml', shippedProgramme('second-club'));
  assert.ok(loaded);
  const programme = compileProgramme(loaded.id, loaded.definition, publicUrl);
  const open = (): Promise<Service> =>
    openService(programme, { store, clock, keyring, log, environment: 'staging' });
  const before = await open();
  let served: readonly Service[] = [before];
  const keepTime = async (): Promise<void> => undefined;
  t.after(startHousekeeping({ store, clock, log, keepTime, services: () => served }).stop);
  const next = await open();
  const made = await newSigningKey(programme.id, 'ES256', keyring, clock.now());
  const key = { ...made, signsFrom: clock.now() };
  await store.changeAll('signing_key', { programme: programme.id }, () => [key]);
  await until(() => kidsOf(before).includes(key.kid));
  assert.equal(kidsOf(next).includes(key.kid), false);
  served = [next];
  await until(() => kidsOf(next).includes(key.kid));
  assert.deepEqual(kidsOf(next), [key.kid]);
});

function kidsOf({ keys }: Service): readonly string[] {
  const { keys: all } = JSON.parse(renderKeySet(keys.flatMap((one) => one.jwks()))) as {
    readonly keys: readonly { readonly kid: string }[];
  };
  return all.map(({ kid }) => kid);
}
