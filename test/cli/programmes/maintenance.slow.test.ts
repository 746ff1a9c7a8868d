// Maintenance on running servers: every answer of the shipped programmes, and that nothing is spent.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import type { Client } from '../../../src/oauth/client.ts';
import { openSite, type Site } from '../../faults/site.ts';
import { programme, tokensIn } from '../../support/club.ts';
import { introspect, managed, revoke, verify } from '../../support/gateway.ts';
import { shippedProgramme } from '../../support/jetway.ts';
import { openLogin, submitLogin } from '../../support/login.ts';
import { readPage } from '../../support/page.ts';
import { joinClub, secondClub, thirdClub } from '../../support/partner_club.ts';
import {
  executiveClub,
  partnerClub,
  sharedPath,
  type SpokenClub,
} from '../../support/spoken_club.ts';
import { type Answer, ask } from '../../support/wire.ts';
import { configText, jetway, jetwayJson, programmeText, workFolder } from '../command.ts';

/** Members who are locked after two wrong passwords. */
const tight = `${managed}login: { lockout: { attempts: 2 } }\n`;

/** A partner who may send three token requests a day. */
const client: { readonly more: Partial<Client> } = {
  more: { throttle: { limit: 3, window: 86_400_000 } },
};

interface Clubs extends Site {
  /** The three shipped clubs, at one of the site's servers. */
  readonly at: (url: string) => readonly [SpokenClub, SpokenClub, SpokenClub];
}

async function openClubs(t: TestContext): Promise<Clubs> {
  const names = [programme, secondClub.programme, thirdClub.programme];
  const texts = names.map((name) => [name, shippedProgramme(name, tight)] as const);
  const site = await openSite(t, { programmes: Object.fromEntries(texts), client });
  const [second, third] = [
    await joinClub(site.club, secondClub, client),
    await joinClub(site.club, thirdClub, client),
  ];
  return {
    ...site,
    at: (url) => [
      executiveClub({ ...site.club, url }, programme),
      partnerClub({ ...second, url }),
      partnerClub({ ...third, url }),
    ],
  };
}

function verifyMember({ jetway: server, base }: SpokenClub, token: string): Promise<Answer> {
  return verify(server, base, 'member', { token });
}

function assertDifficulties(answer: Answer, seconds: number): void {
  const { 'retry-after': wait, ...headers } = answer.headers;
  assert.equal(wait, String(seconds));
  const title = 'You cannot log in at the moment';
  assert.deepEqual(readPage({ ...answer, headers }), {
    status: 503,
    title,
    heading: title,
    text: ['We are having difficulties. Please try again later.'],
  });
}

test('G-22 P-11: maintenance answers in the words of each programme, in every server at once, and spends nothing', async (t) => {
  const site = await openClubs(t);
  const urls = [(await site.start()).url, (await site.start()).url];
  const [url = ''] = urls;
  const clubs = site.at(url);
  for (const [index, club] of clubs.entries()) {
    const login = await openLogin(url, club.loginTarget, club.loginMethod);
    const tokens = await club.login();
    const code = await club.code();
    const { stdout } = await jetway(site.folder, ['maintenance', 'on', club.name]);
    assert.equal(
      stdout,
      `${club.name} is in maintenance: callers are told to come back after 1m\n`,
    );
    const refused = club.unavailable(60);
    for (const at of urls) {
      const here = site.at(at)[index] ?? club;
      const other = site.at(at)[(index + 1) % clubs.length] ?? club;
      // More than the partner's budget, and wrong passwords enough to lock the member.
      for (let round = 0; round < 2; round += 1) {
        assert.deepEqual(await here.redeem(code), refused);
        assert.deepEqual(await here.refresh(tokens.refresh), refused);
        const wrong = { ...site.club.member, password: 'wrong' };
        assertDifficulties(await submitLogin(at, login, wrong), 60);
      }
      assert.deepEqual(await verifyMember(here, tokens.access), refused);
      const { basic } = club.client;
      assert.deepEqual(await introspect(here.jetway, club.base, basic, tokens.access), refused);
      assert.deepEqual(await revoke(here.jetway, club.base, basic, tokens.refresh), refused);
      assertDifficulties(await ask(at, club.loginTarget, { method: club.loginMethod }), 60);
      const shown = `${login.action}?transaction=${login.hidden['transaction']}`;
      assertDifficulties(await ask(at, shown, { headers: { cookie: login.cookie } }), 60);
      const [, picture = ''] = /<img [^>]*src="([^"]*)"/.exec(login.page.body) ?? [];
      for (const path of [...club.published, picture]) {
        assert.equal((await ask(at, path)).status, 200, path);
      }
      // Whoever is not concerned goes on.
      assert.equal((await verifyMember(other, 'unknown')).status, 401);
    }
    const off = await jetway(site.folder, ['maintenance', 'off', club.name]);
    assert.equal(off.stdout, `${club.name} is in service again\n`);
    for (const at of urls) {
      const here = site.at(at)[index] ?? club;
      assert.equal((await verifyMember(here, tokens.access)).status, 200);
    }
    const back = await submitLogin(url, login, site.club.member);
    assert.ok(URL.parse(back.headers['location'] ?? '')?.searchParams.get('code'), back.body);
    // One of three requests was spent before: two are left of the partner's budget.
    const redeemed = tokensIn(await club.redeem(code));
    const refreshed = tokensIn(await club.refresh(tokens.refresh));
    assert.equal((await verifyMember(club, redeemed.access_token)).status, 200);
    const { access_token: last } = refreshed;
    const active = await introspect(club.jetway, club.base, club.client.basic, last);
    assert.equal((JSON.parse(active.body) as { readonly active: boolean }).active, true);
  }
});

test('maintenance outlasts a restart, is told at start, and may begin and end while none runs', async (t) => {
  const site = await openClubs(t);
  const first = await site.start();
  const [club] = site.at(first.url);
  const { refresh } = await club.login();
  const begun = (await jetwayJson(site.folder, [
    'maintenance',
    'on',
    club.name,
    '--retry-after',
    '90s',
  ])) as { readonly since: string };
  assert.match(begun.since, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const { since } = begun;
  const on = { programme: club.name, maintenance: 'on', since, retry_after: '90s' };
  assert.deepEqual(begun, { ...on, was_on: false });
  assert.deepEqual(await club.refresh(refresh), club.unavailable(90));
  await first.server.end('SIGTERM');

  const second = await site.start();
  const [again] = site.at(second.url);
  assert.match(
    second.server.printed().stdout,
    new RegExp(
      `^admin: \\S+\n${club.name} is in maintenance since ${since}: jetway maintenance off ${club.name} ends it\n`,
    ),
  );
  assert.deepEqual(await again.refresh(refresh), club.unavailable(90));
  const repeated = await jetwayJson(site.folder, ['maintenance', 'on', club.name]);
  assert.deepEqual(repeated, { ...on, was_on: true });
  const longer = ['maintenance', 'on', club.name, '--retry-after', '2h'];
  assert.deepEqual(await jetway(site.folder, longer), {
    code: 0,
    stdout: `${club.name} is in maintenance already, since ${since}: callers are told to come back after 2h\n`,
    stderr: '',
  });
  assert.deepEqual(await again.refresh(refresh), club.unavailable(7200));
  await second.server.end('SIGTERM');

  const off = { programme: club.name, maintenance: 'off', since: null, retry_after: null };
  const args = ['maintenance', 'off', club.name];
  assert.deepEqual(await jetwayJson(site.folder, args), { ...off, was_on: true });
  assert.deepEqual(await jetwayJson(site.folder, args), { ...off, was_on: false });
  const third = await site.start();
  assert.ok(!third.server.printed().stdout.includes('maintenance'));
  tokensIn(await site.at(third.url)[0].refresh(refresh));
});

test('maintenance of a programme whose file is broken goes on, and of an unknown one is refused', async (t) => {
  const site = await openClubs(t);
  const [club] = site.at((await site.start()).url);
  writeFileSync(join(site.folder, `programmes/${club.name}.yaml`), 'variant: [\n');
  assert.equal((await jetway(site.folder, ['maintenance', 'on', club.name])).code, 0);
  assert.deepEqual(await club.refresh('any'), club.unavailable(60));
  assert.deepEqual(await jetway(site.folder, ['maintenance', 'off', 'second-clob']), {
    code: 2,
    stdout: '',
    stderr: 'there is no programme "second-clob" (did you mean "second-club"?)\n',
  });
  for (const wait of ['500ms', '25h', 'soon']) {
    const line: string[] = ['maintenance', 'on', club.name, '--retry-after', wait];
    assert.deepEqual(await jetway(site.folder, line), {
      code: 2,
      stdout: '',
      stderr: `--retry-after must be a duration from 1s to 24h, not "${wait}"\n`,
    });
  }
});

test('maintenance of a programme whose file is gone can end', async (t) => {
  const site = await openClubs(t);
  const [club] = site.at((await site.start()).url);
  await jetway(site.folder, ['maintenance', 'on', club.name]);
  rmSync(join(site.folder, `programmes/${club.name}.yaml`));
  assert.deepEqual(await club.refresh('any'), club.unavailable(60));
  const off = ['maintenance', 'off', club.name];
  assert.equal((await jetway(site.folder, off)).stdout, `${club.name} is in service again\n`);
  assert.equal((await club.refresh('any')).status, 400);
  assert.deepEqual(await jetway(site.folder, off), {
    code: 2,
    stdout: '',
    stderr: `there is no programme "${club.name}" (there are club, second-club, third-club)\n`,
  });
});

test('C-2: of two programmes on one path only the one in maintenance is out of service', async (t) => {
  const programmes = { club: programmeText('Club'), ...sharedPath.programmes };
  const site = await openSite(t, { programmes });
  const { url } = await site.start();
  const [second, third] = [
    partnerClub({ ...(await joinClub(site.club, sharedPath.second)), url }),
    partnerClub({ ...(await joinClub(site.club, sharedPath.third)), url }),
  ];
  const code = await third.code();
  assert.equal((await jetway(site.folder, ['maintenance', 'on', second.name])).code, 0);
  assert.deepEqual(await second.redeem(code), second.unavailable(60));
  const refusedPage = await ask(url, second.loginTarget, { method: 'POST' });
  assertDifficulties(refusedPage, 60);
  tokensIn(await third.redeem(code));
  await third.code();
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
