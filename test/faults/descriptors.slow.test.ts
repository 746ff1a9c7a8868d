// FAULTS 20: a server that may open few files sheds what it has no room for, and goes on.

import assert from 'node:assert/strict';
import { appendFileSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

import { askPartnerToken, tokensIn, tokensOfLogin } from '../support/club.ts';
import { eventLines } from '../support/log_lines.ts';
import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { ask } from '../support/wire.ts';
import { startLoad } from './load.ts';
import { openSite, type ServedClub, unthrottled } from './site.ts';

/** Opens connections that send nothing, more than there are descriptors. */
async function crowd(club: ServedClub, count: number): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(club.url);
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    return socket;
  });
  // Until each is taken in or shed.
  await until(() => sockets.filter(({ closed }) => !closed).length < 60);
  return sockets;
}

/** Whether there is room for one more. */
async function isServed(club: ServedClub): Promise<boolean> {
  const answer = await askPartnerToken(club).catch(() => undefined);
  if (answer !== undefined) tokensIn(answer);
  return answer !== undefined;
}

function descriptorsOf({ server }: ServedClub): number {
  return readdirSync(`/proc/${server.child.pid}/fd`).length;
}

test(
  'FAULTS 20: with 80 descriptors: shed, no crash, recover',
  { skip: without('prlimit') },
  async (t) => {
    const site = await openSite(t, { over: unthrottled });
    // About 40 are open before the first connection: those of threads, store and audit stream.
    const club = await site.start({ under: ['prlimit', '--nofile=80'] });
    await tokensOfLogin(club);

    // Load from more callers than there is room for: each is answered in full or not at all.
    const load = startLoad(club, 100);
    const { failures, tokens } = load.told;
    await until(() => failures.length > 0 && tokens.length >= 8);
    await load.stop();
    // Which of the two a caller sees hangs on how far it was with its request. A connection that waits makes
    // room for another, also where its next request is on the way.
    const shed = failures.filter((failure) => /^(?:ECONNRESET|EPIPE)\b/.test(failure));
    assert.deepEqual(failures, shed);

    // Whoever holds connections and says nothing does not keep the others out for good.
    await until(() => isServed(club));
    const silent = await crowd(club, 200);
    const held = silent.filter(({ closed }) => !closed);
    assert.ok(held.length >= 8 && descriptorsOf(club) < 76, `${held.length} held`);
    await assert.rejects(askPartnerToken(club));
    assert.equal(club.server.child.exitCode, null);
    for (const socket of silent) socket.destroy();
    await until(() => isServed(club));
    await tokensOfLogin(club);
    assert.equal((await ask(club.server.admin, '/readyz')).status, 200);
    assert.deepEqual(eventLines(club.server.printed().stderr), []);
    assert.equal(await club.server.end('SIGTERM'), 0);
  },
);

test(
  'FAULTS 20: connections that wait for a next request make room',
  { skip: without('prlimit') },
  async (t) => {
    const site = await openSite(t, { over: unthrottled });
    const club = await site.start({ under: ['prlimit', '--nofile=80'] });
    const sockets = await crowd(club, 40);
    const request = `GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n`;
    for (const socket of sockets) if (!socket.closed) socket.write(request);
    await until(() => isServed(club));
    assert.equal(await club.server.end('SIGTERM'), 0);
  },
);

test(
  'HOSTILE 70: a flood at the public listener leaves operators and gateways theirs',
  { skip: without('prlimit') },
  async (t) => {
    const site = await openSite(t);
    appendFileSync(join(site.folder, 'config.yaml'), 'gateway: 127.0.0.1:0\n');
    const club = await site.start({ under: ['prlimit', '--nofile=80'] });
    await crowd(club, 200);
    await assert.rejects(askPartnerToken(club));
    const { admin, gateway } = club.server;
    const asked = [
      ask(admin, '/livez'),
      ask(admin, '/readyz'),
      ask(gateway, '/executive-club/verify/none'),
      ask(gateway, '/executive-club/verify/none'),
    ];
    const answers = await Promise.all(asked);
    // Without a credential of its own a gateway is told so (G-16).
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 401, 401],
    );
    await until(async () => (await ask(admin, '/metrics').catch(() => undefined))?.status === 200);
    assert.equal(await club.server.end('SIGTERM'), 0);
  },
);
