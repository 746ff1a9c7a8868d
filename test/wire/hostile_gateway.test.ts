// What a transcript (gateways.transcript) cannot say of the endpoints that gateways and APIs rely on: two environments
// (C-3), and forged tokens (HOSTILE 36).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { given, giveApiKey, inactive, introspect, revoke, verify } from '../support/gateway.ts';
import { good, openSites, refused, standing } from '../support/spoken_club.ts';
import { forgeries } from './forgeries.ts';

test('C-3 HOSTILE 33: nothing of one environment is worth anything in the other', async (t) => {
  const [here] = await openSites(t, ['partner']);
  // Same programme, same public address, same partner: but a store and a master key of its own.
  const [there] = await openSites(t, ['partner'], { masterKey: new Uint8Array(32).fill(9) });
  assert.ok(here && there);
  const apiKey = await giveApiKey(here.jetway, here.base, here.client.id);
  const { access, refresh, code } = await here.login();
  assert.equal(await standing(here, access), good);
  assert.equal(await standing(there, access), refused);
  assert.equal((await verify(there.jetway, there.base, 'none', { apiKey })).status, 401);
  const { basic } = there.client;
  for (const token of [access, refresh]) {
    assert.deepEqual(await introspect(there.jetway, there.base, basic, token), inactive);
    assert.deepEqual(await revoke(there.jetway, there.base, basic, token), given);
  }
  assert.equal((await there.redeem(code)).status, 400);
  assert.equal(await standing(here, access), good);
  assert.equal((await verify(here.jetway, here.base, 'none', { apiKey })).status, 200);
});

test('HOSTILE 36: a forged JWT is invalid at verification, inactive, and revokes nothing in the name of a good one', async (t) => {
  for (const site of await openSites(t, ['jwt', 'partner'])) {
    const { jetway, base, client, gateway, name } = site;
    const { access, refresh } = await site.login();
    const forged = await forgeries({ ...jetway, programme: site.programme }, access);
    assert.ok(forged.size > 25);
    const invalid = await verify(jetway, base, 'member', { token: 'unknown' });
    // Asked twice, with the good one between: no forgery spoils what is remembered of it.
    for (const [what, token] of [...forged, ...forged]) {
      assert.deepEqual(await verify(jetway, base, 'member', { token }), invalid, what);
      if (what === 'no kid') assert.equal(await standing(site, access), good, name);
    }
    for (const [what, text] of forged) {
      for (const asker of [gateway, client.basic]) {
        assert.deepEqual(await introspect(jetway, base, asker, text), inactive, what);
      }
      assert.deepEqual(await revoke(jetway, base, client.basic, text), given, what);
    }
    assert.equal(await standing(site, access), good, name);
    assert.equal((await site.refresh(refresh)).status, 200, name);
    assert.deepEqual(jetway.events, []);
  }
});
