// FAULTS 33 and 34: a machine that was suspended, one whose clock was only set, and what a clock ahead has
// forgotten, in running servers.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { decodeJwt } from 'jose';

import {
  codeFor,
  invalidCode,
  partnerTokenOf,
  programme,
  refresh,
  redeem,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { verify } from '../support/gateway.ts';
import { post } from '../support/wire.ts';
import {
  acceptClock,
  openSite,
  readiness,
  type ServedClub,
  told,
  untilReadiness,
  untilTold,
} from './site.ts';

const over = 'tokens: { access: { format: jwt } }';

async function isGood(club: ServedClub, token: string): Promise<boolean> {
  const { status } = await verify(club, programme, 'client', { token });
  return status === 200;
}

describe('a clock that stood still', { concurrency: 3 }, () => {
  test('FAULTS 34: servers of a suspended machine go on at the right time by themselves', async (t) => {
    const site = await openSite(t, { over });
    const clubs = [await site.start(), await site.start()] as const;
    const [one, other] = clubs;
    const before = await partnerTokenOf(one);
    const { refresh_token: token } = await tokensOfLogin(other);
    const late = await codeFor(one);
    const hours = 2 * 3600;
    site.clock.advance(hours);
    await Promise.all(clubs.map(({ server }) => server.suspend(hours)));
    for (const club of clubs) {
      const fresh = await partnerTokenOf(club);
      const left = Number(decodeJwt(fresh).exp) - site.clock.now() / 1000;
      assert.ok(left > 1700 && left <= 1801, `${left}`);
      assert.deepEqual(await Promise.all([before, fresh].map((each) => isGood(club, each))), [
        false,
        true,
      ]);
      await untilTold(club, 'machine_suspended');
      const [{ level, seconds, detail = '' } = assert.fail(), ...more] = told(
        club,
        'machine_suspended',
      );
      assert.deepEqual([level, more.length], ['info', 0]);
      assert.ok(Math.abs(Number(seconds) - hours) <= 2, String(seconds));
      assert.match(
        detail,
        /^the machine was suspended for 7[12]\d\d s: .* goes on at the right time/,
      );
      assert.deepEqual(await readiness(club), [200, { status: 'ready', reasons: [] }]);
      assert.deepEqual(told(club, 'clock_jump'), []);
    }
    assert.deepEqual(await redeem(one, late), invalidCode);
    tokensIn(await refresh(one, token));
    // Commands go by the same time.
    await site.run('token', 'revoke', '--client', one.client.id, '--programme', programme);
    assert.equal(await isGood(other, await partnerTokenOf(one)), true);
  });

  test('FAULTS 34: a server is unready as long as its tokens would be born expired', async (t) => {
    const site = await openSite(t, { over });
    const club = await site.start();
    // Less than a token lives, then more, as where a virtual machine goes on from a snapshot.
    await club.server.setClock(1700);
    await untilTold(club, 'clock_jump');
    const [status, { status: degraded }] = await readiness(club);
    assert.deepEqual([status, degraded], [200, 'degraded']);
    await club.server.setClock(1700);
    const [unready, { reasons }] = await readiness(club);
    assert.equal(unready, 503);
    assert.match(
      reasons.join('; '),
      /tokens of \S+ have expired by the machine's clock when they are issued: if the machine's clock is right, make the service follow it \(SIGUSR2, or a restart\); if not, set it right$/,
    );
    assert.match(
      told(club, 'clock_jump')[0]?.detail ?? '',
      /one of the two is wrong. If the machine's clock is right \(.*snapshot\), make the service follow it with SIGUSR2 or a restart; if not, set the machine's clock right$/,
    );
    club.server.child.kill('SIGUSR2');
    await untilReadiness(club, 200);
    assert.ok(
      Number(decodeJwt(await partnerTokenOf(club)).exp) * 1000 > site.clock.now() + 3_400_000,
    );
    // A clock behind the service's lets tokens live longer: that is told of, no more.
    await club.server.setClock(-86_400);
    assert.equal((await readiness(club))[1].status, 'degraded');
  });

  test('FAULTS 33: one revoked token shuts nobody out once the clock is set right', async (t) => {
    for (const format of ['jwt', 'opaque']) {
      const site = await openSite(t, {
        over: `{ tokens: { access: { format: ${format} } }, revocation: { path: /revoke } }`,
      });
      const club = await site.start();
      await acceptClock(club, 7200);
      const revoked = await partnerTokenOf(club);
      const authorization = club.client.basic;
      const path = `/${programme}/revoke`;
      const { status } = await post(club.url, path, { token: revoked }, { authorization });
      assert.equal(status, 200);
      await site.pass(2400);
      // Two rounds of housekeeping, which sweep.
      await sleep(2200);
      await acceptClock(club, -7200);
      const fresh = await partnerTokenOf(club);
      const { access_token: member } = await tokensOfLogin(club);
      assert.deepEqual([await isGood(club, revoked), await isGood(club, fresh)], [false, true]);
      const asked = await verify(club, programme, 'member', { token: member });
      assert.equal(asked.status, 200, format);
    }
  });
});
