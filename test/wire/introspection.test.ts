// Owns introspection (RFC 7662) while the store is away; who may ask of what is in introspection.transcript.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Unavailable } from '../../src/oauth/failure.ts';
import { openClub, programme, refused, tokensOfLogin } from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { addGateway, introspect } from '../support/gateway.ts';

test('G-22: when the store is away nothing is called inactive', async (t) => {
  const failing = failingStore();
  const over = 'introspection: { path: /introspect }';
  const club = await openClub(t, { over, store: failing.store });
  const gateway = await addGateway(club, programme);
  const { access_token: token } = await tokensOfLogin(club);
  const away = refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });
  for (const verb of ['find gateway', 'findLogin', 'isStanding', 'find client'] as const) {
    failing.fail(verb, new Unavailable('the disk is gone'));
    assert.deepEqual(await introspect(club, programme, gateway, token), away, verb);
    failing.heal();
  }
});
