// Owns the promises of a member directory behind a hook that is slow, silent, overloaded or comes and
// goes (FAULTS 13, 14).

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { milliseconds } from '../../src/lib/clock.ts';
import { usualLimits } from '../../src/members/hook.ts';
import { HungUp } from '../../src/oauth/failure.ts';
import type { Subject } from '../../src/oauth/member.ts';
import { answering, patientLimits, startHook } from '../support/hook.ts';
import { attempt, noMatch, noMatchBody, openDirectory, refusal } from './directory_fixture.ts';

describe('answers that take too long', { concurrency: true }, () => {
  const slow: Readonly<Record<string, RequestListener>> = {
    'a hook that is silent': (request) => {
      request.resume();
    },
    'a hook that does not even read': () => undefined,
    'a hook that begins and never ends': (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"outcome":');
    },
    'a hook that sends a byte now and then': (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
    'a hook that answers with hints alone': (request, response) => {
      request.resume();
      const timer = setInterval(() => response.writeProcessing(), 20);
      response.on('close', () => clearInterval(timer));
    },
  };
  for (const [name, listener] of Object.entries(slow)) {
    test(`${name}: unavailable after 1.5 s`, async (t) => {
      const hook = await startHook(t, listener);
      const limits = { ...patientLimits, total: usualLimits.total };
      const { directory } = openDirectory(hook.url, { limits });
      const begun = performance.now();
      // What was left of it when the question was sent.
      const told = await refusal(directory.verify(attempt('ann')));
      assert.match(told, /: no answer within 1?\d{1,3} ms$/);
      assert.ok(performance.now() - begun > 1400);
    });
  }

  test('a connection that nobody accepts: unavailable after 300 ms', async (t) => {
    // The kernel completes as many connections as the backlog has room for; the next must wait.
    const { port, stop } = await fullPort();
    t.after(stop);
    const limits = { ...patientLimits, connect: usualLimits.connect };
    const { directory } = openDirectory(`http://127.0.0.1:${port}`, { limits });
    assert.match(await refusal(directory.verify(attempt('ann'))), /: no connection within 300 ms$/);
  });

  test('a kept connection that the hook closed meanwhile is no failure', async (t) => {
    const hook = await startHook(t, (request, response) => {
      request.resume();
      // As servers do that give up idle connections without a word.
      response.on('finish', () => setTimeout(() => request.socket.resetAndDestroy(), 5));
      response.writeHead(200, { 'content-type': 'application/json' }).end(noMatchBody);
    });
    const { directory } = openDirectory(hook.url);
    for (const _ of Array.from({ length: 20 })) {
      assert.deepEqual(await directory.verify(attempt('ann')), noMatch);
      await sleep(4);
    }
  });
});

/** A port whose queue of connections is full, as of a machine that hangs. */
async function fullPort(): Promise<{ readonly port: number; readonly stop: () => void }> {
  const program = `const server = require('net').createServer();
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('fs').writeSync(1, String(server.address().port) + '\\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
  });
  const sockets = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await sleep(50);
  const stop = (): void => {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
  };
  return { port, stop };
}

/** As of a machine that went away in the middle of a question. */
const hangUp: RequestListener = (request) => {
  request.socket.resetAndDestroy();
};

describe('a hook in trouble (FAULTS 13, 14)', { concurrency: true }, () => {
  test('FAULTS 22: a login whose browser hangs up while it waits is never sent, and frees its place', async (t) => {
    const held: (() => void)[] = [];
    const hook = await startHook(t, (request, response) => {
      held.push(() => answering(200, noMatchBody)(request, response));
    });
    const { directory } = openDirectory(hook.url, { concurrency: 1 });
    const browser = new AbortController();
    const verify = (name: string) => directory.verify(attempt(name, { hangUp: browser.signal }));
    const under = verify('first');
    // As many as may wait for the one.
    const left = [1, 2, 3, 4].map((number) => verify(`left-${number}`));
    const gone = new HungUp();
    browser.abort(gone);
    for (const one of left) await assert.rejects(one, gone);
    const stays = directory.verify(attempt('stays'));
    while (held.length === 0) await sleep(1);
    held.shift()?.();
    // What had been asked is answered, and counts.
    assert.deepEqual(await under, noMatch);
    while (held.length === 0) await sleep(1);
    held.shift()?.();
    assert.deepEqual(await stays, noMatch);
    assert.deepEqual(
      hook.bodies.map(({ username }) => username),
      ['first', 'stays'],
    );
  });

  test('after five failures it is left alone; back, it is in use within 5 s', async (t) => {
    const hook = await startHook(t, hangUp);
    const { directory, clock } = openDirectory(hook.url);
    const verify = (): Promise<unknown> => directory.verify(attempt('ann'));
    for (const _ of Array.from({ length: 5 })) await refusal(verify());
    assert.equal(hook.asked.length, 5);
    for (const _ of Array.from({ length: 100 })) {
      assert.match(await refusal(verify()), /: it failed too often: circuit open$/);
    }
    assert.equal(hook.asked.length, 5);
    hook.become(answering(200, noMatchBody));
    clock.advance(2);
    assert.deepEqual(await verify(), noMatch);
    assert.deepEqual(await verify(), noMatch);
  });

  test('flapping: each time it is there again it is used again', async (t) => {
    const hook = await startHook(t, hangUp);
    const { directory, clock } = openDirectory(hook.url);
    for (const _ of Array.from({ length: 3 })) {
      hook.become(answering(503, ''));
      for (let time = 0; time < 8; time += 1) await refusal(directory.verify(attempt('ann')));
      clock.advance(2);
      await refusal(directory.verify(attempt('ann')));
      hook.become(answering(200, noMatchBody));
      await refusal(directory.verify(attempt('ann')));
      clock.advance(2);
      assert.deepEqual(await directory.verify(attempt('ann')), noMatch);
    }
    // Five failures, one probe in vain, one that succeeds: nothing else was asked.
    assert.equal(hook.asked.length, 3 * 7);
  });

  test('a question that the hook chokes on does not shut the directory for others', async (t) => {
    const hook = await startHook(t, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { username } = JSON.parse(Buffer.concat(chunks).toString()) as { username: string };
        answering(username === 'ann' ? 200 : 500, noMatchBody)(request, response);
      });
    });
    const { directory } = openDirectory(hook.url);
    for (const _ of Array.from({ length: 20 })) await refusal(directory.verify(attempt('bomb')));
    assert.deepEqual(await directory.verify(attempt('ann')), noMatch);
  });

  for (const concurrency of [1, 2, 4]) {
    test(`HOSTILE 73: beside a flood of logins refreshes have places and turns, ${concurrency} at once`, async (t) => {
      const held: (() => void)[] = [];
      const hook = await startHook(t, (request, response) => {
        const path = request.url ?? '';
        const answer = (): void =>
          answering(200, path.endsWith('status') ? '{"outcome":"active"}' : noMatchBody)(
            request,
            response,
          );
        held.push(answer);
      });
      const { directory } = openDirectory(hook.url, { concurrency });
      const flood = Array.from({ length: 100 }, (_, n) =>
        directory.verify(attempt(`ann-${n}`, { owners: [String(n)] })).catch(() => undefined),
      );
      const refreshes = Array.from({ length: 4 }, async () =>
        directory.isActive('airline-ann' as Subject),
      );
      const isDone = Promise.all(refreshes).then(() => true);
      let answered = 0;
      while (!(await Promise.race([isDone, sleep(5)]))) {
        // One at a time, so that the order is the gate's.
        const answer = held.shift();
        answer?.();
        if (answer !== undefined) answered += 1;
      }
      assert.deepEqual(await Promise.all(refreshes), Array<boolean>(4).fill(true));
      // At worst they take turns with logins: those that were under way, and one for each of them.
      assert.ok(answered <= concurrency + 8, `after ${answered} answers`);
      hook.become(answering(200, noMatchBody));
      for (const answer of held.splice(0)) answer();
      await Promise.all(flood);
    });
  }

  test('a slow hook: so many at once, so many wait, the rest is refused at once; nobody waits for longer than the limit', async (t) => {
    let held: (() => void)[] = [];
    const hook = await startHook(t, (request, response) => {
      held.push(() => answering(200, noMatchBody)(request, response));
    });
    // Half of it may be waited for a turn; the other half is for the machine.
    const limits = { ...patientLimits, total: milliseconds(6000) };
    const { directory } = openDirectory(hook.url, { limits });
    const reasons: string[] = [];
    const asked = Array.from({ length: 60 }, () =>
      directory.verify(attempt('ann')).catch((error: unknown) => {
        reasons.push((error as Error).message.replace(/^.*?: /, ''));
      }),
    );
    // Three of the four that may be under way: one is kept for refreshes.
    while (reasons.length < 57) await sleep(5);
    assert.deepEqual(reasons.slice(0, 57), [
      ...Array<string>(25).fill('too many are waiting already'),
      ...Array<string>(32).fill('too many are asked for already'),
    ]);
    assert.equal(hook.asked.length, 3);
    for (const answer of held) answer();
    held = [];
    await Promise.all(asked);
    hook.become(answering(200, noMatchBody));
    assert.deepEqual(await directory.verify(attempt('ann')), noMatch, 'and it goes on');
    assert.equal(hook.asked.length, 4, 'who gave up is asked about no more');
  });
});
