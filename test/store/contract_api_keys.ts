// Owns the contract of adding many clients at once, and of finding clients by their API keys.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

import type { Digest } from '../../src/lib/digest.ts';
import type { Client, ClientId } from '../../src/oauth/client.ts';
import type { Store } from '../../src/store/contract.ts';
import { aClient, at, club, inParallel, otherClub, otherPartner, partner } from './fixtures.ts';
import { withStore, type Open } from './with_store.ts';

const id = (number: number): ClientId =>
  `partnerapi-${String(number).padStart(5, '0')}` as ClientId;
const withKeys = (client: Partial<Client>, ...keys: string[]): Client =>
  aClient({
    ...client,
    apiKeys: keys.map((digest) => ({ digest: digest as Digest, createdAt: at(0) })),
  });
const holders = async (store: Store, key: string, programme = club): Promise<readonly string[]> => {
  const clients = await store.findBy('client', 'api_key', programme, key as Digest);
  return clients.map((client) => client.id);
};

export function importTests(open: Open): void {
  describe('clients at once', () => {
    withStore(open, 'C-5: all are added, in order', async (o) => {
      const clients = [3, 1, 2].map((n) => withKeys({ id: id(n) }, `key ${n}`));
      assert.deepEqual(await o.store.add('client', clients), []);
      assert.deepEqual(await o.store.add('client', []), []);
      const store = o.reopen ? await o.reopen() : o.store;
      assert.deepEqual(await store.list('client', club), clients);
      assert.deepEqual(await holders(store, 'key 2'), [id(2)]);
    });

    withStore(open, 'C-5: or none, when an identifier was ever given out', async ({ store }) => {
      await store.add('client', [aClient()]);
      await store.add('client', [aClient({ id: otherPartner })]);
      await store.remove('client', club, otherPartner, at(1));
      const clients = [id(7), partner, id(8), otherPartner].map((one) =>
        withKeys({ id: one, name: 'new' }, `key ${one}`),
      );
      assert.deepEqual(await store.add('client', clients), [partner, otherPartner]);
      assert.deepEqual(await store.list('client', club), [aClient()]);
      assert.deepEqual(await holders(store, `key ${id(7)}`), []);
      // The same identifiers are free in another programme.
      const others = clients.map((client) => ({ ...client, programme: otherClub }));
      assert.deepEqual(await store.add('client', others), []);
    });

    withStore(open, 'C-5: or when one comes up twice among them', async ({ store }) => {
      const clients = [id(1), id(2), id(1), id(1)].map((one) => aClient({ id: one }));
      assert.deepEqual(await store.add('client', clients), [id(1)]);
      assert.deepEqual(await store.list('client', club), []);
    });

    withStore(open, 'C-5: of imports at the same time one gets an identifier', async (o) => {
      const stores = [o.store, o.another ? await o.another() : o.store] as const;
      const results = await inParallel(10, (n) =>
        stores[n % 2 === 0 ? 0 : 1].add('client', [aClient({ id: id(n + 10) }), aClient()]),
      );
      assert.equal(results.filter((taken) => taken.length === 0).length, 1);
      assert.equal((await o.store.list('client', club)).length, 2);
    });
  });
}

export function apiKeyTests(open: Open): void {
  describe('API keys', () => {
    withStore(open, 'C-4: a client is found by any of its keys, in its programme', async (o) => {
      const client = withKeys({}, 'first', 'second');
      await o.store.add('client', [client]);
      await o.store.add('client', [withKeys({ id: otherPartner }, 'third')]);
      const stores = [o.store, ...(o.another ? [await o.another()] : [])];
      for (const store of stores) {
        assert.deepEqual(await store.findBy('client', 'api_key', club, 'second' as Digest), [
          client,
        ]);
        assert.deepEqual(await holders(store, 'first'), [partner]);
        assert.deepEqual(await holders(store, 'third'), [otherPartner]);
        assert.deepEqual(await holders(store, 'third', otherClub), []);
        assert.deepEqual(await holders(store, 'fourth'), []);
        // A secret is no API key.
        assert.deepEqual(await holders(store, 'digest-of-secret'), []);
      }
    });

    withStore(open, 'C-4: rotation, retirement and removal count at once', async (o) => {
      const { store } = o;
      const change = (keys: readonly string[]) =>
        store.change('client', club, partner, () => withKeys({ name: 'renamed' }, ...keys));
      await store.add('client', [withKeys({}, 'first')]);
      await change(['first', 'second']);
      assert.deepEqual(await holders(store, 'second'), [partner]);
      assert.deepEqual(await holders(store, 'first'), [partner]);
      await change(['second']);
      assert.deepEqual(await holders(store, 'first'), []);
      const [renamed] = await store.findBy('client', 'api_key', club, 'second' as Digest);
      assert.equal(renamed?.name, 'renamed');
      const refused = store.change('client', club, partner, () => {
        throw new RangeError('refused');
      });
      await assert.rejects(refused, RangeError);
      const reopened = o.reopen ? await o.reopen() : store;
      assert.deepEqual(await holders(reopened, 'second'), [partner]);
      await reopened.remove('client', club, partner, at(1));
      assert.deepEqual(await holders(reopened, 'second'), []);
    });

    withStore(open, 'C-4 C-5: a key that several clients share is each one’s', async (o) => {
      const { store } = o;
      const other = o.another ? await o.another() : store;
      const expectHolders = async (...ids: readonly ClientId[]): Promise<void> => {
        for (const one of [store, other]) {
          assert.deepEqual(await holders(one, 'shared'), ids.toSorted());
        }
      };
      await store.add('client', [withKeys({ id: otherPartner }, 'shared', 'own')]);
      await expectHolders(otherPartner);
      await store.add('client', [withKeys({}, 'shared')]);
      await expectHolders(otherPartner, partner);
      await store.add('client', [withKeys({ id: id(5) }, 'shared')]);
      await expectHolders(otherPartner, partner, id(5));
      await store.remove('client', club, id(5), at(1));
      await expectHolders(otherPartner, partner);
      await other.change('client', club, partner, (client) => ({ ...client, apiKeys: [] }));
      await expectHolders(otherPartner);
      await store.change('client', club, otherPartner, (client) => ({ ...client, apiKeys: [] }));
      await expectHolders();
    });

    withStore(open, 'C-5: all who share a key are changed at once, or none', async (o) => {
      const { store } = o;
      const sharing = [
        withKeys({}, 'old', 'shared'),
        withKeys({ id: otherPartner }, 'shared'),
        withKeys({ id: id(5), programme: otherClub }, 'old'),
      ];
      await store.add('client', [...sharing, withKeys({ id: id(6) }, 'new')]);
      const keys = ['old', 'shared'] as Digest[];
      const rename = (client: Client): Client => ({ ...client, name: `new ${client.name}` });
      const refused = store.changeAll('client', { lookUp: 'api_key', keys }, (clients) =>
        clients.map((client) => {
          if (client.programme === otherClub) throw new RangeError('refused');
          return rename(client);
        }),
      );
      await assert.rejects(refused, RangeError);
      assert.deepEqual((await store.list('client', club)).slice(0, 2), sharing.slice(0, 2));
      const changed = await store.changeAll('client', { lookUp: 'api_key', keys }, (clients) =>
        clients.map((client) => ({
          ...rename(client),
          apiKeys: [{ digest: 'new' as Digest, createdAt: at(1) }],
        })),
      );
      assert.equal(changed.length, 3);
      const reopened = o.reopen ? await o.reopen() : store;
      assert.deepEqual(await holders(reopened, 'new'), [partner, otherPartner, id(6)].toSorted());
      assert.deepEqual(await holders(reopened, 'new', otherClub), [id(5)]);
      assert.deepEqual(await holders(reopened, 'old'), []);
      assert.deepEqual(
        await reopened.changeAll('client', { lookUp: 'api_key', keys }, (clients) =>
          clients.map(rename),
        ),
        [],
      );
      assert.deepEqual(
        (await reopened.list('client', club)).map(({ name }) => name.startsWith('new ')),
        [true, true, false],
      );
    });
  });
}
