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
  aLogin,
  aMember,
  anAnswer,
  at,
  aTokenOfItsOwn,
  club,
  key,
  loginNamed,
  partner,
} from '../../fixtures.ts';
import { findCode, findLogin, isRevoked } from '../../login.ts';
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
  const spent = await store.spendCode(club, partner, key('code'), aLogin(), at(2));
  assert.deepEqual(spent, { outcome: 'unknown' });
});

changedBy('HOSTILE 26: a code that was looked at is spent once', async (store, changer) => {
  await store.issueCode(aCode());
  const stores = [store, changer, store, changer];
  for (const one of stores) assert.ok(await findCode(one, 'code', 1));
  const spend = (one: Store, n: number) =>
    one.spendCode(club, partner, key('code'), loginNamed(`${n}`), at(1));
  const outcomes = await Promise.all(stores.map(spend));
  assert.deepEqual(outcomes.map(({ outcome }) => outcome).toSorted(), [
    'replayed',
    'replayed',
    'replayed',
    'spent',
  ]);
});

changedBy('HOSTILE 26: a login that was looked at advances once', async (store, changer) => {
  await store.startLogin(aLogin());
  const stores = [store, changer, store, changer];
  for (const one of stores) assert.ok(await findLogin(one));
  const advance = (one: Store, n: number) =>
    one.advanceLogin(club, aLogin().place, aLogin(), anAnswer(aLogin(), `${n}`));
  const done = await Promise.all(stores.map(advance));
  assert.equal(done.filter((is) => is).length, 1);
  const next = anAnswer(aLogin(), `${done.indexOf(true)}`);
  for (const one of stores)
    assert.deepEqual(await findLogin(one), { ...aLogin(), ...next, revoked: false });
});

const endings: readonly (readonly [name: string, end: (store: Store) => Promise<unknown>])[] = [
  ['itself', (store) => store.revoke(club, { place: aLogin().place }, at(2))],
  ['all of its client’s', (store) => store.revoke(club, { client: partner })],
  ['all of its member’s', (store) => store.revoke(club, { subject })],
  ['its client', (store) => store.remove('client', club, partner, at(2))],
];

for (const [name, end] of endings) {
  changedBy(`C-4: a login that was asked about falls with ${name}`, async (store, changer) => {
    await store.add('client', [aClient()]);
    await store.startLogin(aLogin());
    for (let turn = 0; turn < 2; turn += 1) assert.equal(await isRevoked(store), false);
    await end(changer);
    assert.equal(await isRevoked(store), true);
  });
}

for (const [name, end] of endings.filter(
  ([of]) => of.endsWith('client’s') || of === 'its client',
)) {
  changedBy(`C-4: a client’s own token falls with ${name}`, async (store, changer) => {
    await store.add('client', [aClient()]);
    const own = aTokenOfItsOwn(await store.era());
    for (let turn = 0; turn < 2; turn += 1) assert.equal(await store.isStanding(club, own), true);
    await end(changer);
    assert.equal(await store.isStanding(club, own), false);
    assert.equal(
      await store.isStanding(club, aTokenOfItsOwn(await store.era())),
      name !== 'its client',
    );
  });
}

changedBy('C-4: a token that was asked about ends alone', async (store, changer) => {
  const [one, other] = ['one', 'other'].map((tokenId) => ({ tokenId, expiresAt: at(1800) }));
  // With no revoked token in the programme, and with one.
  for (const revoked of ['', 'third']) {
    if (revoked !== '') await changer.revoke(club, { ...one!, tokenId: revoked }, at(1));
    assert.equal(await store.isStanding(club, one!), true);
    assert.equal(await store.isStanding(club, other!), true);
  }
  await changer.revoke(club, one!, at(2));
  assert.equal(await store.isStanding(club, one!), false);
  assert.equal(await store.isStanding(club, other!), true);
});

changedBy('C-4: a code is dead that comes after all of its client’s', async (store, changer) => {
  const era = await store.era();
  await changer.revoke(club, { client: partner });
  assert.equal(await store.issueCode(aCode({ issuedAt: at(4), era })), 'issued');
  assert.equal(await findCode(store, 'code', 6), undefined);
  const spent = await store.spendCode(club, partner, key('code'), aLogin(), at(6));
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
    remembered.get(`${name}`, () => {
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
