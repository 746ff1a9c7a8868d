// What a token is worth at verification, introspection and revocation once its client, its member, its
// login or the clock it came from is no longer what it was (C-4).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ClientId } from '../../src/oauth/client.ts';
import type { Subject } from '../../src/oauth/member.ts';
import { given, giveApiKey, inactive, introspect, revoke, verify } from '../support/gateway.ts';
import { good, openSharedSites, openSites, refused, standing } from '../support/spoken_club.ts';
import { ask, post } from '../support/wire.ts';

test('FAULTS 11: what a clock issued that was ten years ahead is no good once it is set right', async (t) => {
  const decade = 10 * 366 * 86_400;
  for (const site of await openSites(t, ['opaque', 'jwt'])) {
    const { jetway, base, client, gateway, name } = site;
    const own = async (): Promise<string> => {
      const fields = { grant_type: 'client_credentials' };
      const headers = { authorization: client.basic };
      const { body } = await post(jetway.url, `/${base}/api/grant`, fields, headers);
      return (JSON.parse(body) as { readonly access_token: string }).access_token;
    };
    const status = async (token: string) =>
      (await verify(jetway, base, 'client', { token })).status;
    jetway.clock.advance(decade);
    const [{ access }, token] = [await site.login(), await own()];
    assert.deepEqual([await standing(site, access), await status(token)], [good, 200], name);
    jetway.clock.advance(-decade);
    assert.deepEqual([await standing(site, access), await status(token)], [refused, 401], name);
    assert.deepEqual(await introspect(jetway, base, gateway, token), inactive, name);
    // Servers need not agree to the second.
    jetway.clock.advance(60);
    const ahead = await own();
    jetway.clock.advance(-60);
    assert.equal(await status(ahead), 200, name);
    jetway.clock.advance(-2);
    assert.equal(await status(ahead), 401, name);
    jetway.clock.advance(2);
  }
});

test('C-4: tokens of a client or a member that was disabled, or of a login that ended, are no good', async (t) => {
  for (const site of await openSites(t)) {
    const { jetway, base, programme, client, name } = site;
    const { store } = jetway;
    const { access, refresh } = await site.login();
    const setClient = (status: 'active' | 'disabled') =>
      store.change('client', programme, client.id as ClientId, (before) => ({ ...before, status }));
    const setMember = (status: 'active' | 'disabled') =>
      store.change('member', programme, 'subject-of-ann' as Subject, (before) => ({
        ...before,
        status,
      }));
    assert.equal(await standing(site, access), good, name);
    await setClient('disabled');
    assert.equal(await standing(site, access), refused, name);
    assert.equal((await introspect(jetway, base, client.basic, access)).status, 401, name);
    assert.equal((await revoke(jetway, base, client.basic, refresh)).status, 401, name);
    await setClient('active');
    assert.equal(await standing(site, access), good, name);

    await setMember('disabled');
    assert.equal(await standing(site, access), refused, name);
    for (const token of [access, refresh]) {
      assert.deepEqual(await introspect(jetway, base, client.basic, token), inactive, name);
    }
    // What is given up meanwhile stays given up.
    assert.deepEqual(await revoke(jetway, base, client.basic, access), given, name);
    await setMember('active');
    assert.equal(await standing(site, access), refused, name);

    const other = await site.login();
    assert.equal(await standing(site, other.access), good, name);
    assert.deepEqual(await revoke(jetway, base, client.basic, other.refresh), given, name);
    assert.equal(await standing(site, other.access), refused, name);

    const last = await site.login();
    await store.remove('member', programme, 'subject-of-ann' as Subject, jetway.clock.now());
    assert.equal(await standing(site, last.access), refused, name);
  }
});

test('C-2: clubs on one base path have gateways’ endpoints of their own, and none in common', async (t) => {
  const [one, other] = await openSharedSites(t);
  const { url } = one.jetway;
  for (const [site, stranger] of [
    [one, other],
    [other, one],
  ] as const) {
    const { jetway, base, client } = site;
    const apiKey = await giveApiKey(jetway, site.programme, client.id, `key of ${base}`);
    const { access, refresh } = await site.login();
    assert.equal(await standing(site, access), good);
    assert.equal(await standing(stranger, access), refused);
    assert.equal((await verify(jetway, base, 'none', { apiKey })).status, 200);
    assert.equal((await verify(jetway, stranger.base, 'none', { apiKey })).status, 401);
    assert.deepEqual(await revoke(jetway, stranger.base, stranger.client.basic, refresh), given);
    assert.equal(await standing(site, access), good);
    const found = await ask(url, `/.well-known/oauth-authorization-server/${base}`);
    const metadata = JSON.parse(found.body) as Readonly<Record<string, string>>;
    assert.equal(metadata['issuer'], `https://tokens.example/${base}`);
    assert.equal(metadata['introspection_endpoint'], `https://tokens.example/${base}/introspect`);
    // What names no club is nobody's, whichever club the request says it is for.
    const headers = { authorization: `Bearer ${access}`, 'programme-identifier': 'SecondClub' };
    for (const path of ['verify/member', 'verify/none', '.well-known/jwks.json']) {
      assert.equal((await ask(url, `/clubs/${path}`, { headers })).status, 404, path);
    }
    for (const path of ['introspect', 'revoke']) {
      const { status } = await post(url, `/clubs/${path}`, { token: access }, headers);
      assert.equal(status, 404, path);
    }
    assert.deepEqual(await revoke(jetway, base, client.basic, refresh), given);
    assert.equal(await standing(site, access), refused);
  }
});
