// Owns the promises of copying a store between a file and PostgreSQL: all of it arrives, tokens live on,
// and exactly one of the two opens, wherever the copy is cut off.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test, type TestContext } from 'node:test';

import type { Counts } from '../../../src/store/admin/carry.ts';
import { type Arriving, copyStore, type Leaving } from '../../../src/store/admin/copy.ts';
import { storeAt, type StoreSite } from '../../../src/store/open.ts';
import { StoreUnusable } from '../../../src/store/unusable.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { without } from '../../support/tools.ts';
import { execute } from '../file_directory.ts';
import { fill, using } from '../fill.ts';
import { aClient, aLogin, at, club, loginNamed, otherPartner } from '../fixtures.ts';
import { findCode, findLogin, isRevoked, refresh } from '../login.ts';
import { postgresScene, type PostgresScene } from '../postgres/scratch.ts';
import { isTaken } from '../taken.ts';

const expected = { environment: 'staging', keyCheck: 'the key check' } as const;

interface Ends extends PostgresScene {
  readonly path: string;
  readonly file: StoreSite;
  readonly database: StoreSite;
}

/** A path and a schema without a store. */
async function ends(t: TestContext): Promise<Ends> {
  const scene = await postgresScene(t);
  const path = join(scratchFolder(t, 'copy'), 'jetway.db');
  return {
    ...scene,
    path,
    file: storeAt({ kind: 'file', path }),
    database: storeAt(scene.location),
  };
}

/** Copies, with ends that `change` may spoil. */
async function copied(
  from: StoreSite,
  to: StoreSite,
  change: (from: Leaving, to: Arriving) => readonly [Leaving, Arriving] = (...both) => both,
): Promise<Counts | undefined> {
  const departure = await from.move?.leave();
  assert.ok(departure);
  try {
    const arrival = await to.move?.arrive('staging');
    assert.ok(arrival);
    try {
      return await copyStore(...change(departure, arrival), expected);
    } finally {
      arrival.close();
    }
  } finally {
    departure.close();
  }
}

const all = {
  code: 1,
  finished_login: 1,
  kept_text: 1,
  login: 2,
  login_attempt: 1,
  look_up: 3,
  registered: 4,
  removed: 1,
  revocation: 1,
  revoked_token: 1,
  secret_use: 1,
  known_code: 2,
};

async function fillAll(site: StoreSite): Promise<void> {
  await using(site, async (store) => {
    await fill(store);
    const policy = { attempts: 1, window: 60_000, lock: 60_000 } as never;
    await store.reserveAttempt(club, 'account' as never, policy, at(1));
    const [client] = await store.list('client', club);
    assert.ok(client?.secrets[0]);
    store.recordSecretUse(club, client.id, client.secrets[0].digest, at(1));
    await store.time(at(100));
  });
}

/** What a store with everything in it answers, and that its login goes on. */
async function expectAll(site: StoreSite): Promise<void> {
  await using(site, async (store) => {
    assert.deepEqual(await store.list('client', club), [aClient()]);
    assert.equal(await isTaken(store, 'client', club, otherPartner), true);
    assert.equal(await store.ensureKeyCheck('another', () => true), 'the key check');
    assert.equal((await store.list('token_key', club)).length, 1);
    assert.equal((await store.time()).recorded, at(100));
    assert.equal((await findCode(store, 'code', 1))?.spentFor, aLogin().place);
    assert.notEqual(await findCode(store, 'unspent', 1), undefined);
    assert.equal(await isRevoked(store, loginNamed('another')), false);
    const question = { tokenId: 'revoked', expiresAt: at(600) };
    assert.equal(await store.isStanding(club, question), false);
    assert.equal(await store.isStanding(club, { ...question, tokenId: 'other' }), true);
    assert.equal((await store.findAttempts(club, 'account' as never, at(2))).failures, 1);
    assert.equal((await store.secretUses(club, aClient().id)).size, 1);
  });
}

describe('copying a store', { skip: without('postgres') }, () => {
  test('from a file to PostgreSQL and back: everything arrives, and logins go on', async (t) => {
    const { file, database, path } = await ends(t);
    await fillAll(file);
    assert.deepEqual(await copied(file, database), all);
    await expectAll(database);
    await using(database, async (store) => {
      assert.deepEqual((await refresh(store, aLogin(), 'next')).outcome, 'rotate');
    });
    const back = storeAt({ kind: 'file', path: `${path}.back` });
    assert.deepEqual(await copied(database, back), all);
    await expectAll(back);
    await using(back, async (store) => {
      assert.equal((await findLogin(store))?.generation, 2);
    });
    assert.deepEqual((await back.care?.verify())?.damage, []);
  });

  test('counts the time without a server as an outage: no retry window ends in it', async (t) => {
    const { file, database } = await ends(t);
    await fillAll(file);
    await copied(file, database);
    const store = await database.open({ environment: 'staging', onFatal: () => undefined });
    try {
      const facts = { name: 'one:1', version: '1', programmes: {}, settings: {} };
      await store.leaseNode(at(500), 'a holder', facts);
      assert.deepEqual((await store.time()).outages, [{ from: at(100), to: at(500) }]);
    } finally {
      await store.close();
    }
  });

  test('leaves a store that opens in nothing, and names the other', async (t) => {
    const { file, database, path, url } = await ends(t);
    await fillAll(file);
    await copied(file, database);
    const name = url.replace('&sslmode=disable', '');
    const moved = unusable(`the store ${path} was moved to ${name}`);
    await assert.rejects(async () => file.open({ environment: 'staging' }), moved);
    await assert.rejects(async () => file.care?.verify(), moved);
    // Another application's file to a Jetway that knows of no move.
    const bytes = new DatabaseSync(path, { readOnly: true });
    assert.deepEqual(
      { ...bytes.prepare('PRAGMA application_id').get() },
      {
        application_id: 0x4a65_746d,
      },
    );
    bytes.close();
    await assert.rejects(copied(file, storeAt((await postgresScene(t)).location)), StoreUnusable);
  });

  test('ends what a process has open that was left', async (t) => {
    const { database, path, open, url } = await ends(t);
    await fillAll(database);
    const still = await open();
    await copied(database, storeAt({ kind: 'file', path }));
    await assert.rejects(findLogin(still), { name: 'Unavailable' });
    await assert.rejects(still.startLogin(loginNamed('late')), { name: 'Unavailable' });
    await still.close();
    await assert.rejects(
      open,
      unusable(`the store ${url.replace('&sslmode=disable', '')} was moved to file:${path}`),
    );
  });

  test('is refused while the file is open, and where another store is', async (t) => {
    const { file, database, path } = await ends(t);
    await fillAll(file);
    await using(file, async () => {
      await assert.rejects(
        copied(file, database),
        unusable(`store ${path} is in use by another process`),
      );
    });
    await using(database, async (store) => store.add('client', [aClient()]));
    await assert.rejects(copied(file, database), /already, with rows of registered$/);
    await using(file, (store) => findLogin(store));
  });

  test('is refused for a damaged row, another key and another environment; both stay', async (t) => {
    const { file, database, path } = await ends(t);
    await fillAll(file);
    const leave = async (change: Partial<Record<keyof typeof expected, string>>): Promise<void> => {
      const [departure, arrival] = [
        await file.move?.leave(),
        await database.move?.arrive('staging'),
      ];
      assert.ok(departure && arrival);
      try {
        await copyStore(departure, arrival, { ...expected, ...change } as typeof expected);
      } finally {
        arrival.close();
        departure.close();
      }
    };
    await assert.rejects(leave({ keyCheck: 'another' }), /master key is not the one of the store/);
    await assert.rejects(leave({ environment: 'live' }), /belongs to environment staging/);
    execute(path, `UPDATE login SET scope = 'other'`);
    await assert.rejects(leave({}), /rows do not fit their checksums: 2 of login/);
    await using(database, async (store) => assert.deepEqual(await store.list('client', club), []));
  });
});

describe('a copy that is cut off', { skip: without('postgres') }, () => {
  const cut = new Error('cut off');
  const directions = [
    ['to PostgreSQL', (made: Ends) => [made.file, made.database] as const],
    ['to a file', (made: Ends) => [made.database, made.file] as const],
  ] as const;
  for (const [name, sidesOf] of directions) {
    test(`${name}, before the store is left: it opens, the copy does not, and is made anew`, async (t) => {
      const made = await ends(t);
      const [from, to] = sidesOf(made);
      await fillAll(from);
      await assert.rejects(
        copied(from, to, (departure, arrival) => [
          { ...departure, hide: () => Promise.reject(cut) },
          arrival,
        ]),
        cut,
      );
      await expectAll(from);
      if (to === made.database) {
        await assert.rejects(made.open, /is not complete: copying into it was cut off$/);
      } else assert.equal(existsSync(made.path), false);
      assert.deepEqual(await copied(from, to), all);
      await expectAll(to);
      await assert.rejects(async () => from.open({ environment: 'staging' }), /was moved to/);
    });

    test(`${name}, after the store is left: neither opens until the copy is completed`, async (t) => {
      const made = await ends(t);
      const [from, to] = sidesOf(made);
      await fillAll(from);
      const finish = (): Promise<never> => Promise.reject(cut);
      await assert.rejects(
        copied(from, to, (departure, arrival) => [departure, { ...arrival, finish }]),
        cut,
      );
      await assert.rejects(async () => from.open({ environment: 'staging' }), /was moved to/);
      if (to === made.database) await assert.rejects(made.open, /is not complete/);
      else assert.equal(existsSync(made.path), false);
      assert.equal(await copied(from, to), undefined);
      await expectAll(to);
      // Once more does no harm.
      assert.equal(await copied(from, to), undefined);
      await expectAll(to);
    });
  }
});

function unusable(message: string): { readonly name: string; readonly message: string } {
  return { name: StoreUnusable.name, message };
}
