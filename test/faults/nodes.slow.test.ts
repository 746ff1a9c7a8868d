// HOSTILE 18, 30, 42 and 57, FAULTS 10, 12, 13, 15 and 30 across nodes: two servers on one PostgreSQL, which comes and goes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { decodeJwt } from 'jose';

import { Cluster } from '../../scripts/postgres/cluster.ts';
import type { ClientId } from '../../src/oauth/client.ts';
import {
  askPartnerToken,
  askTokens,
  type Club,
  codeFor,
  loginTarget,
  partnerTokenOf,
  programme,
  redeem,
  refresh,
  tokensIn,
} from '../support/club.ts';
import { verify } from '../support/gateway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { inTurns } from '../support/nodes.ts';
import { testServer } from '../support/postgres.ts';
import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { type Answer, ask } from '../support/wire.ts';
import { openFleet, readiness, type ServedClub, untilReadiness, untilTold } from './site.ts';

describe('servers on one PostgreSQL', { skip: without('postgres') }, () => {
  test('HOSTILE 57: a burst split over servers and grant types has one count, and spends no code', async (t) => {
    const site = await openFleet(t, 'throttle: { limit: 30, window: 1h }');
    const nodes = [await site.start(), await site.start()];
    const [one, other] = nodes as [ServedClub, ServedClub];
    const code = await codeFor(one);
    const { refresh_token: token } = tokensIn(await redeem(one, code));
    const unspent = await codeFor(other);
    const answers = await inTurns(nodes, 60, (node) => askPartnerToken(node));
    assert.equal(answers.filter(({ status }) => status === 200).length, 29);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.every(({ status }) => status === 429));
    for (const node of nodes) {
      assert.equal((await refresh(node, token)).status, 429);
      assert.equal((await redeem(node, unspent)).status, 429);
    }
    // Another limit counts at once: the refused requests have spent nothing.
    const { store, client } = one;
    await store.change('client', programme, client.id as ClientId, (found) => ({
      ...found,
      throttle: { limit: 1000, window: 3_600_000 },
    }));
    tokensIn(await redeem(one, unspent));
    tokensIn(await refresh(other, token));
  });

  test('HOSTILE 42: wrong secrets at two servers are limited as at one', async (t) => {
    const over = 'client: { authentication: { failure_limit: { limit: 6, window: 1h } } }';
    const site = await openFleet(t, over);
    const nodes = [await site.start(), await site.start()];
    const wrong = {
      authorization: `Basic ${Buffer.from('partnerapi-12345:x').toString('base64')}`,
    };
    const fields = { grant_type: 'client_credentials' };
    const answers = await inTurns(nodes, 20, (node) => askTokens(node, fields, wrong));
    assert.equal(answers.filter(({ status }) => status === 401).length, 6);
    for (const node of nodes) tokensIn(await askPartnerToken(node));
  });

  test('HOSTILE 18: of wrong passwords at two servers five are judged, and the account is locked at both', async (t) => {
    const site = await openFleet(t);
    const nodes = [await site.start(), await site.start()];
    const attempt = async (node: Club, password: string): Promise<Answer> => {
      const login = await openLogin(node.url, loginTarget(node.client));
      return submitLogin(node.url, login, { ...node.member, password });
    };
    const wrong = await inTurns(nodes, 20, (node) => attempt(node, 'wrong'));
    assert.deepEqual(new Set(wrong.map(({ status }) => status)), new Set([200]));
    for (const node of nodes) assert.equal((await attempt(node, node.member.password)).status, 200);
    const { store, keyring, member } = nodes[0] ?? assert.fail();
    const account = keyring.accountDigest(member.username);
    const { failures, lockedUntil } = await store.findAttempts(
      programme,
      account,
      site.clock.now(),
    );
    assert.deepEqual([failures, lockedUntil !== undefined], [5, true]);
  });

  test('FAULTS 12: machines half a minute apart date by the time of the database', async (t) => {
    const over = 'tokens: { access: { format: jwt } }';
    const site = await openFleet(t, over);
    const behind = await site.start({ ahead: -30 });
    const ahead = await site.start({ ahead: 30 });
    const issuedAt = async (node: ServedClub): Promise<number> =>
      decodeJwt(await partnerTokenOf(node)).iat ?? 0;
    const [first, second, third] = [
      await issuedAt(behind),
      await issuedAt(ahead),
      await issuedAt(behind),
    ];
    assert.ok(first - 1 <= second && second <= third + 1, `${first}, ${second}, ${third}`);
    for (const node of [behind, ahead]) assert.equal((await readiness(node))[1].status, 'ready');
    // A machine that is far off serves on, and says so.
    await ahead.server.setClock(7200);
    const [status, health] = await readiness(ahead);
    assert.deepEqual([status, health.status], [200, 'degraded']);
    assert.match(health.reasons.join(), /^the machine's clock is 72\d\d s from the service's$/);
  });

  test('FAULTS 10, 30: a database whose clock went back is refused, and accepted for all servers at one', async (t) => {
    const server = await testServer();
    const schema = server.newSchema();
    const site = await openFleet(t, '', server.url(schema));
    const one = await site.start();
    const before = tokensIn(await redeem(one, await codeFor(one)));
    // As if it had been an hour ahead when the time was recorded.
    const database = await server.client();
    t.after(() => database.end());
    const recorded = `${schema}.meta WHERE name = 'recorded_time'`;
    await until(async () => (await database.query(`SELECT FROM ${recorded}`)).rowCount === 1);
    await database.query(
      `UPDATE ${schema}.meta SET value = (value::bigint + 3600000)::text WHERE name = 'recorded_time'`,
    );
    await assert.rejects(
      site.start(),
      /the database's clock says \S+Z, but postgres:\S+ has recorded \S+Z: set the clock right; .*serve --accept-clock/,
    );
    const other = await site.start({ args: ['--accept-clock'] });
    await untilTold(one, 'clock_accepted');
    const { refresh_token: token } = tokensIn(await refresh(other, before.refresh_token));
    tokensIn(await refresh(one, token));
    for (const node of [one, other]) {
      await until(async () => (await readiness(node))[1].status === 'ready');
    }
    const { rows } = await database.query<{ readonly value: string }>(
      `SELECT value FROM ${recorded}`,
    );
    assert.ok(Number(rows[0]?.value) < site.clock.now() + 60_000);
  });

  test('FAULTS 15: a primary that reaches no standby answers reads, and no server believes them', async (t) => {
    const cluster = await Cluster.make();
    t.after(() => cluster.remove());
    await cluster.start();
    const url = `postgres://jetway@127.0.0.1:${cluster.port}/jetway?sslmode=disable`;
    const site = await openFleet(t, '', url);
    const nodes = [await site.start(), await site.start()] as const;
    const { access_token: token } = tokensIn(await askPartnerToken(nodes[0]));
    const verified = (node: ServedClub): Promise<number> =>
      verify(node, programme, 'client', { token }).then(({ status }) => status);
    for (const node of nodes) assert.equal(await verified(node), 200);
    const standby = (name: string): void => {
      cluster.configure({ synchronous_standby_names: name });
      cluster.reload();
    };
    standby('gone');
    for (const node of nodes) await untilReadiness(node, 503);
    const database = await cluster.client();
    t.after(() => database.end());
    assert.notEqual((await database.query('SELECT FROM jetway.registered')).rowCount, 0);
    for (const node of nodes) assert.equal(await verified(node), 503);
    standby('');
    for (const node of nodes) await untilReadiness(node, 200);
    for (const node of nodes) assert.equal(await verified(node), 200);
  });

  test('FAULTS 13, HOSTILE 30: a database that stops makes servers unready, and no retry after it a theft', async (t) => {
    const cluster = await Cluster.make();
    t.after(() => cluster.remove());
    await cluster.start();
    const url = `postgres://jetway@127.0.0.1:${cluster.port}/jetway?sslmode=disable`;
    const site = await openFleet(t, 'tokens: { refresh: { grace: 2s } }', url);
    const nodes = [await site.start(), await site.start()] as const;
    const [one, other] = nodes;
    const { refresh_token: token } = tokensIn(await redeem(one, await codeFor(one)));
    const answer = await refresh(one, token);
    const { refresh_token: next } = tokensIn(answer);
    cluster.signal('SIGSTOP');
    for (const node of nodes) {
      const health = await untilReadiness(node, 503);
      assert.match(health?.reasons.join() ?? '', /no commit was confirmed for 3 s/);
      assert.equal((await ask(node.server.admin, '/livez')).status, 200);
      const metrics = await ask(node.server.admin, '/metrics');
      assert.match(metrics.body, /^jetway_health\{part="store"\} 0$/m);
      const { status, body } = await refresh(node, token);
      assert.deepEqual([status, body], [503, '{"error":"temporarily_unavailable"}']);
    }
    cluster.signal('SIGCONT');
    for (const node of nodes) await untilReadiness(node, 200);
    // More time has passed than the window has; none of it in service. The heartbeat makes a server ready;
    // its connections for requests may be dialed a moment later.
    const served = async (node: (typeof nodes)[number], text: string): Promise<Answer> => {
      let found = await refresh(node, text);
      const again = async (): Promise<Answer> => (found = await refresh(node, text));
      await until(async () => found.status !== 503 || (await again()).status !== 503);
      return found;
    };
    assert.deepEqual(tokensIn(await served(other, token)).refresh_token, next);
    tokensIn(await served(one, next));
  });
});
