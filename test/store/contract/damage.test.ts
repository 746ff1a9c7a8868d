// Owns the contract of registered things whose rows are damaged, of backends that have rows.

import assert from 'node:assert/strict';

import type { Digest } from '../../../src/lib/digest.ts';
import type { Client, GatewayId } from '../../../src/oauth/client.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import type { Store } from '../../../src/store/contract.ts';
import type { Kind } from '../../../src/store/kinds.ts';
import { DamagedItem } from '../../../src/store/unusable.ts';
import {
  aClient,
  aGateway,
  aMember,
  aSigningKey,
  aTokenOfItsOwn,
  at,
  club,
  findMember,
  otherPartner,
  partner,
} from '../fixtures.ts';
import { isRevoked, login } from '../login.ts';
import { isTaken } from '../taken.ts';
import type { StoreScene } from '../with_store.ts';
import { eachStore } from './stores.ts';

const keyed = (client: Partial<Client>, ...keys: readonly string[]): Client =>
  aClient({
    ...client,
    apiKeys: keys.map((digest) => ({ digest: digest as Digest, createdAt: at(0) })),
  });

/** Of each kind one item that is to be damaged, and one beside it. */
const clients = [keyed({}, 'own', 'shared'), keyed({ id: otherPartner }, 'shared')] as const;
const members = [
  aMember(),
  aMember({ subject: 'subject-2' as Subject, username: 'second' }),
] as const;
const gateways = [aGateway(), aGateway({ id: 'gateway-2' as GatewayId })] as const;
const keys = [aSigningKey('key-1'), aSigningKey('key-2')] as const;

async function damagedScene({ store, damage }: StoreScene): Promise<void> {
  assert.ok(damage);
  await store.add('client', clients);
  await store.add('member', members);
  await store.add('gateway', gateways);
  await store.add('signing_key', keys);
  await damage('client', partner);
  await damage('member', members[0].subject);
  await damage('gateway', gateways[0].id);
  await damage('signing_key', keys[0].kid);
}

/** The list without its damaged items, which are listed apart. */
async function listOf(
  store: Store,
  kind: Kind,
): Promise<readonly [items: readonly unknown[], damaged: readonly string[]]> {
  const damaged: string[] = [];
  const onDamage = (one: DamagedItem): void => {
    assert.deepEqual([one.kind, one.programme], [kind, club]);
    damaged.push(one.id);
  };
  return [await store.list(kind, club, { onDamage }), damaged];
}

const isDamage =
  (kind: Kind, id: string) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof DamagedItem, String(error));
    assert.deepEqual([error.kind, error.programme, error.id], [kind, club, id]);
    return true;
  };

/** Damage under an open store: a file that is damaged when it is opened is refused (FAULTS 6). */
eachStore(
  'damaged items',
  (check) => {
    check('FAULTS 36: a damaged item hides no other', async (o) => {
      const { store } = o;
      await damagedScene(o);
      // Questions of one turn are one statement in PostgreSQL.
      const [first, second, none] = await Promise.allSettled([
        store.find('client', club, partner),
        store.find('client', club, otherPartner),
        store.find('client', club, 'partnerapi-99999' as typeof partner),
      ]);
      assert.equal(first.status, 'rejected');
      isDamage('client', partner)(first.reason);
      assert.deepEqual(second, { status: 'fulfilled', value: clients[1] });
      assert.deepEqual(none, { status: 'fulfilled', value: undefined });
      const by = (key: string) => store.findBy('client', 'api_key', club, key as Digest);
      for (let turn = 0; turn < 2; turn += 1) {
        const asked = await Promise.allSettled([by('own'), by('shared'), by('nobody')]);
        assert.equal(asked[0].status, 'rejected');
        isDamage('client', partner)(asked[0].reason);
        assert.deepEqual(asked.slice(1), [
          { status: 'fulfilled', value: [clients[1]] },
          { status: 'fulfilled', value: [] },
        ]);
      }
      for (const [kind, id, whole] of [
        ['client', partner, clients[1]],
        ['member', members[0].subject, members[1]],
        ['gateway', gateways[0].id, gateways[1]],
        ['signing_key', keys[0].kid, keys[1]],
      ] as const) {
        assert.deepEqual(await listOf(store, kind), [[whole], [id]]);
        await assert.rejects(store.list(kind, club), isDamage(kind, id));
        assert.equal(await isTaken(store, kind, club, id as never), true);
        await assert.rejects(
          store.change(kind, club, id, (item) => item),
          isDamage(kind, id),
        );
      }
      const { username, subject } = members[0];
      await assert.rejects(findMember(store, club, username), isDamage('member', subject));
      assert.deepEqual(await findMember(store, club, 'second'), members[1]);
      const after = { after: partner };
      assert.deepEqual(await store.list('client', club, after), [clients[1]]);
      await removeAll(o);
    });

    check('FAULTS 36: a damaged item is removed as a whole one is', async (o) => {
      const { store } = o;
      await login(store);
      await damagedScene(o);
      const own = aTokenOfItsOwn(await store.era());
      assert.deepEqual([await isRevoked(store), await store.isStanding(club, own)], [false, true]);
      await removeAll(o);
      const one = await o.reopened();
      assert.equal(await isRevoked(one), true);
      assert.equal(await one.isStanding(club, own), false);
      assert.deepEqual(await listOf(one, 'client'), [[clients[1]], []]);
      // C-5: its identifier is never given out again; its keys and a member's name are free.
      assert.equal(await isTaken(one, 'client', club, partner), true);
      assert.deepEqual(await one.add('client', [clients[0]]), [partner]);
      const heir = keyed({ id: 'partnerapi-00003' as typeof partner }, 'own');
      assert.deepEqual(await one.add('client', [heir], ['api_key']), []);
      assert.deepEqual(await one.findBy('client', 'api_key', club, 'own' as Digest), [heir]);
      const renamed = { ...members[0], username: 'another' };
      assert.deepEqual(await one.add('member', [renamed]), []);
      assert.equal(await findMember(one, club, members[0].username), undefined);
      assert.deepEqual(await findMember(one, club, 'another'), renamed);
    });
  },
  ['file', 'postgres'],
);

async function removeAll({ store }: StoreScene): Promise<void> {
  for (const [kind, id] of [
    ['client', partner],
    ['member', members[0].subject],
    ['gateway', gateways[0].id],
    ['signing_key', keys[0].kid],
  ] as const) {
    assert.equal(await store.remove(kind, club, id as never, at(9)), true);
    assert.equal(await store.remove(kind, club, id as never, at(9)), false);
    assert.equal(await store.find(kind, club, id as never), undefined);
  }
}
