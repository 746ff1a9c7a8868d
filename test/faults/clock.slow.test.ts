// FAULTS 10 to 12, 29, 30: a machine whose clock is wrong, before a start and under a running server.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { decodeProtectedHeader } from 'jose';

import {
  askPartnerToken,
  codeFor,
  invalidCode,
  invalidRefreshToken,
  partnerTokenOf,
  programme,
  redeem,
  refresh,
  type Tokens,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { verify } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import {
  acceptClock,
  lookInto,
  openSite,
  type ServedClub,
  type Site,
  told,
  untilTold,
} from './site.ts';

const hour = 3600;
const tenYears = 10 * 365 * 24 * hour;

/** Ends a server so that it has recorded the time that it is for it. */
async function stop({ path }: Site, { server }: ServedClub): Promise<void> {
  const database = lookInto(path);
  const recorded = database.prepare(`SELECT value FROM meta WHERE name = 'recorded_time'`);
  await until(() => recorded.get() !== undefined);
  database.close();
  assert.equal(await server.end('SIGTERM'), 0);
}

function loginRows({ path }: Site): number {
  const database = lookInto(path);
  const count = database.prepare('SELECT count(*) AS n FROM login').get()?.['n'];
  database.close();
  return Number(count);
}

// Most of each is waiting for rounds of a second.
describe('a wrong clock', { concurrency: 3 }, () => {
  test('FAULTS 10, 11: expiry goes by the time that passes, whatever the clock is set to', async (t) => {
    const site = await openSite(t);
    const club = await site.start();
    for (const [round, seconds] of [-hour, tenYears].entries()) {
      const code = await codeFor(club);
      const late = await codeFor(club);
      await club.server.setClock(seconds);
      await untilTold(club, 'clock_jump', 2 * round + 1);
      const before = tokensIn(await redeem(club, code));
      const fresh = tokensIn(await redeem(club, await codeFor(club)));
      assert.deepEqual([fresh.expires_in, fresh.ba_refresh_expires_in], [1800, 86_400]);
      await site.pass(121);
      assert.deepEqual(await redeem(club, late), invalidCode);
      tokensIn(await refresh(club, before.refresh_token));
      await club.server.setClock(-seconds);
      await untilTold(club, 'clock_jump', 2 * round + 2);
      tokensIn(await refresh(club, fresh.refresh_token));
    }
    const jumps = told(club, 'clock_jump');
    assert.match(jumps[0]?.detail ?? '', /^the machine's clock is -3600 s from the service's/);
    assert.match(jumps[2]?.detail ?? '', /^the machine's clock is 315360000 s from the service's/);
  });

  test('FAULTS 10: a start an hour behind is refused, unless it is accepted', async (t) => {
    const site = await openSite(t);
    const first = await site.start();
    const { refresh_token: issuedLater } = await tokensOfLogin(first);
    await stop(site, first);
    await assert.rejects(
      site.start({ ahead: -hour }),
      (error) =>
        error instanceof Error &&
        /^the server ended with 4 before it listened: the machine's clock says \S+Z, but \S+jetway\.db has recorded \S+Z: set the clock right; .*serve --accept-clock.*\n$/.test(
          error.message,
        ),
    );
    // A little is no reason to stay away: the server goes on at the time that was recorded.
    const soon = await site.start({ ahead: -20 });
    tokensIn(await refresh(soon, issuedLater));
    await stop(site, soon);

    const accepted = await site.start({ ahead: -hour, args: ['--accept-clock'] });
    // The login begins as late as the clock is set to.
    tokensIn(await refresh(accepted, issuedLater));
    const { refresh_token: fresh } = await tokensOfLogin(accepted);
    await stop(site, accepted);
    const again = await site.start({ ahead: -hour });
    tokensIn(await refresh(again, fresh));
  });

  test('FAULTS 11: ten years ahead and back costs nothing that was live', async (t) => {
    const site = await openSite(t);
    const first = await site.start();
    const live: Tokens[] = [await tokensOfLogin(first), await tokensOfLogin(first)];
    await stop(site, first);

    const wrong = await site.start({ ahead: tenYears });
    await untilTold(wrong, 'clock_gap');
    assert.match(
      told(wrong, 'clock_gap')[0]?.detail ?? '',
      /within the hour; until then nothing is purged$/,
    );
    assert.deepEqual(await refresh(wrong, live[0]!.refresh_token), invalidRefreshToken);
    const { refresh_token: ofTheFuture } = await tokensOfLogin(wrong);
    // Two rounds of housekeeping, which would have swept.
    await sleep(2200);
    assert.equal(loginRows(site), 3);
    await stop(site, wrong);

    await assert.rejects(site.start(), /ended with 4 before it listened/);
    const right = await site.start({ args: ['--accept-clock'] });
    for (const { refresh_token: token } of live) tokensIn(await refresh(right, token));
    // The login begins as late as the clock is set to.
    tokensIn(await refresh(right, ofTheFuture));
  });

  test('FAULTS 10: told to, a running server follows its machine’s clock, and can start again', async (t) => {
    const site = await openSite(t);
    const club = await site.start();
    const { refresh_token: issuedLater } = await tokensOfLogin(club);
    await club.server.setClock(-hour);
    await untilTold(club, 'clock_jump');
    club.server.child.kill('SIGUSR2');
    await untilTold(club, 'clock_accepted');
    // The login begins as late as the clock is set to.
    tokensIn(await refresh(club, issuedLater));
    const { refresh_token: fresh } = await tokensOfLogin(club);
    await stop(site, club);
    const again = await site.start({ ahead: -hour });
    tokensIn(await refresh(again, fresh));
  });

  test('FAULTS 29: what was revoked before the clock is accepted stays revoked', async (t) => {
    const site = await openSite(t, { over: 'tokens: { access: { format: jwt } }' });
    const club = await site.start();
    const statusOf = async (token: string): Promise<number> =>
      (await verify(club, programme, 'client', { token })).status;
    const first = await partnerTokenOf(club);
    await acceptClock(club, 600);
    const revoked = await partnerTokenOf(club);
    await site.run('token', 'revoke', '--client', club.client.id, '--programme', programme);
    const later = await partnerTokenOf(club);
    await site.run('key', 'rotate', '--now', '--programme', programme);
    const kidOf = (token: string): unknown => decodeProtectedHeader(token).kid;
    await until(async () => kidOf(await partnerTokenOf(club)) !== kidOf(revoked));
    const kid = kidOf(await partnerTokenOf(club));
    await acceptClock(club, -600);
    const fresh = await partnerTokenOf(club);
    assert.deepEqual(await Promise.all([first, revoked, fresh].map(statusOf)), [401, 401, 200]);
    await until(async () => kidOf(await partnerTokenOf(club)) === kid);
    // By now it is the time at which they say that they were issued.
    await site.pass(601);
    assert.deepEqual(
      await Promise.all([first, revoked, later, fresh].map(statusOf)),
      [401, 401, 401, 200],
    );
  });

  test('FAULTS 30: servers of one store follow the one at which the clock is accepted', async (t) => {
    const site = await openSite(t);
    const [one, other] = [await site.start(), await site.start()];
    const { refresh_token: before } = await tokensOfLogin(one);
    const follow = async (at: ServedClub, from: ServedClub, seconds: number): Promise<void> => {
      const was = await timeOf(from);
      const counts = [at, from].map((club) => told(club, 'clock_accepted').length);
      await at.server.setClock(seconds);
      at.server.child.kill('SIGUSR2');
      for (const [index, club] of [at, from].entries()) {
        await untilTold(club, 'clock_accepted', (counts[index] ?? 0) + 1);
      }
      await untilTogether(at, from);
      const moved = (await timeOf(from)) - was - seconds * 1000;
      assert.ok(moved > -60_000 && moved < 600_000, `moved ${moved} more`);
    };
    await follow(one, other, -tenYears);
    // The login begins as late as the clock is set to.
    tokensIn(await refresh(other, before));
    const { refresh_token: token } = await tokensOfLogin(other);
    tokensIn(await refresh(one, token));
    await follow(one, other, tenYears);
    await follow(other, one, 3600);
    // And a start that accepts its machine's clock is followed as well.
    const counts = [one, other].map((club) => told(club, 'clock_accepted').length);
    const third = await site.start({ ahead: -7200, args: ['--accept-clock'] });
    for (const [index, club] of [one, other].entries()) {
      await untilTold(club, 'clock_accepted', (counts[index] ?? 0) + 1);
    }
    for (const club of [one, other]) await untilTogether(third, club);
    const { refresh_token: last } = await tokensOfLogin(third);
    for (const club of [one, other])
      tokensIn(await refresh(club, (await tokensOfLogin(club)).refresh_token));
    tokensIn(await refresh(other, last));
  });

  test('FAULTS 12: servers half a minute apart go by one time, and none follows a wild one', async (t) => {
    // A minute for retries: how much of it a machine takes for itself is not what is tested.
    const site = await openSite(t, { over: 'tokens: { refresh: { grace: 60s } }' });
    const behind = await site.start();
    const ahead = await site.start({ ahead: 30 });
    await untilTogether(behind, ahead);
    // A code of either ends at both at once; a retry at the other is a retry, not a theft.
    const [soon, late] = [await codeFor(ahead), await codeFor(ahead)];
    let { refresh_token: token } = tokensIn(await redeem(behind, soon));
    for (const [one, other] of [
      [behind, ahead],
      [ahead, behind],
    ] as const) {
      const answer = await refresh(one, token);
      assert.deepEqual(await refresh(other, token), answer);
      token = tokensIn(answer).refresh_token;
    }
    await site.pass(121);
    assert.deepEqual(await redeem(behind, late), invalidCode);

    const wild = await site.start({ ahead: tenYears });
    await tokensOfLogin(wild);
    const database = lookInto(site.path);
    t.after(() => database.close());
    const recorded = database.prepare(`SELECT value FROM meta WHERE name = 'recorded_time'`);
    const isWild = () =>
      Number(recorded.get()?.['value']) > site.clock.now() + (tenYears / 2) * 1000;
    await until(isWild, 'the wild time is never recorded');
    // Two rounds of housekeeping, which would have followed it.
    await sleep(2200);
    for (const node of [behind, ahead]) {
      assert.ok((await timeOf(node)) < site.clock.now() + hour * 1000);
      token = tokensIn(await refresh(node, token)).refresh_token;
    }
  });
});

/** The time at which a server issues, in milliseconds: a whole second, from the end of a token. */
async function timeOf(club: ServedClub): Promise<number> {
  const { access_token: token, expires_in: lifetime } = tokensIn(await askPartnerToken(club));
  const { status, headers } = await verify(club, programme, 'client', { token });
  assert.equal(status, 200);
  return (Number(headers['x-auth-expires']) - lifetime) * 1000;
}

function untilTogether(one: ServedClub, other: ServedClub): Promise<void> {
  return until(async () => {
    // However long it takes to ask: what the other says lies between what the one says.
    const [before, time, after] = [await timeOf(one), await timeOf(other), await timeOf(one)];
    return before - 5000 < time && time < after + 5000;
  }, 'they never agree on the time');
}
