// Maintenance on running servers: every answer of the shipped programmes, and that nothing is spent.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { shippedLogos, shippedProgramme } from '../../support/jetway.ts';
import { openLogin, submitLogin } from '../../support/login.ts';
import { namesOf } from '../../support/partner_club.ts';
import { ask } from '../../support/wire.ts';
import { configText, jetway, jetwayJson, workFolder } from '../command.ts';
import { type ServerProcess, startServer } from '../server.ts';
import {
  assertDifficulties,
  codeFor,
  codeIn,
  manage,
  member,
  openSite,
  partnerClub,
  type Site,
  tight,
  tokensIn,
  verify,
} from '../spoken_club.ts';

async function startTwo(t: TestContext, { folder }: Site): Promise<readonly ServerProcess[]> {
  return [await startServer(t, folder), await startServer(t, folder)];
}

test('G-22 P-11: maintenance answers in the words of each programme, in every server at once, and spends nothing', async (t) => {
  const site = await openSite(t);
  const servers = await startTwo(t, site);
  const [{ url } = { url: '' }] = servers;
  for (const [index, club] of site.clubs.entries()) {
    const other = site.clubs[(index + 1) % site.clubs.length] ?? club;
    const login = await openLogin(url, club.loginTarget, club.loginMethod);
    const tokens = tokensIn(await club.redeem(url, await codeFor(url, club)));
    const code = await codeFor(url, club);
    const { stdout } = await jetway(site.folder, ['maintenance', 'on', club.id]);
    assert.equal(stdout, `${club.id} is in maintenance: callers are told to come back after 1m\n`);
    const refused = club.unavailable(60);
    for (const server of servers) {
      const at = server.url;
      // More than the partner's budget, and wrong passwords enough to lock the member.
      for (let round = 0; round < 2; round += 1) {
        assert.deepEqual(await club.redeem(at, code), refused);
        assert.deepEqual(await club.refresh(at, tokens.refresh_token), refused);
        const wrong = { ...member, password: 'wrong' };
        assertDifficulties(await submitLogin(at, login, wrong), 60);
      }
      assert.deepEqual(await verify(at, club, tokens.access_token), refused);
      assert.deepEqual(await manage(at, club, 'introspect', tokens.access_token), refused);
      assert.deepEqual(await manage(at, club, 'revoke', tokens.refresh_token), refused);
      assertDifficulties(await ask(at, club.loginTarget, { method: club.loginMethod }), 60);
      const shown = `${login.action}?transaction=${login.hidden['transaction']}`;
      assertDifficulties(await ask(at, shown, { headers: { cookie: login.cookie } }), 60);
      const [, picture = ''] = /<img [^>]*src="([^"]*)"/.exec(login.page.body) ?? [];
      for (const path of [...club.published, picture]) {
        assert.equal((await ask(at, path)).status, 200, path);
      }
      // Whoever is not concerned goes on.
      assert.equal((await verify(at, other, 'unknown')).status, 401);
    }
    const off = await jetway(site.folder, ['maintenance', 'off', club.id]);
    assert.equal(off.stdout, `${club.id} is in service again\n`);
    for (const { url: at } of servers) {
      assert.equal((await verify(at, club, tokens.access_token)).status, 200);
    }
    codeIn(await submitLogin(url, login, member));
    // One of three requests was spent before: two are left of the partner's budget.
    const redeemed = tokensIn(await club.redeem(url, code));
    const refreshed = tokensIn(await club.refresh(url, tokens.refresh_token));
    assert.equal((await verify(url, club, redeemed.access_token)).status, 200);
    const active = await manage(url, club, 'introspect', refreshed.access_token);
    assert.equal((JSON.parse(active.body) as { readonly active: boolean }).active, true);
  }
});

test('maintenance outlasts a restart, is told at start, and may begin and end while none runs', async (t) => {
  const site = await openSite(t);
  const [club] = site.clubs;
  assert.ok(club);
  const first = await startServer(t, site.folder);
  const tokens = tokensIn(await club.redeem(first.url, await codeFor(first.url, club)));
  const begun = (await jetwayJson(site.folder, [
    'maintenance',
    'on',
    club.id,
    '--retry-after',
    '90s',
  ])) as { readonly since: string };
  assert.match(begun.since, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const { since } = begun;
  const on = { programme: club.id, maintenance: 'on', since, retry_after: '90s' };
  assert.deepEqual(begun, { ...on, was_on: false });
  assert.deepEqual(await club.refresh(first.url, tokens.refresh_token), club.unavailable(90));
  await first.end('SIGTERM');

  const second = await startServer(t, site.folder);
  assert.match(
    second.printed().stdout,
    new RegExp(
      `^${club.id} is in maintenance since ${since}: jetway maintenance off ${club.id} ends it\n`,
    ),
  );
  assert.deepEqual(await club.refresh(second.url, tokens.refresh_token), club.unavailable(90));
  const again = await jetwayJson(site.folder, ['maintenance', 'on', club.id]);
  assert.deepEqual(again, { ...on, was_on: true });
  const longer = ['maintenance', 'on', club.id, '--retry-after', '2h'];
  assert.deepEqual(await jetway(site.folder, longer), {
    code: 0,
    stdout: `${club.id} is in maintenance already, since ${since}: callers are told to come back after 2h\n`,
    stderr: '',
  });
  assert.deepEqual(await club.refresh(second.url, tokens.refresh_token), club.unavailable(7200));
  await second.end('SIGTERM');

  const off = { programme: club.id, maintenance: 'off', since: null, retry_after: null };
  const args = ['maintenance', 'off', club.id];
  assert.deepEqual(await jetwayJson(site.folder, args), { ...off, was_on: true });
  assert.deepEqual(await jetwayJson(site.folder, args), { ...off, was_on: false });
  const third = await startServer(t, site.folder);
  assert.ok(!third.printed().stdout.includes('maintenance'));
  tokensIn(await club.refresh(third.url, tokens.refresh_token));
});

test('maintenance of a programme whose file is broken goes on, and of an unknown one is refused', async (t) => {
  const site = await openSite(t);
  const [club] = site.clubs;
  assert.ok(club);
  const { url } = await startServer(t, site.folder);
  writeFileSync(join(site.folder, `programmes/${club.id}.yaml`), 'variant: [\n');
  assert.equal((await jetway(site.folder, ['maintenance', 'on', club.id])).code, 0);
  assert.deepEqual(await club.refresh(url, 'any'), club.unavailable(60));
  assert.deepEqual(await jetway(site.folder, ['maintenance', 'off', 'second-clob']), {
    code: 2,
    stdout: '',
    stderr: 'there is no programme "second-clob" (did you mean "second-club"?)\n',
  });
  for (const wait of ['500ms', '25h', 'soon']) {
    const line: string[] = ['maintenance', 'on', club.id, '--retry-after', wait];
    assert.deepEqual(await jetway(site.folder, line), {
      code: 2,
      stdout: '',
      stderr: `--retry-after must be a duration from 1s to 24h, not "${wait}"\n`,
    });
  }
});

test('maintenance of a programme whose file is gone can end', async (t) => {
  const site = await openSite(t);
  const [club] = site.clubs;
  assert.ok(club);
  const { url } = await startServer(t, site.folder);
  await jetway(site.folder, ['maintenance', 'on', club.id]);
  rmSync(join(site.folder, `programmes/${club.id}.yaml`));
  assert.deepEqual(await club.refresh(url, 'any'), club.unavailable(60));
  const off = ['maintenance', 'off', club.id];
  assert.equal((await jetway(site.folder, off)).stdout, `${club.id} is in service again\n`);
  assert.equal((await club.refresh(url, 'any')).status, 400);
  assert.deepEqual(await jetway(site.folder, off), {
    code: 2,
    stdout: '',
    stderr: `there is no programme "${club.id}" (there are club, second-club, third-club)\n`,
  });
});

test('C-2: of two programmes on one path only the one in maintenance is out of service', async (t) => {
  const at = (name: string, isDefault: boolean) =>
    shippedProgramme(
      name,
      `${tight}base_path: /clubs\nselector: { input: programme, default: ${isDefault} }\n`,
    );
  const folder = workFolder(t, {
    'programmes/second-club.yaml': at('second-club', true),
    'programmes/third-club.yaml': at('third-club', false),
    ...shippedLogos(),
  });
  const named = (name: string, identifier: string) =>
    partnerClub(folder, namesOf(name, identifier, '/clubs', `/clubs/${name}`));
  const [second, third] = [
    await named('second-club', 'SecondClub'),
    await named('third-club', 'ThirdClub'),
  ];
  const { url } = await startServer(t, folder);
  const code = await codeFor(url, third);
  assert.equal((await jetway(folder, ['maintenance', 'on', second.id])).code, 0);
  assert.deepEqual(await second.redeem(url, code), second.unavailable(60));
  const refusedPage = await ask(url, second.loginTarget, { method: 'POST' });
  assertDifficulties(refusedPage, 60);
  tokensIn(await third.redeem(url, code));
  await codeFor(url, third);
});

test('DESIGN: with a store in memory there is nothing to put into maintenance', async (t) => {
  const folder = workFolder(t, { 'config.yaml': configText.replace(/store: .*/, 'store: memory') });
  for (const verb of ['on', 'off']) {
    assert.deepEqual(await jetway(folder, ['maintenance', verb, 'club']), {
      code: 4,
      stdout: '',
      stderr:
        'the store is memory, which only a running server has: set store to file:PATH in the configuration\n',
    });
  }
});
