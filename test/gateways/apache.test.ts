// Owns the proof that the Apache of docs/gateways.md lets pass what may, and nothing else.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { tokensOfLogin } from '../support/club.ts';
import { addGateway, managed, revoke, shown } from '../support/gateway.ts';
import { testNeeding } from '../support/tools.ts';
import { startApacheGateway } from './apache.ts';
import { startWire, type Wire } from './api.ts';
import { believed, forgeries, odd } from './attacks.ts';
import { holdsFor, known, own as ownNames } from './calls.ts';
import { type Callers, executiveCallers, startBehind, type Site } from './site.ts';
import { askThrough, type Door } from './through.ts';

const test = testNeeding('apache2-auth-openidc', 'openssl');

interface Front extends Site {
  readonly door: Door;
  readonly wire: Wire;
  readonly callers: Callers;
  readonly logged: () => string;
}

const programme = 'executive-club';
const membership = '/executive-club/membership';

async function openFront(t: TestContext): Promise<Front> {
  const site = await startBehind(t, undefined, managed);
  // Apache goes by the machine's clock.
  const { clock } = site.jetway;
  clock.advance((Date.now() - clock.now()) / 1000);
  const wire = await startWire(t, site.jetway.url);
  await addGateway(site.jetway, programme);
  const credential = ['gateway-1', 'a-gateway-secret'] as const;
  const options = { jetway: wire.address, api: site.api.address, credential };
  const { door, logged } = await startApacheGateway(t, options);
  return { ...site, wire, door, logged, callers: await executiveCallers(site) };
}

test('C-4: each call passes with the token it needs, and the API learns who calls', async (t) => {
  const front = await openFront(t);
  assert.deepEqual(Object.keys(front.callers), [
    'nothing',
    'apiKey',
    'client',
    'member10',
    'member12',
  ]);
  await holdsFor(front, front.callers, [
    ['DELETE', membership, [403, 403, 403, 403, 403]],
    ['POST', '/executive-club/members', [403, 403, 403, 403, 403]],
    ['GET', '/executive-club/prices?from=LHR', [401, 401, 200, 403, 403]],
    ['GET', membership, [401, 401, 403, 200, 200]],
    ['POST', '/executive-club/debits', [401, 401, 403, 403, 200]],
  ]);
  const last = front.api.arrived.at(-1);
  assert.ok(last);
  const { 'x-auth-expires': expires = '', ...others } = known(last);
  assert.ok(Math.abs(Number(expires) - Date.now() / 1000 - 1800) < 60, expires);
  assert.deepEqual(others, {
    'x-auth-environment': 'live',
    'x-auth-programme': programme,
    'x-auth-kind': 'member',
    'x-auth-client-id': 'partnerapi-12345',
    'x-auth-subject': 'subject-of-bea',
    'x-auth-scope': 'AUTHN-LEVEL-12',
  });
  const secrets = last.headers.filter(([name]) => /^(authorization|x-api-key)$/.test(name));
  assert.deepEqual(secrets, []);
  // Neither the token nor the caller's query is in any log.
  assert.doesNotMatch(front.logged(), /from=LHR|Bearer [\w-]{8}/);
});

test('no X-Auth header comes from outside, however it is spelled', async (t) => {
  const { door, api, callers } = await openFront(t);
  const own = shown({ ...callers['member10'] });
  const ask = async (more: object): Promise<number> => {
    const headers = { ...own, ...more } as Record<string, string>;
    return (await askThrough(door, membership, { headers })).status;
  };
  for (const forged of forgeries) assert.equal(await ask(forged), 400);
  // A further one, empty, hides none.
  assert.equal(await ask({ 'x.auth.subject': 'forged', 'x~auth~z': '' }), 400);
  assert.equal(await ask({ Business_Context_Identifier: 'Forged' }), 400);
  assert.equal(api.arrived.length, 0);
  assert.equal(await ask({ 'programme-identifier': 'Forged', connection: 'X-Auth-Kind' }), 200);
  const [arrived] = api.arrived;
  assert.ok(arrived);
  assert.deepEqual(Object.fromEntries(believed(arrived))['x-auth-kind'], 'member');
  assert.deepEqual(ownNames(arrived), {});
});

test('HOSTILE 49: what no block names is closed, and the API reads what Apache has matched', async (t) => {
  const { door, api, callers } = await openFront(t);
  const headers = shown({ ...callers['member10'] });
  for (const target of odd) await askThrough(door, target, { method: 'POST', headers });
  assert.equal(api.arrived.length, 0);
  for (const target of odd) {
    const { status } = await askThrough(door, target, { headers });
    assert.ok([200, 400, 403, 404].includes(status), `${target}: ${status}`);
  }
  const passed = api.arrived.map(({ target }) => target.replace(/\?$/, ''));
  assert.deepEqual(new Set(passed), new Set([membership]));
});

test('HOSTILE 35: what is revoked, a refresh token or anything while Jetway is away passes nothing', async (t) => {
  const { door, api, jetway, wire, executive } = await openFront(t);
  const { access_token: access, refresh_token: refresh } = await tokensOfLogin(executive);
  const ask = async (token: string): Promise<number> => {
    const before = wire.connections();
    const answer = await askThrough(door, membership, { headers: shown({ token }) });
    // Each request is asked about: no yes is kept.
    assert.ok(wire.connections() > before);
    return answer.status;
  };
  assert.deepEqual([await ask(access), await ask(access)], [200, 200]);
  assert.equal(await ask(refresh), 401);
  await revoke(jetway, programme, executive.client.basic, access);
  assert.equal(await ask(access), 401);
  const { access_token: other } = await tokensOfLogin(executive);
  await jetway.stop();
  assert.equal(await ask(other), 401);
  assert.equal(api.arrived.length, 2);
});
