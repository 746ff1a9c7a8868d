// Owns the proof that the Caddy and the HAProxy of docs/gateways.md let pass what may, and nothing else.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { shown } from '../support/gateway.ts';
import { testNeeding } from '../support/tools.ts';
import { ask } from '../support/wire.ts';
import { startWire, type Wire } from './api.ts';
import { believed, forgeries, odd } from './attacks.ts';
import { startCaddy } from './caddy.ts';
import { holdsFor, known, namesProgrammeAndPartner } from './calls.ts';
import { startHaproxy } from './haproxy.ts';
import { type Callers, executiveCallers, startBehind, type Site } from './site.ts';
import { askThrough, type Door } from './through.ts';

/** What differs between them. */
const gateways = {
  // `/` behind what it asks keeps the caller's query away from Jetway; it refuses no `#`.
  caddy: { start: startCaddy, behind: '/', away: 502, fragment: 404 },
  haproxy: { start: startHaproxy, behind: '', away: 503, fragment: 400 },
} as const;

interface Front extends Site {
  readonly door: Door;
  readonly wire: Wire;
  readonly callers: Callers;
}

async function openFront(t: TestContext, start: typeof startCaddy): Promise<Front> {
  const site = await startBehind(t);
  const wire = await startWire(t, site.jetway.url);
  const door = await start(t, wire.address, site.api.address);
  return { ...site, wire, door, callers: await executiveCallers(site) };
}

for (const [gateway, { start, behind, away, fragment }] of Object.entries(gateways)) {
  const test = testNeeding(gateway as keyof typeof gateways, 'openssl');

  test(`${gateway}: C-4: each call passes with what it needs, and the API learns who calls`, async (t) => {
    const front = await openFront(t, start);
    assert.deepEqual(Object.keys(front.callers), [
      'nothing',
      'apiKey',
      'client',
      'member10',
      'member12',
    ]);
    await holdsFor(front, front.callers, [
      ['POST', '/executive-club/members', [401, 200, 401, 401, 401]],
      ['GET', '/executive-club/prices?from=LHR', [401, 401, 200, 403, 403]],
      ['GET', '/executive-club/membership?level=AUTHN-LEVEL-15', [401, 401, 403, 200, 200]],
      ['POST', '/executive-club/debits?level=AUTHN-LEVEL-10', [401, 401, 403, 403, 200]],
    ]);
    const last = front.api.arrived.at(-1);
    assert.ok(last);
    assert.deepEqual(known(last), {
      'x-auth-environment': 'staging',
      'x-auth-programme': 'executive-club',
      'x-auth-kind': 'member',
      'x-auth-client-id': 'partnerapi-12345',
      'x-auth-context': '',
      'x-auth-partner-id': '',
      'x-auth-subject': 'subject-of-bea',
      'x-auth-membership-number': '',
      'x-auth-scope': 'AUTHN-LEVEL-12',
      'x-auth-level': 'AUTHN-LEVEL-12',
      'x-auth-expires': '1767324845',
    });
    const secrets = last.headers.filter(([name]) => /^(authorization|x-api-key)$/.test(name));
    assert.deepEqual(secrets, []);
    // The caller's query is the API's business, and stays away from Jetway.
    assert.doesNotMatch(front.wire.sent(), /^GET \S*(level=AUTHN-LEVEL-1[05]|from=)/m);
    assert.match(
      front.wire.sent(),
      new RegExp(`^GET /executive-club/verify/member,level=AUTHN-LEVEL-12${behind} `, 'm'),
    );
  });

  test(`${gateway}: no X-Auth header comes from outside, however it is spelled`, async (t) => {
    const { door, api, callers } = await openFront(t, start);
    const key = shown({ ...callers['apiKey'] });
    for (const forged of forgeries) {
      const sent = { method: 'POST', headers: { ...key, ...forged } };
      assert.equal((await askThrough(door, '/executive-club/members', sent)).status, 200);
    }
    assert.equal(api.arrived.length, forgeries.length);
    for (const one of api.arrived) {
      const values = believed(one).filter(([, value]) => value !== '');
      assert.deepEqual(Object.fromEntries(values), {
        'x-auth-environment': 'staging',
        'x-auth-programme': 'executive-club',
        'x-auth-kind': 'none',
        'x-auth-client-id': 'partnerapi-12345',
      });
      assert.equal(values.length, 4);
    }
  });

  test(`${gateway}: P-4 P-15: what names programme and partner is Jetway’s word, and a wrong one is refused`, async (t) => {
    const front = await openFront(t, start);
    await namesProgrammeAndPartner(front);
  });

  test(`${gateway}: a header that Connection names is Jetway’s all the same`, async (t) => {
    const { door, api, callers } = await openFront(t, start);
    const target = '/executive-club/membership';
    const named = ['X-Auth-Kind', 'close, X-Auth-Subject, Authorization'];
    // HAProxy refuses what begins like a WebSocket and goes on otherwise.
    if (gateway === 'caddy') named.push('upgrade');
    for (const connection of named) {
      const own = { connection, upgrade: 'websocket', 'x-auth-kind': 'client' };
      const headers = { ...shown({ ...callers['member10'] }), ...own };
      assert.equal((await askThrough(door, target, { headers })).status, 200, connection);
    }
    for (const { headers } of api.arrived) {
      const all = Object.fromEntries(headers);
      assert.deepEqual(
        [all['x-auth-kind'], all['x-auth-subject'], all['upgrade']],
        ['member', 'subject-of-ann', undefined],
      );
    }
    assert.equal(api.arrived.length, named.length);
  });

  test(`${gateway}: a refusal reaches the caller whole, and without Jetway nothing passes`, async (t) => {
    const { door, api, jetway, callers } = await openFront(t, start);
    for (const caller of [{}, { token: 'unknown' }, { ...callers['client'] }]) {
      const headers = shown(caller);
      const refusal = await ask(jetway.url, '/executive-club/verify/member', { headers });
      const sent = { method: 'PUT', headers, body: 'x'.repeat(50_000) };
      assert.deepEqual(await askThrough(door, '/executive-club/membership', sent), refusal);
    }
    await jetway.stop();
    const headers = shown({ ...callers['member10'] });
    const { status } = await askThrough(door, '/executive-club/membership', { headers });
    assert.equal(status, away);
    assert.deepEqual(api.arrived, []);
  });

  test(`${gateway}: HOSTILE 49: what the table does not name is not found, and nobody is asked`, async (t) => {
    const { door, api, wire, callers } = await openFront(t, start);
    const headers = shown({ ...callers['member10'], ...callers['apiKey'] });
    for (const target of odd) {
      for (const method of ['GET', 'POST']) {
        const { status } = await askThrough(door, target, { method, headers });
        assert.equal(status, target.includes('#') ? fragment : 404, target);
      }
    }
    assert.deepEqual([api.arrived, wire.sent()], [[], '']);
  });
}
