// FAULTS 19: told to stop under load, a server is unready first, finishes what it began and ends.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { hashingLimits } from '../../src/members/hashing.ts';
import type { Subject } from '../../src/oauth/member.ts';
import { aMember } from '../store/fixtures.ts';
import { askPartnerToken, isLive, loginTarget, paths, tokensIn } from '../support/club.ts';
import { eventLines } from '../support/log_lines.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { ask } from '../support/wire.ts';
import { startLoad } from './load.ts';
import { openSite, type ServedClub, untilReadiness, unthrottled } from './site.ts';

/** A token request whose last byte is held back; it keeps a server from ending. */
async function beginRequest(club: ServedClub): Promise<{ finish: () => Promise<string> }> {
  const { hostname, port } = new URL(club.url);
  const socket = connect(Number(port), hostname);
  const body = 'grant_type=client_credentials';
  const head = [
    `POST ${paths.grant} HTTP/1.1`,
    'Host: tokens.example',
    `Authorization: ${club.client.basic}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
  // Until the server has it, and says so: what is still in its backlog has not begun.
  const [told] = (await once(socket, 'data')) as [Buffer];
  assert.equal(told.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
  const answer = text(socket);
  return {
    finish: () => {
      socket.write(body.slice(-1));
      return answer;
    },
  };
}

test('FAULTS 19: SIGTERM under load costs no request; then the process ends with 0', async (t) => {
  const site = await openSite(t, { over: unthrottled });
  const club = await site.start();
  assert.equal((await ask(club.server.admin, '/readyz')).status, 200);
  const held = await beginRequest(club);
  const callers = 16;
  const load = startLoad(club, callers);
  await load.reach(200);

  const toldAt = performance.now();
  const ended = club.server.end('SIGTERM');
  const stopping = { status: 'unready', reasons: ['stopping'] };
  // It has a moment to hear its signal.
  assert.deepEqual(await untilReadiness(club, 503), stopping);
  assert.equal((await ask(club.server.admin, '/livez')).status, 200);
  await assert.rejects(ask(club.url, paths.login), { code: 'ECONNREFUSED' });
  await load.stop();
  // Each caller was answered to the end, told that no more follows, and refused anew.
  const refused = load.told.failures.filter((failure) => failure === 'ECONNREFUSED');
  assert.deepEqual([load.told.failures, load.told.lastAnswers], [refused, callers]);
  assert.match(
    await held.finish(),
    /^HTTP\/1\.1 200 OK\r\n[^]*^Connection: close\r\n[^]*"access_token"/m,
  );
  assert.equal(await ended, 0);
  t.diagnostic(`ended after ${Math.round(performance.now() - toldAt)} ms`);
  for (const token of load.told.tokens) {
    assert.equal(await isLive(club, token), true, 'an answered token is lost');
  }
  assert.deepEqual(eventLines(club.server.printed().stderr), []);
});

test('FAULTS 19, 22: told to stop, a server answers every login that waits, also those that it has no time for', async (t) => {
  const site = await openSite(t);
  const club = await site.start();
  // Each takes about a second, half of it where a machine is fast: more than there is time for.
  const names = Array.from(
    { length: 30 * hashingLimits(availableParallelism()).atOnce },
    (_, n) => `slow-${n}`,
  );
  const passwordHash = '$2a$14$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
  for (const username of names) {
    await club.store.add('member', [
      aMember({ username, subject: `subject-of-${username}` as Subject, passwordHash }),
    ]);
  }
  const login = await openLogin(club.url, loginTarget(club.client));
  const answers = Promise.allSettled(
    names.map((username) => submitLogin(club.url, login, { username, password: 'wrong' })),
  );
  // Whoever comes by now has all of them before it.
  tokensIn(await askPartnerToken(club));
  const toldAt = performance.now();
  assert.equal(await club.server.end('SIGTERM'), 0);
  t.diagnostic(`ended after ${Math.round(performance.now() - toldAt)} ms`);
  const counts = new Map<number, number>();
  for (const settled of await answers) {
    assert.ok(settled.status === 'fulfilled', 'a login was cut off');
    const { status, headers, body } = settled.value;
    counts.set(status, (counts.get(status) ?? 0) + 1);
    if (status === 200) continue;
    assert.deepEqual([status, headers['retry-after']], [503, '5']);
    assert.match(body, /We are having difficulties\. Please try again later\./);
  }
  t.diagnostic(JSON.stringify([...counts]));
  assert.ok((counts.get(503) ?? 0) > 0);
  for (const line of eventLines(club.server.printed().stderr)) {
    const { event, detail = '' } = JSON.parse(line) as {
      readonly event: string;
      readonly detail?: string;
    };
    if (event === 'lines_left_out') continue;
    assert.equal(event, 'unavailable');
    assert.match(
      detail,
      /^(?:passwords are not hashed any more: the server is stopping|a hashing thread has ended)$/,
    );
  }
});

test('FAULTS 19: an unready server answers everybody, until a second signal ends it at once with 1', async (t) => {
  const site = await openSite(t, { more: 'stop_delay: 60s\n' });
  const club = await site.start();
  const ended = club.server.end('SIGTERM');
  await untilReadiness(club, 503);
  const { status, headers } = await ask(club.url, paths.login);
  assert.deepEqual([status, headers['connection']], [400, undefined]);
  await sleep(700);
  assert.equal(club.server.child.exitCode, null);
  assert.equal(await Promise.race([club.server.end('SIGINT'), ended]), 1);
});

test('FAULTS 19: clients that keep connections leave them before the server stops listening', async (t) => {
  const site = await openSite(t, { over: unthrottled, more: 'stop_delay: 2s\n' });
  const club = await site.start();
  const callers = 8;
  const load = startLoad(club, callers);
  await load.reach(100);
  assert.equal(load.told.lastAnswers, 0);
  assert.equal(await club.server.end('SIGTERM'), 0);
  await load.stop();
  const { failures, lastAnswers } = load.told;
  // The kernel resets connections that no process has accepted when their socket is closed.
  const unaccepted = failures.filter((one) => one === 'ECONNREFUSED' || one === 'ECONNRESET');
  assert.deepEqual(failures, unaccepted);
  // Who was told to leave came again, and was answered.
  assert.ok(lastAnswers > callers, `${lastAnswers} of ${callers} callers`);
});

test('FAULTS 19: at Ctrl-C a server stops listening at once, and answers what it has', async (t) => {
  const site = await openSite(t, { more: 'stop_delay: 60s\n' });
  const club = await site.start();
  const held = await beginRequest(club);
  const ended = club.server.end('SIGINT');
  // One Ctrl-C under npm arrives twice within half a second, and is one.
  club.server.child.kill('SIGINT');
  await untilReadiness(club, 503);
  await assert.rejects(ask(club.url, paths.login), { code: 'ECONNREFUSED' });
  assert.match(await held.finish(), /^HTTP\/1\.1 200 OK\r\n[^]*^Connection: close\r\n/m);
  assert.equal(await ended, 0);
});
