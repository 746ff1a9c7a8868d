// Owns the contract of removing clients and members, and of knowing when secrets were used.

import assert from 'node:assert/strict';

import type { Digest } from '../../../src/lib/digest.ts';
import type { Client, ClientId } from '../../../src/oauth/client.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import {
  aClient,
  aCode,
  aLogin,
  aMember,
  aTokenOfItsOwn,
  at,
  club,
  findMember,
  key,
  otherClub,
  otherPartner,
  partner,
  placeAt,
} from '../fixtures.ts';
import { findCode, isRevoked, login } from '../login.ts';
import type { StoreTest } from '../with_store.ts';
import { eachStore } from './stores.ts';

const secret = 'digest-of-secret' as Digest;
const apiKey = 'digest-of-key' as Digest;

eachStore('removals', (check) => {
  clientRemovalTests(check);
  memberRemovalTests(check);
});
eachStore('uses of secrets', useTests);

function clientRemovalTests(check: StoreTest): void {
  check('DESIGN: a removed client’s tokens die, even those written late', async (o) => {
    const { store } = o;
    await store.add('client', [aClient()]);
    await login(store);
    const before = aTokenOfItsOwn(await store.era());
    assert.deepEqual([await isRevoked(store), await store.isStanding(club, before)], [false, true]);
    await (await o.elsewhere()).remove('client', club, partner, at(5));
    assert.equal(await isRevoked(store), true);
    assert.equal(await store.isStanding(club, before), false);
    // A request that had found the client before may get this far.
    const late = aLogin({ place: placeAt(6) });
    await store.startLogin(late);
    await store.issueCode(aCode({ key: key('late'), transaction: 'late' }));
    assert.equal(await isRevoked(store, late), true);
    assert.equal(await findCode(store, 'late', 6), undefined);
    const later = await o.reopened();
    assert.equal(await isRevoked(later), true);
    for (const era of [before.own.era, await later.era()]) {
      const own = aTokenOfItsOwn(era);
      assert.equal(await later.isStanding(club, own), false);
    }
    const other = aTokenOfItsOwn(await later.era(), { client: otherPartner });
    assert.equal(await later.isStanding(club, other), true);
    assert.equal(await later.isStanding(otherClub, before), true);
  });
}

function memberRemovalTests(check: StoreTest): void {
  check('DESIGN: a removed member is gone with all tokens', async (o) => {
    const { subject, username } = aMember();
    await o.store.add('member', [aMember()]);
    await o.store.add('member', [aMember({ programme: otherClub })]);
    await login(o.store);
    assert.equal(await o.store.remove('member', club, 'nobody' as Subject, at(1)), false);
    assert.equal(await o.store.remove('member', club, subject, at(1)), true);
    const store = await o.reopened();
    assert.equal(await findMember(store, club, username), undefined);
    assert.equal(await store.find('member', club, subject), undefined);
    assert.deepEqual(await store.list('member', club), []);
    assert.equal(await store.remove('member', club, subject, at(1)), false);
    assert.equal(await isRevoked(store), true);
    assert.ok(await findMember(store, otherClub, username));
  });

  check('P-15: a username that was given back may be given again', async ({ store }) => {
    await store.add('member', [aMember()]);
    await store.startLogin(aLogin());
    await store.remove('member', club, aMember().subject, at(1));
    const heir = aMember({ subject: 'subject-2' as Subject });
    assert.deepEqual(await store.add('member', [heir]), []);
    assert.deepEqual(await findMember(store, club, heir.username), heir);
    // The same member come back logs in afresh; what was issued before stays dead.
    await store.remove('member', club, heir.subject, at(1));
    assert.deepEqual(await store.add('member', [aMember()]), []);
    const next = aLogin({ place: placeAt(4) });
    await store.startLogin(next);
    assert.equal(await isRevoked(store), true);
    assert.equal(await isRevoked(store, next), false);
  });
}

function useTests(check: StoreTest): void {
  check('DESIGN: the last use of each secret is known, to the hour', async ({ store }) => {
    await store.add('client', [aClient()]);
    const uses = (): Promise<ReadonlyMap<Digest, number>> => store.secretUses(club, partner);
    assert.deepEqual(await uses(), new Map());
    store.recordSecretUse(club, partner, secret, at(0));
    store.recordSecretUse(club, partner, apiKey, at(10));
    store.recordSecretUse(club, partner, secret, at(3599));
    const first = new Map([
      [secret, at(0)],
      [apiKey, at(10)],
    ]);
    assert.deepEqual(await uses(), first);
    assert.deepEqual(await store.secretUses(otherClub, partner), new Map());
    store.recordSecretUse(club, partner, secret, at(3600));
    assert.deepEqual(await uses(), new Map([...first, [secret, at(3600)]]));
    // A server whose clock is a little behind takes nothing back.
    store.recordSecretUse(club, partner, secret, at(3540));
    assert.deepEqual(await uses(), new Map([...first, [secret, at(3600)]]));
  });

  check('FAULTS 33: a use of a secret in the future gives way to one of now', async ({ store }) => {
    await store.add('client', [aClient()]);
    const uses = (): Promise<ReadonlyMap<Digest, number>> => store.secretUses(club, partner);
    store.recordSecretUse(club, partner, secret, at(315_360_000));
    await store.sweep(at(0), 10);
    store.recordSecretUse(club, partner, secret, at(60));
    assert.deepEqual(await uses(), new Map([[secret, at(60)]]));
    await store.sweep(at(60), 10);
    assert.deepEqual(await uses(), new Map([[secret, at(60)]]));
    // One that is written, and one that waits.
    store.recordSecretUse(club, partner, secret, at(7200));
    await store.time(at(7200));
    await store.sweep(at(7200), 10);
    store.recordSecretUse(club, partner, apiKey, at(7200));
    await store.acceptTime(at(600));
    await store.sweep(at(600), 10);
    assert.deepEqual(
      await uses(),
      new Map([
        [secret, at(600)],
        [apiKey, at(600)],
      ]),
    );
    store.recordSecretUse(club, partner, secret, at(4200));
    assert.equal((await uses()).get(secret), at(4200));
  });

  check('DESIGN: uses outlast a restart, written beside something else', async (o) => {
    if (o.reopen === undefined || o.another === undefined) return;
    await o.store.add('client', [aClient()]);
    o.store.recordSecretUse(club, partner, secret, at(0));
    const another = await o.another();
    assert.deepEqual(await another.secretUses(club, partner), new Map());
    await o.store.startLogin(aLogin());
    await o.store.sweep(at(0), 10);
    assert.deepEqual(await another.secretUses(club, partner), new Map([[secret, at(0)]]));
    // The other process has seen it used as well: within the hour it writes nothing.
    another.recordSecretUse(club, partner, secret, at(1800));
    await another.sweep(at(1800), 10);
    assert.deepEqual(await o.store.secretUses(club, partner), new Map([[secret, at(0)]]));
    another.recordSecretUse(club, partner, secret, at(5400));
    const reopened = await o.reopen();
    assert.deepEqual(await reopened.secretUses(club, partner), new Map([[secret, at(5400)]]));
  });

  check('DESIGN: a secret that is gone has no uses', async ({ store }) => {
    await store.add('client', [aClient()]);
    store.recordSecretUse(club, partner, secret, at(0));
    store.recordSecretUse(club, partner, apiKey, at(0));
    store.recordSecretUse(club, 'nobody' as ClientId, secret, at(0));
    await store.change('client', club, partner, (client: Client) => ({ ...client, secrets: [] }));
    assert.deepEqual(await store.secretUses(club, partner), new Map([[apiKey, at(0)]]));
    await store.remove('client', club, partner, at(1));
    await store.sweep(at(2), 10);
    assert.deepEqual(await store.secretUses(club, partner), new Map());
    assert.deepEqual(await store.secretUses(club, 'nobody' as ClientId), new Map());
  });
}
