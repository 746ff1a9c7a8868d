// FAULTS 18: a hundred reloads under load cost no request, and a login that was begun goes on.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { jetway } from '../cli/command.ts';
import { isLive, loginTarget, programme, redeem, refresh, tokensIn } from '../support/club.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { startLoad } from './load.ts';
import { openSite, unthrottled } from './site.ts';

const reloads = 100;

interface LogLine {
  readonly event: string;
  /** By event and programme: how many lines were left out. */
  readonly lines?: Readonly<Record<string, number>>;
}

test('FAULTS 18: a hundred reloads under load: no failure, and everything begun ends well', async (t) => {
  const site = await openSite(t, { over: unthrottled });
  const club = await site.start();
  const path = join(site.folder, `programmes/${programme}.yaml`);
  const text = readFileSync(path, 'utf8');
  const login = await openLogin(club.url, loginTarget(club.client));
  const load = startLoad(club, 8, 20);
  let code = '';
  let refreshToken = '';
  for (let round = 0; round < reloads; round += 1) {
    writeFileSync(path, `${text}\nname: The Club ${round}\n`.replace(/^name: .*\n/m, ''));
    const { code: exit, stdout } = await jetway(site.folder, ['reload']);
    assert.equal(exit, 0, stdout);
    // One step of the login and what follows at every tenth version.
    if (round === 10) {
      const { headers } = await submitLogin(club.url, login, club.member);
      code = new URL(headers['location'] ?? '').searchParams.get('code') ?? '';
    } else if (round === 20) {
      refreshToken = tokensIn(await redeem(club, code)).refresh_token ?? '';
    } else if (round > 20 && round % 10 === 0) {
      refreshToken = tokensIn(await refresh(club, refreshToken)).refresh_token ?? '';
    }
  }
  await load.reach(100);
  await load.stop();
  assert.deepEqual(load.told.failures, []);
  assert.equal(await isLive(club, load.told.tokens[0] ?? ''), true);
  assert.equal(await club.server.end('SIGTERM'), 0);
  const lines = club.server.printed().stderr.trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line) as LogLine);
  const changes = events.reduce(
    (sum, { event, lines: leftOut }) =>
      sum +
      (event === 'programme_changed' ? 1 : (leftOut?.[`programme_changed ${programme}`] ?? 0)),
    0,
  );
  assert.equal(changes, reloads);
  const kinds = new Set(events.map(({ event }) => event));
  kinds.delete('lines_left_out');
  for (const kind of ['request', 'login', 'command']) kinds.delete(kind);
  assert.deepEqual([...kinds].toSorted(), ['programme_changed', 'reloaded']);
});
