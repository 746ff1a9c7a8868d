// Tests of workers that serve two versions of a programme for a while: what was begun in one is finished in
// the other.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import type { StatusView } from '../../../src/server/status.ts';
import { openFleet } from '../../faults/site.ts';
import { loginTarget, programme, redeem, refresh, tokensIn } from '../../support/club.ts';
import { eventLines } from '../../support/log_lines.ts';
import { openLogin, submitLogin } from '../../support/login.ts';
import { without } from '../../support/tools.ts';
import { until } from '../../support/until.ts';

const skip = without('postgres');

test(
  'FAULTS 18: logins, codes and refresh tokens cross two versions that workers serve side by side',
  { skip },
  async (t) => {
    const more = 'stop_delay: 0s\nworkers: 2\ncontrol: ./control\n';
    const site = await openFleet(t, '', undefined, more);
    const club = await site.start();
    const status = async (): Promise<StatusView> =>
      JSON.parse(await site.run('status', '--json')) as StatusView;
    const second = (await status()).workers?.[1]?.pid ?? 0;
    const path = join(site.folder, `programmes/${programme}.yaml`);
    const text = readFileSync(path, 'utf8');
    const told = (event: string): boolean =>
      eventLines(club.server.printed().stderr).some((line) => line.includes(`"${event}"`));
    // The second worker sees the file again once it is broken: it stays with the version of before.
    process.kill(second, 'SIGSTOP');
    writeFileSync(path, text.replace(/^name: .*$/m, 'name: The Second Version'));
    await until(() => told('programme_changed'));
    writeFileSync(path, 'variant: [\n');
    await until(() => told('programme_not_taken_up'));
    process.kill(second, 'SIGCONT');
    await until(async () =>
      (await status()).health.reasons.some((reason) => reason.startsWith('worker 2: ')),
    );
    const names = new Set<string>();
    // Connections are dealt out one after another: each step is of the one version or the other.
    for (let round = 0; round < 12; round += 1) {
      const login = await openLogin(club.url, loginTarget(club.client));
      names.add(login.page.body.includes('The Second Version') ? 'second' : 'first');
      const { headers } = await submitLogin(club.url, login, club.member);
      const code = new URL(headers['location'] ?? '').searchParams.get('code') ?? '';
      const { refresh_token: token } = tokensIn(await redeem(club, code));
      assert.ok(tokensIn(await refresh(club, token)).refresh_token);
    }
    assert.deepEqual([...names].toSorted(), ['first', 'second']);
    writeFileSync(path, text);
    assert.match(await site.run('reload'), /changed, and served as the file has it now/);
  },
);
