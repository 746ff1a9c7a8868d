// Tests of what the file store remembers of rows: it stands until somebody changes it, whoever it is.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import type { Subject } from '../../../../src/oauth/member.ts';
import type { Store } from '../../../../src/store/contract.ts';
import { Freshness, Remembered } from '../../../../src/store/sqlite/commits/freshness.ts';
import { openScratchStore, scratchFile } from '../../file_directory.ts';
import {
  aClient,
  aCode,
  aFamily,
  aMember,
  anAccessToken,
  at,
  club,
  key,
  partner,
} from '../../fixtures.ts';
import { findAccess, findCode } from '../../login.ts';
import { storeTest } from '../../with_store.ts';

const check = storeTest(openScratchStore);

const subject = 'subject-1' as Subject;
const disabled = { status: 'disabled' } as const;

/** Each test has it from the store itself, and from another connection as a command has one. */
function changedBy(name: string, body: (store: Store, changer: Store) => Promise<void>): void {
  check(`${name}, by the store itself`, ({ store }) => body(store, store));
  check(`${name}, by another process`, async ({ store, another }) => {
    assert.ok(another);
    await body(store, await another());
  });
}

changedBy('a client is as it was changed last', async (store, changer) => {
  await store.add('client', [aClient()]);
  const first = await store.find('client', club, partner);
  assert.deepEqual(first, aClient());
  assert.equal(await store.find('client', club, partner), first, 'read once');
  await changer.change('client', club, partner, (client) => ({ ...client, ...disabled }));
  assert.deepEqual(await store.find('client', club, partner), aClient(disabled));
  await changer.remove('client', club, partner, at(1));
  assert.equal(await store.find('client', club, partner), undefined);
});

changedBy('a member is as it was changed last', async (store, changer) => {
  await store.add('member', [aMember()]);
  const first = await store.find('member', club, subject);
  assert.equal(await store.find('member', club, subject), first, 'read once');
  await changer.change('member', club, subject, (member) => ({ ...member, ...disabled }));
  assert.deepEqual(await store.find('member', club, subject), aMember(disabled));
  await changer.remove('member', club, subject, at(1));
  assert.equal(await store.find('member', club, subject), undefined);
});

changedBy('a code that was looked at is gone once it was replaced', async (store, changer) => {
  await store.issueCode(aCode());
  assert.ok(await findCode(store, 'code', 1));
  await changer.issueCode(aCode({ key: key('later'), issuedAt: at(1) }));
  assert.equal(await findCode(store, 'code', 2), undefined);
  const spent = await store.spendCode(club, partner, key('code'), { family: aFamily() }, at(2));
  assert.deepEqual(spent, { outcome: 'unknown' });
});

changedBy('HOSTILE 26: a code that was looked at is spent once', async (store, changer) => {
  await store.issueCode(aCode());
  const stores = [store, changer, store, changer];
  for (const one of stores) assert.ok(await findCode(one, 'code', 1));
  const family = aFamily();
  const spend = (one: Store, n: number) =>
    one.spendCode(
      club,
      partner,
      key('code'),
      { family: { ...family, id: `${n}` as never } },
      at(1),
    );
  const outcomes = await Promise.all(stores.map(spend));
  assert.deepEqual(outcomes.map(({ outcome }) => outcome).toSorted(), [
    'replayed',
    'replayed',
    'replayed',
    'spent',
  ]);
});

changedBy('a token that was looked at falls with all of its client’s', async (store, changer) => {
  await store.issueCode(aCode());
  const refresh = { key: key('refresh'), expiresAt: at(600) };
  await store.spendCode(club, partner, key('code'), { family: aFamily(), refresh }, at(1));
  const look = () => store.findRefreshToken(club, refresh.key, at(2));
  assert.equal((await look())?.revoked, false);
  await changer.revokeAll(club, { client: partner });
  assert.equal((await look())?.revoked, true);
  const rotated = await store.rotateRefreshToken({
    programme: club,
    client: partner,
    key: refresh.key,
    successor: { key: key('next'), expiresAt: at(600) },
    keptAnswer: 'sealed',
    retryUntil: at(12),
    now: at(2),
  });
  assert.deepEqual(rotated, { outcome: 'unknown' });
});

const endings: readonly (readonly [name: string, end: (store: Store) => Promise<unknown>])[] = [
  ['its login', (store) => store.revokeFamily(club, aFamily().id, at(2))],
  ['all of its client’s', (store) => store.revokeAll(club, { client: partner })],
  ['all of its member’s', (store) => store.revokeAll(club, { subject })],
  ['its client', (store) => store.remove('client', club, partner, at(2))],
];

for (const [name, end] of endings) {
  changedBy(`C-4: tokens that were asked about fall with ${name}`, async (store, changer) => {
    await store.add('client', [aClient()]);
    await store.startFamily({ family: aFamily(), access: anAccessToken('access') });
    const jwt = { client: partner, subject, family: aFamily().id, tokenId: 'jti', issuedAt: at(0) };
    for (let turn = 0; turn < 2; turn += 1) {
      assert.ok(await findAccess(store, 'access', 1));
      assert.equal(await store.isStanding(club, jwt), true);
    }
    await end(changer);
    assert.equal(await findAccess(store, 'access', 2), undefined);
    assert.equal(await store.isStanding(club, jwt), false);
  });
}

changedBy('C-4: a token that was asked about ends by itself, or alone', async (store, changer) => {
  await store.startFamily({ family: aFamily(), access: anAccessToken('access') });
  const jwt = { client: partner, subject, family: aFamily().id, tokenId: 'jti', issuedAt: at(0) };
  assert.ok(await findAccess(store, 'access', 1));
  assert.equal(await findAccess(store, 'access', 1800), undefined);
  assert.equal(await store.isStanding(club, jwt), true);
  await changer.revokeToken(club, { tokenId: 'jti', expiresAt: at(1800) }, at(2));
  assert.equal(await store.isStanding(club, jwt), false);
  assert.equal(await store.isStanding(club, { ...jwt, tokenId: 'other' }), true);
  assert.ok(await findAccess(store, 'access', 2));
  await changer.revokeToken(club, { key: key('access') }, at(2));
  assert.equal(await findAccess(store, 'access', 2), undefined);
});

changedBy('C-4: a code is dead that comes after all of its client’s', async (store, changer) => {
  const era = await store.era();
  await changer.revokeAll(club, { client: partner });
  assert.equal(await store.issueCode(aCode({ issuedAt: at(4), era })), 'issued');
  assert.equal(await findCode(store, 'code', 6), undefined);
  const spent = await store.spendCode(club, partner, key('code'), { family: aFamily() }, at(6));
  assert.deepEqual(spent, { outcome: 'unknown' });
});

check('remembered rows are frozen', async ({ store }) => {
  await store.add('client', [aClient()]);
  await store.add('member', [aMember()]);
  const client = await store.find('client', club, partner);
  assert.ok(client);
  assert.throws(() => (client.roles as string[]).push('admin'), TypeError);
  const member = await store.find('member', club, subject);
  assert.throws(() => Object.assign(member ?? {}, disabled), TypeError);
});

test('the number of remembered rows is bounded; missing rows are not remembered', () => {
  const database = new DatabaseSync(':memory:');
  const remembered = new Remembered<number>(new Freshness(database), 100);
  let reads = 0;
  const ask = (name: number, found: number | undefined) =>
    remembered.get(club, `${name}`, () => {
      reads += 1;
      return found;
    });
  for (let n = 0; n < 100; n += 1) assert.equal(ask(n, n), n);
  // What is not there leaves no trace, however often strangers ask for it.
  for (let n = 0; n < 1000; n += 1) assert.equal(ask(-1 - n, undefined), undefined);
  assert.equal(reads, 1100);
  for (let n = 0; n < 100; n += 1) assert.equal(ask(n, -1), n);
  assert.equal(reads, 1100);
  assert.equal(ask(100, 100), 100);
  assert.equal(ask(0, -1), -1, 'read again');
  database.close();
});

test('DESIGN: in a turn that lasts, what another process has committed counts all the same', () => {
  const { directory, remove } = scratchFile();
  const path = join(directory, 'jetway.db');
  const [own, another] = [new DatabaseSync(path), new DatabaseSync(path)];
  own.exec('PRAGMA journal_mode = WAL; CREATE TABLE revoked (token TEXT)');
  const fresh = new Freshness(own);
  const before = fresh.epoch;
  another.exec(`INSERT INTO revoked VALUES ('x')`);
  const committedAt = performance.now();
  while (performance.now() - committedAt < 1);
  assert.notEqual(fresh.epoch, before);
  own.close();
  another.close();
  remove();
});
