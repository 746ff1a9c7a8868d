// FAULTS 27: the audit stream of real processes that write it at once, are killed while they do, and find
// its disk full or blocked.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { jetwayJson } from '../cli/command.ts';
import {
  askPartnerToken,
  codeFor,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { fillUp } from '../support/full_disk.ts';
import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { ask } from '../support/wire.ts';
import { startLoad } from './load.ts';
import { openSite, readiness, type ServedClub, type Site, unthrottled } from './site.ts';

interface Line extends Readonly<Record<string, unknown>> {
  readonly event: string;
  readonly request?: string;
}

function linesOf({ folder }: Site, name = 'data/audit.jsonl'): readonly Line[] {
  const lines = readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1);
  return lines.flatMap((line) => (line.endsWith('"}') ? [JSON.parse(line) as Line] : []));
}

async function expectWhole({ folder }: Site): Promise<void> {
  const { whole, breaks } = (await jetwayJson(folder, ['audit', 'verify'])) as {
    whole: boolean;
    breaks: unknown;
  };
  assert.ok(whole, JSON.stringify(breaks));
}

test('servers under load and commands write one chain; kill -9 loses a moment at most', async (t) => {
  const site = await openSite(t, { over: unthrottled });
  const issued = new Set<unknown>();
  for (let round = 0; round < 4; round += 1) {
    const club = await site.start();
    const load = startLoad(club, 8);
    const commands = ['Green', 'Red'].map((name) =>
      site.run('client', 'set', club.client.id, '--name', `${name} ${round}`),
    );
    await Promise.all(commands);
    await until(() => load.told.tokens.length > 20 * (round + 1));
    const last = round === 3;
    assert.equal(await club.server.end(last ? 'SIGTERM' : 'SIGKILL'), last ? 0 : null);
    await load.stop();
    await expectWhole(site);
  }
  const lines = linesOf(site);
  for (const { event, request } of lines) {
    if (event === 'token_issued') {
      assert.ok(!issued.has(request), 'an event is told once');
      issued.add(request);
    }
  }
  assert.ok(issued.size > 0);
  const count = (name: string): number => lines.filter(({ event }) => event === name).length;
  assert.deepEqual(
    ['server_started', 'server_stopped', 'client_changed', 'command_ended'].map(count),
    [4, 1, 8, 8],
  );
});

/** Blocks every writer, as one that hangs does; the returned function ends that. */
function block({ folder }: Site): () => void {
  const holder = new DatabaseSync(join(folder, 'data/audit.jsonl.lock'), { timeout: 60_000 });
  holder.exec('BEGIN IMMEDIATE');
  return () => holder.close();
}

const reasonsOf = async (club: ServedClub): Promise<readonly string[]> =>
  (await readiness(club))[1].reasons;

const away = refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });
const trouble = 'the audit stream cannot be written: database is locked';

test('refuse: a blocked stream degrades at once, then refuses what it would be told of', async (t) => {
  const site = await openSite(t, { over: `${unthrottled}\ntokens: { access: { format: jwt } }` });
  const club = await site.start();
  const { refresh_token: token } = await tokensOfLogin(club);
  const release = block(site);
  tokensIn(await askPartnerToken(club));
  await until(async () => (await reasonsOf(club)).includes(trouble));
  // The buffer takes ten seconds of events.
  await until(async () => (await askPartnerToken(club)).status === 503);
  assert.deepEqual(await askPartnerToken(club), away);
  assert.deepEqual(await refresh(club, token), away);
  await assert.rejects(codeFor(club));
  // Nothing of these is told.
  assert.equal((await ask(club.url, '/executive-club/.well-known/jwks.json')).status, 200);
  assert.equal((await ask(club.server.admin, '/livez')).status, 200);
  release();
  await until(async () => (await askPartnerToken(club)).status === 200);
  assert.deepEqual(await reasonsOf(club), []);
  // What was refused has spent nothing.
  tokensIn(await refresh(club, token));
  assert.equal(await club.server.end('SIGTERM'), 0);
  const events = linesOf(site).map(({ event }) => event);
  assert.ok(events.includes('audit_resumed') && !events.includes('events_lost'));
  assert.equal(events.at(-1), 'server_stopped');
  await expectWhole(site);
});

const mounting = { skip: without('mount') };

test(
  'drop: a full disk refuses nothing; what was dropped is counted once there is room',
  mounting,
  async (t) => {
    const trail = 'trail/audit.jsonl';
    const more = `stop_delay: 0s\naudit: { file: ./${trail}, on_failure: drop }\n`;
    const site = await openSite(t, { over: unthrottled, more });
    const folder = join(site.folder, 'trail');
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', folder]);
    try {
      const club = await site.start();
      tokensIn(await askPartnerToken(club));
      // Its file is there before the disk is full; the server does not wait for that.
      const told = (event: string): boolean =>
        existsSync(join(site.folder, trail)) &&
        linesOf(site, trail).some((line) => line.event === event);
      await until(() => told('token_issued'));
      const ballast = join(folder, 'ballast');
      fillUp(ballast);
      await until(async () => {
        tokensIn(await askPartnerToken(club));
        return (await reasonsOf(club)).some((reason) => reason.includes('audit stream'));
      });
      // For as long as the buffer takes events, and then some.
      const end = performance.now() + 12_000;
      await until(async () => {
        tokensIn(await askPartnerToken(club));
        return performance.now() > end;
      });
      rmSync(ballast);
      await until(() => told('events_lost'));
      await expectWhole(site);
      assert.equal(await club.server.end('SIGTERM'), 0);
    } finally {
      spawnSync('umount', ['-l', folder]);
    }
  },
);
