// FAULTS 31, HOSTILE 59: a log that nobody reads, and one that strangers try to fill.

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, createReadStream, openSync, readFileSync, writeSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { hashingLimits } from '../../src/members/hashing.ts';
import { loginTarget, refresh, refused, tokensIn, tokensOfLogin } from '../support/club.ts';
import { eventsNamed } from '../support/log_lines.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { bundleOf } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';
import { until } from '../support/until.ts';
import { lookInto, openSite } from './site.ts';

/** Runs a command with a named pipe as its standard error. */
const withPipe = (path: string): readonly string[] => ['sh', '-c', 'exec "$@" 2<>"$0"', path];

/** A pipe that nobody reads. */
function makePipe(folder: string): string {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

/** A pipe that nobody reads and that takes no byte more. */
function makeFullPipe(folder: string): string {
  const path = makePipe(folder);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  for (const size of [4096, 1]) {
    try {
      for (;;) writeSync(pipe, 'x'.repeat(size));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
    }
  }
  // A pipe keeps what is in it while one end is open.
  return path;
}

test('FAULTS 27, 31: a server whose log nobody reads, or takes, goes on, and ends when it is told', async (t) => {
  const site = await openSite(t);
  const clubs = [
    await site.start(),
    await site.start({ under: withPipe(makeFullPipe(site.folder)) }),
    await site.start(),
  ] as const;
  const [heard, , gone] = clubs;
  gone.server.child.stdout?.destroy();
  gone.server.child.stderr?.destroy();
  const { refresh_token: token } = await tokensOfLogin(heard);
  // G-22: what cannot write tells its operators so, each time.
  const busy = lookInto(site.path);
  busy.exec('BEGIN IMMEDIATE');
  const away = refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });
  const asked = clubs.flatMap((club) => [refresh(club, token), refresh(club, token)]);
  for (const answer of await Promise.all(asked)) assert.deepEqual(answer, away);
  busy.exec('ROLLBACK');
  busy.close();
  for (const club of clubs) {
    tokensIn(await refresh(club, (await tokensOfLogin(club)).refresh_token));
    assert.equal(await club.server.end('SIGTERM'), 0);
  }
  assert.ok(eventsNamed(heard.server.printed().stderr, 'unavailable').length > 0);
});

const talker = await bundleOf('test/faults/log_talker.ts');

type Reader = readonly [
  kind: string,
  under: readonly string[],
  log: (talker: ChildProcess) => NodeJS.ReadableStream | null,
];

function readers(folder: string): readonly Reader[] {
  const pipe = makePipe(folder);
  return [
    ['a pipe', withPipe(pipe), () => createReadStream(pipe)],
    // Of a service, systemd's journal is one.
    ['a socket', [], ({ stderr }) => stderr],
    ['a terminal', ['sh', '-c', 'exec script -qefc "$*" /dev/null', 'sh'], ({ stdout }) => stdout],
  ];
}

for (const [index, kind] of ['a pipe', 'a socket', 'a terminal'].entries()) {
  test(`FAULTS 31: what ${kind} does not take is kept within bounds, then counted`, async (t) => {
    for (const isRead of [false, true]) {
      const [name, under, logOf] = readers(scratchFolder(t, 'log'))[index] ?? assert.fail();
      assert.equal(name, kind);
      const [command, ...args] = [...under, process.execPath, talker];
      const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
      t.after(() => child.kill('SIGKILL'));
      const ended = once(child, 'exit');
      const [{ pid, waiting }] = (await once(child, 'message')) as [Talked];
      assert.ok(waiting > 1_000_000 && waiting < 1_100_000, `${waiting} bytes wait`);
      if (!isRead) {
        child.send('end');
        await until(() => hasEnded(pid));
        continue;
      }
      const told = text(logOf(child) ?? assert.fail());
      child.send('read');
      assert.deepEqual(await ended, [0, null]);
      const lines = (await told)
        .trimEnd()
        .split(/\r?\n/)
        .map((line) => JSON.parse(line) as Line);
      const counted = lines.pop();
      assert.ok(lines.every(({ event }) => event === 'store_warning'));
      assert.equal(counted?.event, 'lines_left_out');
      const leftOut = Object.values(counted.lines ?? {}).reduce((sum, count) => sum + count, 0);
      assert.equal(lines.length + leftOut, 20_000);
    }
  });
}

interface Talked {
  readonly pid: number;
  /** Bytes. */
  readonly waiting: number;
}

/** Also where its parent, which waits for the reader itself, has not looked after it. */
function hasEnded(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

interface Line {
  readonly time: string;
  readonly event: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly lines?: Readonly<Record<string, number>>;
}

test('HOSTILE 59: logins of one stranger while the queue is full cost few lines, and soon none', async (t) => {
  // More at once than there is room for.
  const limit = 300;
  const site = await openSite(t, { over: `login: { address_limit: { limit: ${limit} } }` });
  const club = await site.start();
  const begun = performance.now();
  const login = await openLogin(club.url, loginTarget(club.client));
  const { atOnce, waiting } = hashingLimits(availableParallelism());
  const statuses = new Map<number, number>();
  const all = 1500;
  let left = all;
  // Up to 100 requests may wait at once, and none of them is refused before it counts. Once the address is
  // blocked, answers come as fast as requests: few strangers go on.
  const few = 50;
  const stranger = async (_: unknown, index: number): Promise<void> => {
    await sleep(Math.floor(index / few) * 50);
    const last = index < few ? 0 : all - limit;
    while (left > last) {
      left -= 1;
      const typed = { username: `nobody-${left}`, password: 'wrong' };
      const { status } = await submitLogin(club.url, login, typed);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const strangers = atOnce + waiting + 100;
  await Promise.all(Array.from({ length: strangers }).map(stranger));
  assert.equal(await club.server.end('SIGTERM'), 0);
  const { 200: wrong = 0, 429: blocked = 0, 503: turnedAway = 0 } = Object.fromEntries(statuses);
  assert.equal(wrong + blocked + turnedAway, all);
  // Each counts for the address before it waits (HOSTILE 80).
  assert.ok(turnedAway > 0 && wrong + turnedAway === limit, `${wrong} ${turnedAway}`);
  const lines = club.server
    .printed()
    .stderr.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const told = lines.filter(({ event }) => event === 'overloaded');
  for (const { detail } of told) assert.equal(detail, 'too many passwords to be hashed at once');
  const spans = 1 + Math.floor((performance.now() - begun) / 10_000);
  assert.ok(told.length <= 20 * spans, `${told.length} lines in ${spans} spans`);
  // Requests without proof: twenty a second of one reason, a hundred in all.
  const requests = lines.filter(({ event }) => event === 'login' || event === 'request');
  const alike = Map.groupBy(requests, ({ reason = '', time }) => `${reason} ${time.slice(0, 19)}`);
  for (const [kind, { length }] of alike) {
    // A second of the clock may have parts of two of the log's.
    assert.ok(length <= 2 * 20, `${length} lines: ${kind}`);
  }
  const counts = lines.filter(({ event }) => event === 'lines_left_out');
  const known = new Set([...told, ...requests, ...counts]);
  assert.deepEqual(
    lines.filter((line) => !known.has(line)),
    [],
  );
  const leftOut = (kind: string): number =>
    counts.reduce((sum, { lines: kinds }) => sum + (kinds?.[`${kind} executive-club`] ?? 0), 0);
  assert.equal(told.length + leftOut('overloaded'), turnedAway);
  // The login's own two requests, and every one of the stranger's.
  assert.equal(requests.length + leftOut('request'), all + 2);
});
