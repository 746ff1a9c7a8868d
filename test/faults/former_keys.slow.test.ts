// C-9, FAULTS 24: JWTs that were issued before a programme changed to opaque tokens live on.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';

import type { ClientId } from '../../src/oauth/client.ts';
import { partnerTokenOf, paths, programme } from '../support/club.ts';
import { verify } from '../support/gateway.ts';
import { publicUrl, shippedProgramme } from '../support/jetway.ts';
import { until } from '../support/until.ts';
import { ask } from '../support/wire.ts';
import { openSite, readiness, type ServedClub } from './site.ts';

/** Where its metadata says that the key set is. */
async function keySetUrlOf({ url }: ServedClub): Promise<unknown> {
  const { body } = await ask(url, `/.well-known/oauth-authorization-server/${programme}`);
  return (JSON.parse(body) as { readonly jwks_uri?: unknown }).jwks_uri;
}

test('FAULTS 24: from JWTs to opaque tokens, no verification fails', async (t) => {
  const site = await openSite(t, { over: 'metadata: on\ntokens: { access: { format: jwt } }' });
  const before = await site.start();
  const token = await partnerTokenOf(before);
  const published = await ask(before.url, paths.keys);
  assert.equal(await keySetUrlOf(before), publicUrl + paths.keys);
  assert.equal(await before.server.end('SIGTERM'), 0);

  const file = join(site.folder, `programmes/${programme}.yaml`);
  writeFileSync(file, shippedProgramme(programme, 'metadata: on'));
  const now = await site.start();
  assert.equal(await keySetUrlOf(now), publicUrl + paths.keys);
  const opaque = await partnerTokenOf(now);
  assert.match(opaque, /^c[\w-]+$/);
  assert.deepEqual(await ask(now.url, paths.keys), published);
  await jwtVerify(token, createLocalJWKSet(JSON.parse(published.body) as JSONWebKeySet), {
    algorithms: ['ES256'],
    typ: 'at+jwt',
  });
  for (const live of [token, opaque]) {
    assert.equal((await verify(now, programme, 'client', { token: live })).status, 200);
  }
  // Revoking all of a client's tokens reaches the JWT as well.
  await site.pass(1);
  await now.store.revoke(programme, { client: now.client.id as ClientId });
  for (const dead of [token, opaque]) {
    assert.equal((await verify(now, programme, 'client', { token: dead })).status, 401);
  }
});

test('FAULTS 24: keys of a programme that signs no more are listed, dated and retired', async (t) => {
  const site = await openSite(t, { over: 'tokens: { access: { format: jwt } }' });
  const file = join(site.folder, `programmes/${programme}.yaml`);
  await (await site.start()).server.end('SIGTERM');
  writeFileSync(file, shippedProgramme(programme));
  const list = ['key', 'list', '--kind', 'signing', '--json'];
  const statuses = async (): Promise<readonly unknown[]> => {
    const keys = JSON.parse(await site.run(...list)) as readonly Listed[];
    return keys.map(({ status, retires_at }) => [status, retires_at === null]);
  };
  // A server from before may sign still.
  assert.deepEqual(await statuses(), [['retiring', true]]);
  assert.match(await site.run('key', 'retire'), /stays until a server was started with the prog/);
  const now = await site.start();
  assert.deepEqual(await statuses(), [['retiring', false]]);
  // The key knows the longest lifetime that it has signed for: half an hour.
  await site.pass(20 * 60);
  assert.match(await site.run('key', 'retire'), /may go from/);
  await site.pass(11 * 60);
  assert.match(await site.run('key', 'retire', '--programme', programme), /is removed/);
  assert.deepEqual(await statuses(), []);
  await followed(now);
});

test('FAULTS 24: keys are given up once the last server that signs by them has ended', async (t) => {
  const jwt = 'tokens: { access: { format: jwt } }';
  const more = 'stop_delay: 0s\nwatch_programmes: false\n';
  const site = await openSite(t, { over: jwt, more });
  const old = await site.start();
  writeFileSync(join(site.folder, `programmes/${programme}.yaml`), shippedProgramme(programme));
  const now = await site.start();
  const listed = async (): Promise<readonly (string | null)[]> => {
    const list = await site.run('key', 'list', '--kind', 'signing', '--json');
    return (JSON.parse(list) as readonly Listed[]).map((key) => key.retires_at);
  };
  const named = `${hostname()}:${old.server.child.pid}`;
  // What two looks in a row have found is told.
  await until(async () => (await readiness(now))[1].status === 'degraded');
  const [, { reasons }] = await readiness(now);
  assert.match(reasons.join(), new RegExp(`^${programme} differs: ${named} serves it by file `));
  const token = await partnerTokenOf(old);
  assert.deepEqual(await listed(), [null]);
  assert.match(await site.run('key', 'retire'), /stays until a server was started with the prog/);
  // The first server looks once a second.
  await until(async () => /servers +0: \S+ .*\n +1: \S+ /.test(await site.run('status')));

  assert.equal(await old.server.end('SIGTERM'), 0);
  await until(async () => (await readiness(now))[1].status === 'ready');
  await until(async () => (await listed())[0] !== null);
  assert.equal((await verify(now, programme, 'client', { token })).status, 200);
});

interface Listed {
  readonly status: string;
  readonly retires_at: string | null;
}

/** Waits until the server publishes no key any more. */
function followed({ url }: ServedClub): Promise<void> {
  return until(async () => (await ask(url, paths.keys)).body === '{"keys":[]}');
}

test('FAULTS 24: a programme that never signed has no key set', async (t) => {
  const site = await openSite(t, { over: 'metadata: on' });
  const club = await site.start();
  assert.equal((await ask(club.url, paths.keys)).status, 404);
  assert.equal(await keySetUrlOf(club), undefined);
});
