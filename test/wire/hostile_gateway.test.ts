// HOSTILE 25 and 33 to 37 at the endpoints that gateways and APIs rely on: verification, introspection,
// revocation, metadata and key sets, of every dialect, side by side.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Subject } from '../../src/oauth/member.ts';
import { findMember } from '../store/fixtures.ts';
import { tokensIn } from '../support/club.ts';
import { given, giveApiKey, inactive, introspect, revoke, verify } from '../support/gateway.ts';
import {
  good,
  openSites,
  refused,
  type Site,
  siteNames,
  standing,
} from '../support/spoken_club.ts';
import { ask, post } from '../support/wire.ts';
import { forgeries } from './forgeries.ts';

for (const seconds of [1, 30]) {
  test(`HOSTILE 25: a code replayed at ${seconds} s ends its tokens at every endpoint`, async (t) => {
    for (const site of await openSites(t)) {
      const { jetway, base, client, name } = site;
      const [replayed, other] = [await site.login(), await site.login()];
      // Asked about before, so that what is remembered of it is of no use.
      assert.equal(await standing(site, replayed.access), good, name);
      jetway.clock.advance(seconds);
      assert.equal((await site.redeem(replayed.code)).status, 400, name);
      assert.equal(await standing(site, replayed.access), refused, name);
      const told = await introspect(jetway, base, client.basic, replayed.refresh);
      assert.deepEqual(told, inactive, name);
      // It is no error to revoke what is dead, and brings nothing back.
      for (const token of [replayed.access, replayed.refresh]) {
        assert.deepEqual(await revoke(jetway, base, client.basic, token), given, name);
      }
      assert.equal((await site.refresh(replayed.refresh)).status, 400, name);
      assert.equal(await standing(site, replayed.access), refused, name);
      assert.equal(await standing(site, other.access), good, name);
    }
  });
}

test('C-2 HOSTILE 33: nothing of one programme is worth anything at the endpoints of another', async (t) => {
  const sites = await openSites(t);
  const issued = new Map<Site, Record<'code' | 'access' | 'refresh' | 'apiKey', string>>();
  for (const site of sites) {
    const { access, refresh } = await site.login();
    const code = await site.code();
    const key = `jw_staging_${site.base}`;
    const apiKey = await giveApiKey(site.jetway, site.base, site.client.id, key);
    issued.set(site, { code, access, refresh, apiKey });
  }
  let pairs = 0;
  for (const [theirs, { code, access, refresh, apiKey }] of issued) {
    for (const site of sites) {
      if (site === theirs) continue;
      pairs += 1;
      const { jetway, base, client, gateway } = site;
      const what = `${theirs.name} at ${site.name}`;
      const own = issued.get(site);
      for (const mode of ['member', 'client']) {
        assert.equal((await verify(jetway, base, mode, { token: access })).status, 401, what);
      }
      assert.equal((await verify(jetway, base, 'none', { apiKey })).status, 401, what);
      assert.deepEqual(await site.redeem(code), await site.redeem('unknown'), what);
      assert.deepEqual(await site.refresh(refresh), await site.refresh('unknown'), what);
      // A key beside a good token, and a token beside a good key.
      const token = own?.access ?? '';
      assert.equal((await verify(jetway, base, 'member', { token, apiKey })).status, 401, what);
      const mixed = { token: access, apiKey: own?.apiKey ?? '' };
      assert.equal((await verify(jetway, base, 'none', mixed)).status, 401, what);
      for (const one of [access, refresh]) {
        for (const asker of [gateway, client.basic]) {
          assert.deepEqual(await introspect(jetway, base, asker, one), inactive, what);
        }
        assert.deepEqual(await revoke(jetway, base, client.basic, one), given, what);
      }
    }
  }
  assert.equal(pairs, siteNames.length * (siteNames.length - 1));
  for (const [site, { code, access, refresh }] of issued) {
    assert.equal(await standing(site, access), good, site.name);
    assert.equal((await site.refresh(refresh)).status, 200, site.name);
    const { access_token: bought } = tokensIn(await site.redeem(code));
    // A spent code that is shown to another programme is no replay.
    for (const other of sites) if (other !== site) await other.redeem(code);
    assert.equal(await standing(site, bought), good, site.name);
  }
});

test('C-2 HOSTILE 33: a gateway of one programme is nobody at another', async (t) => {
  const [site, another] = await openSites(t, ['opaque', 'jwt']);
  assert.ok(site && another);
  const { access } = await site.login();
  const { store } = site.jetway;
  await store.remove('gateway', site.programme, 'gateway-1' as never, site.jetway.clock.now());
  const { status } = await introspect(site.jetway, site.base, another.gateway, access);
  assert.equal(status, 401);
});

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

test('HOSTILE 33: metadata and key sets have nothing in common', async (t) => {
  const sites = await openSites(t);
  const url = sites[0]?.jetway.url ?? '';
  const seen = new Set<string>();
  for (const { base, name } of sites) {
    const found = await ask(url, `/.well-known/oauth-authorization-server/${base}`);
    const metadata = JSON.parse(found.body) as Readonly<Record<string, string>>;
    const { issuer, jwks_uri: keys, token_endpoint: token } = metadata;
    assert.equal(issuer, `https://tokens.example/${base}`, name);
    for (const own of [issuer, token, metadata['introspection_endpoint']]) {
      assert.ok(own !== undefined && !seen.has(own), name);
      seen.add(own);
    }
    assert.equal(keys === undefined, name === 'opaque');
    if (keys === undefined) continue;
    const answer = await ask(url, new URL(keys).pathname);
    const set = JSON.parse(answer.body) as { keys: { kid: string; x: string }[] };
    for (const { kid, x } of set.keys) {
      assert.ok(!seen.has(kid) && !seen.has(x), name);
      seen.add(kid).add(x);
    }
  }
});

test('HOSTILE 34: a member whose subject is the partner’s identifier is taken for a member alone', async (t) => {
  for (const site of await openSites(t, ['opaque', 'jwt'])) {
    const { jetway, base, programme, client, gateway } = site;
    const { id } = client;
    const subject = id as Subject;
    const old = await findMember(jetway.store, programme, 'ann');
    assert.ok(old);
    await jetway.store.remove('member', programme, old.subject, jetway.clock.now());
    jetway.clock.advance(2);
    await jetway.store.add('member', [
      {
        ...old,
        subject,
        membershipNumber: '1234567890123456',
        createdAt: jetway.clock.now(),
      },
    ]);
    const { access: member } = await site.login();
    const answer = await post(
      jetway.url,
      `/${base}/api/grant`,
      { grant_type: 'client_credentials' },
      { authorization: client.basic },
    );
    const { access_token: partner } = JSON.parse(answer.body) as { access_token: string };
    const facts = async (mode: string, token: string) => {
      const { status, headers } = await verify(jetway, base, mode, { token });
      const { sub } = JSON.parse((await introspect(jetway, base, gateway, token)).body) as {
        sub: string;
      };
      const { 'x-auth-kind': kind, 'x-auth-subject': who } = headers;
      return [status, kind, who, headers['x-auth-membership-number'], sub];
    };
    const number = '1234567890123456';
    assert.deepEqual(await facts('member', member), [200, 'member', id, number, id]);
    const own = `client:${id}`;
    assert.deepEqual(await facts('client', partner), [200, 'client', own, '', own]);
    assert.equal((await verify(jetway, base, 'client', { token: member })).status, 403);
    assert.equal((await verify(jetway, base, 'member', { token: partner })).status, 403);
    // All of the member's tokens go, and the partner's own stays; and the other way round.
    await jetway.store.revoke(programme, { subject });
    assert.equal(await standing(site, member), refused);
    assert.equal((await verify(jetway, base, 'client', { token: partner })).status, 200);
  }
});

test('HOSTILE 35: what is no access token is none anywhere, and asking spends nothing', async (t) => {
  for (const site of await openSites(t)) {
    const { jetway, base, client, gateway, name } = site;
    const apiKey = await giveApiKey(jetway, base, client.id);
    const { access, refresh } = await site.login();
    const { code } = await site.login();
    for (const token of [refresh, code, apiKey, client.secret, client.id, 'gateway-1']) {
      for (const mode of ['member', 'client']) {
        assert.equal((await verify(jetway, base, mode, { token })).status, 401, name);
      }
      assert.deepEqual(await introspect(jetway, base, gateway, token), inactive, name);
      if (token === refresh) continue;
      assert.deepEqual(await introspect(jetway, base, client.basic, token), inactive, name);
      assert.deepEqual(await revoke(jetway, base, client.basic, token), given, name);
    }
    for (const key of [access, refresh, code, client.secret]) {
      assert.equal((await verify(jetway, base, 'none', { apiKey: key })).status, 401, name);
    }
    // An access token refreshes nothing, and gives up itself alone.
    assert.equal((await site.refresh(access)).status, 400, name);
    assert.equal(await standing(site, access), good, name);
    assert.deepEqual(await revoke(jetway, base, client.basic, access), given, name);
    assert.equal(await standing(site, access), refused, name);
    assert.equal((await site.refresh(refresh)).status, 200, name);
  }
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

test('HOSTILE 37: a key set has public asymmetric keys only, and is read only', async (t) => {
  for (const { jetway, base } of await openSites(t, ['jwt', 'partner'])) {
    const path = `/${base}/.well-known/jwks.json`;
    const { status, headers, body } = await ask(jetway.url, path);
    const cached = {
      'content-type': 'application/jwk-set+json',
      'cache-control': 'public, max-age=300',
    };
    assert.deepEqual([status, headers], [200, cached]);
    const { keys } = JSON.parse(body) as { keys: Readonly<Record<string, string>>[] };
    assert.equal(keys.length, 1);
    for (const key of keys) {
      assert.deepEqual(Object.keys(key), ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use']);
      assert.deepEqual([key['kty'], key['alg'], key['use']], ['EC', 'ES256', 'sig']);
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) {
      const other = await ask(jetway.url, path, { method });
      assert.deepEqual([other.status, other.headers['allow']], [405, 'GET'], method);
    }
  }
});
