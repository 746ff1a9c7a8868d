// Tests of which programme is served where two want one path.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemClock } from '../../../src/lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../../src/oauth/client.ts';
import { compileProgramme } from '../../../src/programme/programme.ts';
import { loadProgramme } from '../../../src/rules/load.ts';
import { serveAll } from '../../../src/server/programmes/serving.ts';
import { openMemoryStore } from '../../../src/store/sqlite/store.ts';
import { createKeyring } from '../../../src/token/keyring.ts';
import { publicUrl, shippedProgramme } from '../../support/jetway.ts';

test('C-2: a copied file with the old path does not take the place of the programme in use', async () => {
  const text = shippedProgramme('executive-club');
  const programmes = ['a-copy', 'executive-club'].map((id) => {
    const { loaded } = loadProgramme(`${id}.yaml`, text);
    assert.ok(loaded);
    return { programme: compileProgramme(loaded.id, loaded.definition, publicUrl) };
  });
  const store = openMemoryStore();
  const clock = systemClock();
  await store.add('client', [
    {
      programme: 'executive-club' as ProgrammeId,
      id: 'partnerapi-12345' as ClientId,
      name: 'Partner',
      roles: ['partner'],
      redirectUris: [],
      secrets: [],
      apiKeys: [],
      properties: {},
      status: 'active',
      createdAt: clock.now(),
    },
  ]);
  const keyring = createKeyring(new Uint8Array(32));
  const { serving, plan } = await serveAll(programmes, {
    store,
    clock,
    keyring,
    log: { error: () => {} },
    environment: 'staging',
  });
  assert.deepEqual([...serving.served.keys()], ['executive-club']);
  assert.deepEqual(
    plan.outcomes.map(({ programme, outcome }) => [programme, outcome]),
    [
      ['a-copy', 'refused'],
      ['executive-club', 'added'],
    ],
  );
});
