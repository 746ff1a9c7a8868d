// Owns tests that PostgreSQL accepts a time as a whole or not at all.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import { milliseconds } from '../../../src/lib/clock.ts';
import type { Digest } from '../../../src/lib/digest.ts';
import type { ClientId } from '../../../src/oauth/client.ts';
import { firstEra } from '../../../src/store/judgement.ts';
import { aClient, at, club, inParallel, sweepAll } from '../fixtures.ts';
import { afterAccepted, beforeAccepted, setBack, untouched } from './accepted_time.ts';
import { postgresStore } from './scratch.ts';

const minute = milliseconds(60_000);
const owner = 'digest of an owner' as Digest;

describe('FAULTS 33: a time is accepted as a whole or not at all', () => {
  for (const table of ['registered', 'login', 'secret_use', 'kept_text', 'meta', 'code']) {
    test(`where the database fails at ${table}`, async (t) => {
      const { store, query } = await postgresStore(t);
      await beforeAccepted(store);
      await query(`
        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'failed'; END $$;
        CREATE TRIGGER fails BEFORE INSERT OR UPDATE OR DELETE ON ${table}
          FOR EACH ROW EXECUTE FUNCTION fail()`);
      await assert.rejects(store.acceptTime(at(60)), /failed/);
      assert.deepEqual(await afterAccepted(store), untouched);
      assert.equal(await store.era(), firstEra);
      await query(`DROP TRIGGER fails ON ${table}`);
      await store.acceptTime(at(60));
      assert.deepEqual(await afterAccepted(store), setBack);
    });
  }

  for (const isMark of [false, true]) {
    const what = isMark ? 'mark of a live token' : 'revocation';
    test(`while it is accepted another node removes no ${what} by the former clock`, async (t) => {
      const { store, another, query } = await postgresStore(t);
      const other = await another();
      const [isLive, isRevoked] = [
        async () => (await store.findKept(club, 'live_token', owner, at(60)))?.text === 'live',
        async () => !(await store.isStanding(club, { tokenId: 'token', expiresAt: at(1800) })),
      ];
      const token = { programme: club, use: 'live_token', key: owner, tokenId: 'live' } as const;
      await store.keepText(
        { ...token, expiresAt: at(1800), issuedAt: at(1), isRetry: false, longestToken: minute },
        at(1),
      );
      await store.revoke(club, { tokenId: 'token', expiresAt: at(1800) }, at(1));
      await query(
        `BEGIN; UPDATE epoch SET accepted_era = era, accepted_time = ${at(60)}, era = era + 1`,
      );
      const swept = sweepAll(other, at(7200), 10);
      await setTimeout(300);
      await query('COMMIT');
      await swept;
      assert.equal(await (isMark ? isLive() : isRevoked()), true);
    });
  }

  test('with all registrations that other nodes change meanwhile', async (t) => {
    const { store, another } = await postgresStore(t);
    await beforeAccepted(store);
    const other = await another();
    const changes = inParallel(20, async (n) => {
      await other.add('client', [aClient({ id: `partner-${n}` as ClientId })]);
    });
    await store.acceptTime(at(60));
    await changes;
    assert.deepEqual(await afterAccepted(other), setBack);
    assert.equal((await other.list('client', club)).length, 21);
    assert.equal(await other.era(), firstEra + 1);
  });
});
