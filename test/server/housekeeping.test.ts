// Tests of keys that change while a reload takes a programme up.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openService } from '../../src/engine/open_service.ts';
import type { Service } from '../../src/engine/service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { startHousekeeping } from '../../src/server/housekeeping.ts';
import { rotateKeys } from '../../src/server/keys/changes.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { identityKeyRules, shortestWait } from '../../src/token/key_rules.ts';
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

test('FAULTS 24: a server follows a command for keys of identity tokens, its first one too', async (t) => {
  const store = openMemoryStore();
  const clock = systemClock();
  const keyring = createKeyring(new Uint8Array(32));
  const log = { error: (event: string): void => assert.fail(event) };
  const over = 'id_token: {}\ntoken_response: { fields: { id_token: id_token } }';
  const { loaded } = loadProgramme('executive-club.yaml', shippedProgramme('executive-club', over));
  assert.ok(loaded);
  const programme = compileProgramme(loaded.id, loaded.definition, publicUrl);
  const options = { store, clock, keyring, log, environment: 'staging' } as const;
  const service = await openService(programme, options);
  const keepTime = async (): Promise<void> => undefined;
  t.after(startHousekeeping({ store, clock, log, keepTime, services: () => [service] }).stop);
  const line = { id: programme.id, rules: identityKeyRules(programme) };
  const wish = { wait: shortestWait, algorithm: 'RS256' } as const;
  const { key } = await rotateKeys({ store, keyring }, line, wish, clock.now());
  await until(() => kidsOf(service).includes(key.kid));
  assert.equal(kidsOf(service).length, 2);
  assert.deepEqual(await store.list('identity_key', programme.id), [key]);
});

function kidsOf({ keys }: Service): readonly string[] {
  const { keys: all } = JSON.parse(renderKeySet(keys.flatMap((one) => one.jwks()))) as {
    readonly keys: readonly { readonly kid: string }[];
  };
  return all.map(({ kid }) => kid);
}
