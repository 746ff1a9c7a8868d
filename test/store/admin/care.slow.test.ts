// Owns the promises of backing up, restoring and verifying a store, in whatever place it is: what is
// registered comes back, and nothing that was granted.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { type Instant, instant, milliseconds } from '../../../src/lib/clock.ts';
import type { Digest } from '../../../src/lib/digest.ts';
import type { Era } from '../../../src/oauth/grant.ts';
import { backUpInto } from '../../../src/store/admin/backup_folder.ts';
import type { StoreCare } from '../../../src/store/care.ts';
import type { Store } from '../../../src/store/contract.ts';
import { storeAt, type StoreSite } from '../../../src/store/open.ts';
import { schemaVersion } from '../../../src/store/sqlite/schema.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { without } from '../../support/tools.ts';
import { execute } from '../file_directory.ts';
import { expectNoUsedAssertion, expectVoid, fill, using } from '../fill.ts';
import {
  aClient,
  aLogin,
  aMember,
  aSigningKey,
  at,
  club,
  loginNamed,
  otherPartner,
  partner,
} from '../fixtures.ts';
import { findCode, findLogin, isRevoked, login } from '../login.ts';
import { postgresScene } from '../postgres/scratch.ts';
import { isUnusable } from '../restore_fixture.ts';

/** A place for a store, of which there is none yet. */
interface CareScene {
  readonly site: StoreSite;
  /** Runs a statement in the database of the store, which no process has open. */
  readonly query: (text: string) => Promise<unknown>;
}

interface Filled extends CareScene {
  readonly care: StoreCare;
  /** A path without a file. */
  readonly backup: string;
}

/**
 * What `fill` has registered, and nothing that it was granted.
 * @param before the time that the store had recorded before the restore
 */
async function expectRestored(store: Store, before?: Instant): Promise<void> {
  assert.deepEqual(await store.list('client', club), [aClient()]);
  assert.deepEqual(await store.list('member', club), [aMember()]);
  assert.deepEqual(await store.list('signing_key', club), [aSigningKey('kid')]);
  // No key of before vouches for a token.
  assert.deepEqual(await store.list('token_key', club), []);
  assert.notDeepEqual(await store.add('client', [aClient({ id: otherPartner })]), []);
  const [holder] = await store.findBy('client', 'api_key', club, 'digest-of-key' as Digest);
  assert.equal(holder?.id, partner);
  assert.equal(await store.ensureKeyCheck('another', () => true), 'the key check');
  for (const granted of [aLogin(), loginNamed('another')]) {
    assert.equal(await findLogin(store, granted), undefined);
  }
  for (const name of ['code', 'unspent']) {
    assert.equal(await findCode(store, name, 1), undefined);
  }
  const revoked = { tokenId: 'revoked', expiresAt: at(600) };
  assert.equal(await store.isStanding(club, revoked), false);
  await expectNoUsedAssertion(store, before);
  await login(store);
  assert.equal(await isRevoked(store), false);
}

const [unfit, unfitItem] = ['login', 'registered'].map(
  (table) => `rows do not fit their checksums: 1 of ${table}`,
);
const { place } = aLogin();
const damages = [
  ['a changed value', `UPDATE login SET scope = 'other' WHERE place = ${place}`, unfit],
  ['a changed detail', `UPDATE login SET details = '1 {}' WHERE place = ${place}`, unfit],
  ['no JSON', `UPDATE registered SET record = '~' WHERE kind = 'member'`, unfitItem],
  [
    'a lost key',
    `DELETE FROM look_up WHERE kind = 'member'`,
    'keys are missing in look_up: 1 of member',
  ],
  [
    'a lost item',
    `DELETE FROM registered WHERE kind = 'member'`,
    'keys of look_up lead to nothing: 1',
  ],
] as const;

/** Scenes by the kind of store, each call of its own. */
const scenes: Readonly<Record<string, (t: TestContext) => Promise<CareScene>>> = {
  file: async (t) => {
    const path = join(scratchFolder(t, 'care'), 'data/jetway.db');
    return {
      site: storeAt({ kind: 'file', path }),
      query: async (text) => execute(path, text),
    };
  },
  postgres: async (t) => {
    const { location, query } = await postgresScene(t);
    return { site: storeAt(location), query };
  },
};

for (const [name, make] of Object.entries(scenes)) {
  const skip = name === 'postgres' && without('postgres');
  /** A filled store that is closed. */
  const filled = async (t: TestContext): Promise<Filled> => {
    const scene = await make(t);
    await using(scene.site, fill);
    assert.ok(scene.site.care);
    const backup = join(scratchFolder(t, 'backup'), 'backup.db');
    return { ...scene, care: scene.site.care, backup };
  };

  describe(`care for a store: ${name}`, { skip }, () => {
    test('FAULTS 8: a backup is a sound store file, made while the store is used', async (t) => {
      const { site, care, backup } = await filled(t);
      await using(site, async (store) => {
        const report = await care.backup(backup);
        assert.deepEqual(await storeAt({ kind: 'file', path: backup }).care?.verify(), report);
        assert.equal(statSync(backup).mode & 0o777, 0o600);
        assert.deepEqual(readdirSync(dirname(backup)), ['backup.db']);
        const { createdAt, counts, ...facts } = report;
        assert.match(createdAt, /^\d{4}-/);
        assert.deepEqual(facts, {
          path: backup,
          size: statSync(backup).size,
          schema: schemaVersion,
          environment: 'staging',
          recordedTime: at(50),
          damage: [],
        });
        const { client, member, signing_key, removed, revocation, revoked_token, look_up } = counts;
        assert.deepEqual(
          { client, member, signing_key, removed, revocation, revoked_token, look_up },
          {
            client: 1,
            member: 1,
            signing_key: 1,
            removed: 1,
            revocation: 1,
            revoked_token: 1,
            look_up: 3,
          },
        );
        writeFileSync(backup, 'precious');
        await assert.rejects(care.backup(backup), isUnusable(/is there already/));
        assert.equal(readFileSync(backup, 'utf8'), 'precious');
        await care.backup(backup, { overwrite: true });
        assert.deepEqual(
          (await storeAt({ kind: 'file', path: backup }).care?.verify())?.counts,
          counts,
        );
        assert.equal(await isRevoked(store), false);
      });
    });

    test('FAULTS 8: a backup takes the place of a file alone', async (t) => {
      const { care, backup } = await filled(t);
      const [pipe, link] = [`${backup}.pipe`, `${backup}.link`];
      assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
      const overwrite = { overwrite: true };
      await assert.rejects(care.backup(pipe, overwrite), isUnusable(/is no regular file$/));
      assert.ok(statSync(pipe).isFIFO());
      await assert.rejects(care.restore(pipe, 'staging'), isUnusable(/^there is no file/));
      await care.backup(backup);
      await assert.rejects(
        care.backup(`${backup}-wal`),
        isUnusable(/would take .* for the log of/),
      );
      symlinkSync(pipe, link);
      await assert.rejects(care.backup(link, overwrite), isUnusable(/is no regular file$/));
      const other = storeAt({ kind: 'file', path: `${backup}.other` });
      await using(other, () =>
        assert.rejects(
          care.backup(`${backup}.other`, overwrite),
          isUnusable(/it is a store, not a backup/),
        ),
      );
    });

    test('FAULTS 40: of backups into one folder at once none takes another away', async (t) => {
      const { care, backup } = await filled(t);
      const folder = dirname(backup);
      t.mock.method(Date, 'now', () => Number(at(10)));
      const night = async (): Promise<readonly string[]> => {
        const { path, removed } = await backUpInto(folder, 1, care);
        assert.deepEqual(readdirSync(folder), [basename(path)]);
        return removed;
      };
      assert.deepEqual(await night(), []);
      const before = readdirSync(folder);
      // Both want one name, and both are whole before either looks for older ones.
      const { promise, resolve } = Promise.withResolvers<void>();
      let missing = 2;
      const together = {
        ...care,
        backup: async (target: string) => {
          const report = await care.backup(target);
          missing -= 1;
          if (missing === 0) resolve();
          await promise;
          return report;
        },
      };
      const both = await Promise.all([1, 2].map(() => backUpInto(folder, 1, together)));
      const made = both.map(({ path }) => basename(path)).toSorted();
      assert.equal(new Set(made).size, 2);
      assert.deepEqual(readdirSync(folder), made);
      assert.deepEqual(
        [both.flatMap(({ removed }) => removed), both.flatMap(({ left }) => left)],
        [before, []],
      );
      assert.deepEqual((await night()).toSorted(), made);
    });

    test('FAULTS 11, 40: backups of a clock that was ahead go first', async (t) => {
      const { care, backup } = await filled(t);
      const folder = dirname(backup);
      const now = t.mock.method(Date, 'now', () => 0);
      const night = async (seconds: number): Promise<string> => {
        now.mock.mockImplementation(() => Number(at(seconds)));
        return basename((await backUpInto(folder, 3, care)).path);
      };
      const names: string[] = [];
      for (const seconds of [1, 9001, 9002, 2, 3, 4]) {
        names.push(await night(seconds));
        if (seconds === 2) assert.deepEqual(readdirSync(folder), [names[0], names[3], names[2]]);
      }
      assert.deepEqual(readdirSync(folder), names.slice(3));
    });

    test('FAULTS 8: it comes back elsewhere: what is registered, and no grant', async (t) => {
      const { site, care, backup } = await filled(t);
      await care.backup(backup);
      // Of a store that is lost nobody knows which eras it had after the backup.
      const era = await using(site, async (store) => {
        for (const subject of ['one', 'other']) await store.revoke(club, { subject });
        return store.era();
      });
      const other = await make(t);
      const restored = await other.site.care?.restore(backup, 'staging');
      assert.deepEqual(restored?.damage, []);
      assert.equal(restored.replaced, undefined);
      assert.equal(restored.voided['token_key'], 1);
      await using(other.site, async (store) => {
        for (const before of [1 as Era, era]) await expectVoid(store, before);
        await expectRestored(store);
      });
    });

    test('FAULTS 8, 28: it comes back into its own store, which goes on at its time', async (t) => {
      const { site, care, backup } = await filled(t);
      await care.backup(backup);
      for (const recorded of [at(500), at(-3600)]) {
        const era = await using(site, async (store) => {
          await store.revoke(club, { client: partner });
          await store.add('member', [aMember({ subject: 'later' as never, username: 'later' })]);
          await store.acceptTime(recorded);
          return store.era();
        });
        await care.restore(backup, 'staging');
        await using(site, async (store) => {
          assert.equal((await store.time()).recorded, recorded);
          await expectVoid(store, era);
          await expectRestored(store, recorded);
        });
      }
    });

    test('FAULTS 28: a restore by a clock that is years away shuts out no assertion', async (t) => {
      const { site, care, backup } = await filled(t);
      await care.backup(backup);
      const now = Date.now.bind(Date);
      for (const away of [315_360_000_000, -315_360_000_000]) {
        await using(site, (store) => store.time(instant(now())));
        const wrong = t.mock.method(Date, 'now', () => now() + away);
        await care.restore(backup, 'staging');
        wrong.mock.restore();
        await using(site, expectNoUsedAssertion);
      }
    });

    test('FAULTS 8: no lock comes back, and no node number', async (t) => {
      const { site, care, backup } = await filled(t);
      const policy = { attempts: 1, window: milliseconds(60_000), lock: milliseconds(60_000) };
      const begin = (store: Store) =>
        store.reserveAttempt(club, 'digest-of-username' as Digest, policy, at(60));
      await using(site, async (store) => {
        await begin(store);
        assert.equal((await begin(store)).allowed, false);
        assert.equal(await store.leaseNode(at(60), 'ended'), 0);
      });
      await care.backup(backup);
      await care.restore(backup, 'staging');
      await using(site, async (store) => {
        assert.deepEqual(await begin(store), { allowed: true });
        assert.equal(await store.leaseNode(at(100), 'new'), 0);
      });
    });

    test('C-3, FAULTS 9: it is refused of another environment, and while a server runs', async (t) => {
      const { site, care, backup } = await filled(t);
      await care.backup(backup);
      await assert.rejects(
        care.restore(backup, 'live'),
        isUnusable(/is of environment staging; this configuration is for live/),
      );
      const live = storeAt({ kind: 'file', path: `${backup}.live` });
      await (await live.open({ environment: 'live' })).close();
      await assert.rejects(
        care.restore(`${backup}.live`, 'live'),
        isUnusable(/environment staging/),
      );
      await using(site, async (store) => {
        const facts = { name: 'one:1', version: '1', programmes: {}, settings: {} };
        // Whatever its clock says (FAULTS 28).
        for (const apart of [0, -600_000, 3_600_000, 315_360_000_000]) {
          await store.leaseNode(instant(Date.now() + apart), 'a holder', facts);
          await assert.rejects(care.restore(backup, 'staging'), isUnusable(/is in use by/));
        }
        assert.equal(await isRevoked(store), false);
      });
    });

    test('FAULTS 6, 26: a bad backup, or one of another schema, changes nothing', async (t) => {
      const { care, backup } = await filled(t);
      const before = (await care.verify()).counts;
      const refuse = async (message: RegExp, from = backup): Promise<void> => {
        await assert.rejects(care.restore(from, 'staging'), isUnusable(message));
        assert.deepEqual((await care.verify()).counts, before);
      };
      await refuse(/there is no file/);
      await care.backup(backup);
      const bytes = readFileSync(backup);
      writeFileSync(backup, bytes.subarray(0, bytes.length - 8192));
      await refuse(/is damaged/);
      writeFileSync(backup, 'nothing of the kind\n'.repeat(300));
      await refuse(/is not a database/);
      for (const version of [schemaVersion - 1, schemaVersion + 1]) {
        writeFileSync(backup, bytes);
        execute(backup, `PRAGMA user_version = ${version}`);
        await refuse(new RegExp(`has schema ${version}`));
      }
    });

    for (const [damage, statement, words] of damages) {
      test(`FAULTS 6: verifying finds ${damage}`, async (t) => {
        const { care, query, backup } = await filled(t);
        assert.deepEqual((await care.verify()).damage, []);
        await query(statement);
        assert.deepEqual((await care.verify()).damage, [words]);
        // Logins are not in every backup.
        if (name !== 'file' && words === unfit) return;
        await assert.rejects(care.backup(backup), isUnusable(/./));
        assert.deepEqual(readdirSync(dirname(backup)), []);
      });
    }

    test('verifying finds no store', async (t) => {
      const { site } = await make(t);
      await assert.rejects(
        async () => site.care?.verify(),
        isUnusable(/^there is no (file|store at) /),
      );
    });
  });
}
