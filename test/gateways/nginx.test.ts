// Owns the proof that the nginx of docs/gateways.md lets each call of the loyalty API pass with what
// it needs and with nothing less (C-4, P-15), and that refusals reach the caller whole.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import type { ClientId } from '../../src/oauth/client.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
import { wholeProgramme } from '../../src/oauth/maintenance.ts';
import type { Subject } from '../../src/oauth/member.ts';
import type { Store } from '../../src/store/contract.ts';
import { programme, tokensOfLogin } from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { giveApiKey, shown } from '../support/gateway.ts';
import { listenHere } from '../support/listen.ts';
import { naming } from '../support/partner_club.ts';
import { testNeeding } from '../support/tools.ts';
import { type Answer, ask } from '../support/wire.ts';
import { startApi, startWire } from './api.ts';
import { holdsFor, known, namesProgrammeAndPartner, own } from './calls.ts';
import { startNginx } from './nginx.ts';
import { executiveCallers, startBehind, secondCallers, type Site } from './site.ts';
import { askThrough, type Door } from './through.ts';

const test = testNeeding('nginx', 'openssl');

interface Front extends Site {
  readonly door: Door;
}

async function openFront(t: TestContext, store?: Store, over?: string): Promise<Front> {
  const site = await startBehind(t, store, over);
  return { ...site, door: await startNginx(t, { jetway: site.address, api: site.api.address }) };
}

test('C-4: each call of the executive club passes with what it needs, and only with that', async (t) => {
  const front = await openFront(t);
  const callers = await executiveCallers(front);
  assert.deepEqual(Object.keys(callers), ['nothing', 'apiKey', 'client', 'member10', 'member12']);
  const open = [401, 200, 401, 401, 401];
  const client = [401, 401, 200, 403, 403];
  const member = [401, 401, 403, 200, 200];
  const sure = [401, 401, 403, 403, 200];
  await holdsFor(front, callers, [
    ['POST', '/executive-club/members', open],
    ['POST', '/executive-club/accounts', open],
    ['GET', '/executive-club/prices?from=LHR&to=JFK', client],
    ['GET', '/executive-club/membership', member],
    ['PUT', '/executive-club/membership', member],
    ['GET', '/executive-club/transactions/4711', member],
    ['POST', '/executive-club/debits', sure],
    ['POST', '/executive-club/reversals', sure],
    // What a caller writes into the query neither lowers the floor nor changes the question.
    ['POST', '/executive-club/debits?level=AUTHN-LEVEL-10', sure],
    ['GET', '/executive-club/membership?level=AUTHN-LEVEL-15&x=%zz', member],
  ]);
});

test('P-15: each call of a partner-login club passes with what it needs, and only with that', async (t) => {
  const front = await openFront(t);
  const callers = await secondCallers(front);
  assert.deepEqual(Object.keys(callers), ['nothing', 'apiKey', 'member', 'reset', 'retrieve']);
  const open = [401, 200, 401, 401, 401];
  const member = [401, 401, 200, 403, 403];
  await holdsFor(front, callers, [
    ['POST', '/second-club/members', open],
    ['POST', '/second-club/accounts', open],
    ['POST', '/second-club/prices', member],
    ['GET', '/second-club/membership', member],
    ['PUT', '/second-club/membership?scope=reset_password', member],
    ['GET', '/second-club/transactions/4711', member],
    ['POST', '/second-club/debits', member],
    ['POST', '/second-club/reversals', member],
    ['PUT', '/second-club/password', [401, 401, 403, 200, 403]],
    ['GET', '/second-club/username', [401, 401, 403, 403, 200]],
  ]);
});

test('the API learns who calls, gets the request whole, and sees no secret', async (t) => {
  const front = await openFront(t);
  const { member10, apiKey } = await executiveCallers(front);
  const body = 'x'.repeat(100_000);
  const headers = { ...shown({ ...member10, ...apiKey }), 'content-type': 'text/plain', a: 'b' };
  const target = '/executive-club/membership?q=%20a&q=b';
  const sent = { method: 'PUT', headers, body };
  const answer = await askThrough(front.door, target, sent);
  assert.equal(answer.status, 200, answer.body);
  const [arrived] = front.api.arrived;
  assert.ok(arrived);
  assert.deepEqual([arrived.method, arrived.target, arrived.body], ['PUT', target, body]);
  assert.deepEqual(known(arrived), {
    'x-auth-environment': 'staging',
    'x-auth-programme': 'executive-club',
    'x-auth-kind': 'member',
    'x-auth-client-id': 'partnerapi-12345',
    'x-auth-subject': 'subject-of-ann',
    'x-auth-membership-number': '1234567890123456',
    'x-auth-scope': 'AUTHN-LEVEL-10',
    'x-auth-level': 'AUTHN-LEVEL-10',
    'x-auth-expires': '1767324845',
  });
  const others = arrived.headers.filter(([name]) => !name.startsWith('x-auth'));
  assert.deepEqual(Object.fromEntries(others), {
    host: 'api.airline.example',
    'content-length': '100000',
    'content-type': 'text/plain',
    a: 'b',
  });
});

/** What Jetway itself answers, as far as a gateway passes it on. */
async function direct({ jetway }: Site, target: string, asked: object): Promise<Answer> {
  const { status, headers, body } = await ask(jetway.url, target, { headers: { ...asked } });
  return { status, headers, body };
}

test('G-13: a refusal reaches the caller with its challenge and its body, once', async (t) => {
  const front = await openFront(t);
  const [executive, second] = [await executiveCallers(front), await secondCallers(front)];
  const unknown = { token: 'unknown' };
  const cases = [
    ['executive-club', 'membership', 'member', {}],
    ['executive-club', 'membership', 'member', unknown],
    ['executive-club', 'membership', 'member', executive['client']],
    ['executive-club', 'membership', 'member', { ...executive['member10'], apiKey: 'unknown' }],
    ['second-club', 'membership', 'member', {}],
    ['second-club', 'membership', 'member', executive['member10']],
    ['second-club', 'membership', 'member', second['reset']],
  ] as const;
  const statuses: number[] = [];
  for (const [club, path, mode, caller = {}] of cases) {
    const headers = shown(caller);
    const refusal = await direct(front, `/${club}/verify/${mode}`, headers);
    assert.ok(refusal.body !== '' && refusal.headers['www-authenticate'] !== undefined);
    assert.deepEqual(await askThrough(front.door, `/${club}/${path}`, { headers }), refusal);
    const put = { method: 'PUT', headers, body: 'x'.repeat(50_000) };
    assert.deepEqual(await askThrough(front.door, `/${club}/${path}`, put), refusal);
    statuses.push(refusal.status);
  }
  assert.deepEqual(statuses, [401, 401, 403, 401, 401, 401, 403]);
  assert.deepEqual(front.api.arrived, []);
});

test('HOSTILE 58: what a dialect says of all its failures makes no outage of a refusal', async (t) => {
  const over = 'errors: { groups: [{ reasons: all, status: 400 }] }';
  const front = await openFront(t, undefined, over);
  const callers = await executiveCallers(front);
  const target = '/executive-club/membership';
  await holdsFor(front, callers, [['GET', target, [401, 401, 403, 200, 200]]]);
  front.jetway.clock.advance(1800);
  await holdsFor(front, callers, [['GET', target, [401, 401, 401, 401, 401]]]);
});

test('P-4 P-15: what names programme and partner is Jetway’s word, and a wrong one is refused', async (t) => {
  const front = await openFront(t);
  await namesProgrammeAndPartner(front);
  const { door, api } = front;
  // A dialect that knows no such headers has none passed on.
  const { member10 } = await executiveCallers(front);
  const headers = shown({ ...member10, headers: naming('SecondClub', 'Forged') });
  assert.equal((await askThrough(door, '/executive-club/membership', { headers })).status, 200);
  assert.deepEqual(own(api.arrived.at(-1)), {});
});

test('what ends a token or a key counts at the next request', async (t) => {
  const front = await openFront(t);
  const { jetway, executive, door } = front;
  const { member10, client, apiKey } = await executiveCallers(front);
  const { access_token: doomed } = await tokensOfLogin(executive);
  const foreign = await executive.addClient({ id: 'partnerapi-54321' });
  const foreignKey = await giveApiKey(executive, programme, foreign.id);
  const status = async (target: string, method: string, caller: object): Promise<number> =>
    (await askThrough(door, `/executive-club/${target}`, { method, headers: shown(caller) }))
      .status;
  const member = { ...member10 };
  assert.equal(await status('membership', 'GET', { token: doomed }), 200);
  assert.equal(await status('membership', 'GET', { ...member, ...apiKey }), 200);
  assert.equal(await status('membership', 'GET', { ...member, apiKey: foreignKey }), 401);
  const subject = executive.member.subject as Subject;
  await jetway.store.revoke(programme, { subject });
  assert.equal(await status('membership', 'GET', { token: doomed }), 401);
  assert.equal(await status('prices', 'GET', { ...client }), 200);
  const set = (to: 'active' | 'disabled') =>
    jetway.store.change('client', programme, executive.client.id as ClientId, (c) => ({
      ...c,
      status: to,
    }));
  await set('disabled');
  assert.equal(await status('prices', 'GET', { ...client }), 401);
  assert.equal(await status('members', 'POST', { ...apiKey }), 401);
  await set('active');
  assert.equal(await status('prices', 'GET', { ...client }), 200);
  assert.equal(await status('members', 'POST', { ...apiKey }), 200);
  jetway.clock.advance(1800);
  assert.equal(await status('prices', 'GET', { ...client }), 401);
});

test('a token in a query or a body never passes', async (t) => {
  const front = await openFront(t);
  const { token } = { ...(await executiveCallers(front))['member10'] };
  assert.ok(token);
  const target = `/executive-club/membership?access_token=${token}&authorization=Bearer%20${token}`;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const sent = { method: 'PUT', headers: form, body: `access_token=${token}` };
  assert.equal((await askThrough(front.door, target)).status, 401);
  assert.equal((await askThrough(front.door, target, sent)).status, 401);
  assert.deepEqual(front.api.arrived, []);
});

test('Jetway is shown the head alone, over connections that are kept', async (t) => {
  const site = await startBehind(t);
  const wire = await startWire(t, site.jetway.url);
  const door = await startNginx(t, { jetway: wire.address, api: site.api.address });
  const { member10 } = await executiveCallers(site);
  const body = 'not for Jetway '.repeat(50_000);
  for (const length of [{}, { 'transfer-encoding': 'chunked' }]) {
    const headers = { ...shown({ ...member10 }), ...length };
    const sent = { method: 'PUT', headers, body };
    assert.equal((await askThrough(door, '/executive-club/membership?x=1', sent)).status, 200);
  }
  assert.deepEqual(
    site.api.arrived.map((one) => one.body === body),
    [true, true],
  );
  const requests = wire.sent().split(/(?<=\r\n\r\n)/);
  assert.equal(requests.length, 2);
  for (const request of requests) {
    const [line, ...headers] = request.trimEnd().split('\r\n');
    assert.equal(line, 'GET /executive-club/verify/member HTTP/1.1');
    const names = headers.map((header) => header.replace(/:.*/, '').toLowerCase());
    assert.deepEqual(names.toSorted(), ['authorization', 'host']);
    assert.ok(headers.includes('Host: jetway-gateway'));
  }
  assert.equal(wire.connections(), 1);
});

const unavailable: Answer = {
  status: 503,
  headers: {
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'retry-after': '5',
  },
  body: '{"error":"temporarily_unavailable"}',
};

test('G-22: while Jetway fails, is in maintenance, misasked or away nothing passes', async (t) => {
  const failing = failingStore();
  const front = await openFront(t, failing.store);
  const { member10 } = await executiveCallers(front);
  const headers = shown({ ...member10 });
  const pass = (): Promise<Answer> =>
    askThrough(front.door, '/executive-club/membership', { headers });
  assert.equal((await pass()).status, 200);
  front.api.arrived.length = 0;
  failing.fail('findLogin', new Unavailable('the disk is gone'));
  assert.deepEqual(await pass(), unavailable);
  failing.fail('findLogin', new TypeError('a fault'));
  assert.deepEqual(await pass(), unavailable);
  failing.heal();
  const { store, clock } = front.jetway;
  const retryAfter = milliseconds(600_000);
  const times = { createdAt: clock.now(), retryAfter };
  await store.add('maintenance', [{ programme, part: wholeProgramme, ...times }]);
  const later = { ...unavailable, headers: { ...unavailable.headers, 'retry-after': '600' } };
  assert.deepEqual(await pass(), later);
  await store.remove('maintenance', programme, wholeProgramme, clock.now());
  const changes = [['AUTHN-LEVEL-12', 'AUTHN-LEVEL-21']] as const;
  const { address: jetway, api } = front;
  const misasking = await startNginx(t, { jetway, api: api.address, changes });
  const debit = { method: 'POST', headers };
  const misasked = await askThrough(misasking, '/executive-club/debits', debit);
  assert.deepEqual([misasked.status, misasked.body.includes('level is invalid')], [400, true]);
  await front.jetway.stop();
  assert.deepEqual(await pass(), unavailable);
  assert.deepEqual(front.api.arrived, []);
});

/** A server in Jetway's place that gives these answers in turn; one that is null never comes. */
async function startStandIn(
  t: TestContext,
  answers: readonly (number | null)[],
): Promise<{ readonly address: string; readonly asked: () => number }> {
  let asked = 0;
  const server = createServer((_incoming, outgoing) => {
    const status = answers[asked] ?? null;
    asked += 1;
    if (status !== null) outgoing.writeHead(status, { 'X-Auth-Kind': 'member' }).end();
  });
  return { address: await listenHere(t, server), asked: () => asked };
}

test('an answer that never comes, or changes meanwhile, lets nothing pass', async (t) => {
  const api = await startApi(t);
  const silent = await startStandIn(t, [null]);
  const changes = [['proxy_read_timeout 5s', 'proxy_read_timeout 200ms']] as const;
  const waiting = await startNginx(t, { jetway: silent.address, api: api.address, changes });
  assert.deepEqual(await askThrough(waiting, '/executive-club/membership'), unavailable);
  const wavering = await startStandIn(t, [401, 200, 403, 200, 401, 503, 400, 200]);
  const door = await startNginx(t, { jetway: wavering.address, api: api.address });
  const statuses: number[] = [];
  for (let times = 0; times < 4; times += 1) {
    statuses.push((await askThrough(door, '/executive-club/membership')).status);
  }
  assert.deepEqual(statuses, [401, 403, 401, 400]);
  assert.equal(wavering.asked(), 8);
  assert.deepEqual(api.arrived, []);
});
