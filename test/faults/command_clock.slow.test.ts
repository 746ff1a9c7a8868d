// DESIGN, "Command line", and FAULTS 28: what an operator changes counts in every running server with the next
// request. Commands whose clock is not the servers' end what was issued before, and nothing else.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';

import { decodeProtectedHeader } from 'jose';

import {
  askTokens,
  codeFor,
  invalidCode,
  invalidRefreshToken,
  partnerTokenOf,
  programme,
  redeem,
  refresh,
  tokensIn,
  tokensOfLogin,
  unknownClient,
} from '../support/club.ts';
import { verify } from '../support/gateway.ts';
import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { openFleet, openSite, type ServedClub, type Site } from './site.ts';

const tenYears = 315_360_000;
/** Seconds by which a command's clock is ahead. */
const apart = [0, 600, -600, 3600, -3600, tenYears, -tenYears];

const over = 'tokens: { access: { format: jwt } }\n';

/** What each server answers about a token at a gateway. */
const statuses = (clubs: readonly ServedClub[], token: string): Promise<readonly number[]> =>
  Promise.all(
    clubs.map(async (club) => (await verify(club, programme, 'client', { token })).status),
  );

const kidOf = (token: string): string => decodeProtectedHeader(token).kid ?? '';

test('FAULTS 28: a command’s clock is no matter to what it ends', async (t) => {
  await tryCommands(t, await openSite(t, { over }), apart);
});

test(
  'FAULTS 28: nor is it with a store in PostgreSQL',
  { skip: without('postgres') },
  async (t) => {
    await tryCommands(t, await openFleet(t, over), [600, -tenYears]);
  },
);

/** Runs commands whose clocks are so many seconds ahead, beside two servers. */
async function tryCommands(t: TestContext, site: Site, clocks: readonly number[]): Promise<void> {
  const clubs = [await site.start(), await site.start()] as const;
  const [one, other] = clubs;
  const { id } = one.client;
  for (const ahead of clocks) {
    const run = (...args: string[]) => site.runAhead(ahead, ...args, '--programme', programme);
    await t.test(`token revoke and client disable, ${ahead} s ahead`, async () => {
      const [own, late] = [await partnerTokenOf(one), await codeFor(one)];
      const { refresh_token: token } = await tokensOfLogin(other);
      assert.deepEqual(await statuses(clubs, own), [200, 200]);
      await run('token', 'revoke', '--client', id);
      assert.deepEqual(await statuses(clubs, own), [401, 401]);
      assert.deepEqual(await refresh(one, token), invalidRefreshToken);
      assert.deepEqual(await redeem(other, late), invalidCode);
      assert.deepEqual(await statuses(clubs, await partnerTokenOf(other)), [200, 200]);
      tokensIn(await refresh(other, (await tokensOfLogin(one)).refresh_token));

      await run('client', 'disable', id);
      const fields = { grant_type: 'client_credentials' };
      for (const club of clubs) assert.deepEqual(await askTokens(club, fields), unknownClient);
      await run('client', 'enable', id);
      assert.deepEqual(await statuses(clubs, await partnerTokenOf(one)), [200, 200]);
    });

    await t.test(`key rotate --now and key retire --force, ${ahead} s ahead`, async () => {
      const before = await partnerTokenOf(one);
      const rotated = JSON.parse(await run('key', 'rotate', '--now', '--json')) as Rotated;
      const [{ kid, retiring }] = rotated;
      for (const club of clubs) await until(async () => kidOf(await partnerTokenOf(club)) === kid);
      assert.deepEqual(await statuses(clubs, before), [200, 200]);
      // What the old key signed lives for half an hour; the dates are of the servers' time.
      const left = Date.parse(retiring[0].retires_at) - site.clock.now();
      assert.ok(left > 1_500_000 && left <= 1_800_000 + 1000, `${left}`);
      const after = await partnerTokenOf(one);
      await run('key', 'retire', '--kid', kidOf(before), '--force');
      await until(async () => (await statuses(clubs, before)).every((status) => status === 401));
      assert.deepEqual(await statuses(clubs, after), [200, 200]);
    });

    await t.test(`client rotate-secret, retire-secret and remove, ${ahead} s ahead`, async () => {
      const { client_id: name, client_secret: old } = JSON.parse(
        await run('client', 'add', '--name', 'Other', '--role', 'partner', '--json'),
      ) as Added;
      const made = await run('client', 'rotate-secret', name, '--overlap', '1h', '--json');
      const { client_secret: fresh } = JSON.parse(made) as Added;
      const ask = async (secret: string): Promise<readonly number[]> => {
        const authorization = `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
        const fields = { grant_type: 'client_credentials' };
        const answers = clubs.map((club) => askTokens(club, fields, { authorization }));
        return (await Promise.all(answers)).map(({ status }) => status);
      };
      assert.deepEqual(
        [await ask(old), await ask(fresh)],
        [
          [200, 200],
          [200, 200],
        ],
      );
      await run('client', 'retire-secret', name);
      assert.deepEqual(
        [await ask(old), await ask(fresh)],
        [
          [401, 401],
          [200, 200],
        ],
      );
      // C-5: for good.
      await run('client', 'remove', name, '--yes');
      assert.deepEqual(await ask(fresh), [401, 401]);
    });
  }
}

type Rotated = readonly [
  { readonly kid: string; readonly retiring: readonly [{ readonly retires_at: string }] },
];

interface Added {
  readonly client_id: string;
  readonly client_secret: string;
}

test('FAULTS 28: store restore voids what there was and leaves no mark in the future', async (t) => {
  const site = await openSite(t, { over });
  let club = await site.start();
  await club.store.close();
  await site.runAhead(tenYears, 'store', 'backup', 'backup.db');
  for (const ahead of [tenYears, -3600]) {
    const [own, login] = [await partnerTokenOf(club), await tokensOfLogin(club)];
    assert.equal(await club.server.end('SIGTERM'), 0);
    await site.runAhead(ahead, 'store', 'restore', 'backup.db', '--yes');
    club = await site.start();
    assert.deepEqual(await statuses([club], own), [401]);
    assert.deepEqual(await refresh(club, login.refresh_token), invalidRefreshToken);
    assert.deepEqual(await statuses([club], await partnerTokenOf(club)), [200]);
    tokensIn(await refresh(club, (await tokensOfLogin(club)).refresh_token));
  }
});

test('FAULTS 28: with no server running, what its clock issued ends too', async (t) => {
  const site = await openSite(t, { over });
  const wild = await site.start({ ahead: 3600 });
  const own = await partnerTokenOf(wild);
  await until(async () => (await wild.store.time()).recorded !== undefined);
  assert.equal(await wild.server.end('SIGKILL'), null);
  await site.run('token', 'revoke', '--client', wild.client.id, '--programme', programme);
  const right = await site.start({ args: ['--accept-clock'] });
  const after = await partnerTokenOf(right);
  assert.deepEqual(await statuses([right], own), [401]);
  await site.pass(3600);
  assert.deepEqual(await statuses([right], own), [401]);
  assert.deepEqual(await statuses([right], after), [401]);
  assert.deepEqual(await statuses([right], await partnerTokenOf(right)), [200]);
});
