// What `client show` tells of a client's last hour: counted in the running server, asked at its control
// socket (HOSTILE 42, 57).

import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { askPartnerToken, codeFor, programme, redeem, refresh, tokensIn } from '../support/club.ts';
import { openSite, type Site } from './site.ts';

interface Shown {
  readonly last_hour: {
    readonly token_requests: number;
    readonly throttled: number;
    readonly failed_authentications: number;
    readonly since: string;
  } | null;
}

/** Requests allowed, throttled, and failed authentications, as the command prints them. */
async function lastHour(site: Site, id: string): Promise<readonly number[] | undefined> {
  const shown = JSON.parse(await site.run('client', 'show', id, '--json')) as Shown;
  if (shown.last_hour === null) return undefined;
  const { since, ...counts } = shown.last_hour;
  assert.match(since, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  return Object.values(counts);
}

function inWords(site: Site, id: string): Promise<string> {
  return site
    .run('client', 'show', id)
    .then((sheet) => (/^ {2}last hour +(.*)$/m.exec(sheet)?.[1] ?? '').replace(/\S+Z$/, 'TIME'));
}

test('client show tells the last hour of a client: of all grants, over a reload, until the server ends', async (t) => {
  const site = await openSite(t, { over: 'throttle: { limit: 4, window: 30s }' });
  const club = await site.start();
  const { id } = club.client;
  const other = await club.addClient({ id: 'partnerapi-00002', secret: 'another secret' });
  assert.deepEqual(await lastHour(site, id), [0, 0, 0]);

  const tokens = tokensIn(await redeem(club, await codeFor(club)));
  tokensIn(await refresh(club, tokens.refresh_token));
  for (let sent = 0; sent < 5; sent += 1) await askPartnerToken(club);
  for (const name of [id, id, 'partnerapi-99999']) {
    const authorization = `Basic ${Buffer.from(`${name}:wrong`).toString('base64')}`;
    assert.equal((await askPartnerToken(club, { authorization })).status, 401);
  }
  assert.equal((await askPartnerToken(club, { authorization: other.basic })).status, 200);
  assert.deepEqual(await lastHour(site, id), [4, 3, 2]);
  assert.deepEqual(await lastHour(site, other.id), [1, 0, 0]);
  assert.equal(
    await inWords(site, id),
    'token requests 4, throttled 3, failed authentications 2; since TIME',
  );

  appendFileSync(join(site.folder, `programmes/${programme}.yaml`), '\n# changed\n');
  await site.run('reload');
  assert.deepEqual(await lastHour(site, id), [4, 3, 2]);
  await site.pass(30 * 60);
  await askPartnerToken(club);
  assert.deepEqual(await lastHour(site, id), [5, 3, 2]);
  await site.pass(31 * 60);
  assert.deepEqual(await lastHour(site, id), [1, 0, 0]);

  await club.server.end('SIGTERM');
  assert.equal(await lastHour(site, id), undefined);
  assert.match(await inWords(site, id), /^not known: no server of this configuration runs: /);
});

test('client show tells of a server that does not answer, and does not wait for it', async (t) => {
  const site = await openSite(t);
  const club = await site.start();
  club.server.child.kill('SIGSTOP');
  assert.equal(await lastHour(site, club.client.id), undefined);
  assert.match(await inWords(site, club.client.id), /^not known: the server does not answer at /);
});
