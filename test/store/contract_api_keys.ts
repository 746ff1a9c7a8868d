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
const holder = async (store: Store, key: string, programme = club): Promise<string | undefined> =>
  (await store.findClientByApiKey(programme, key as Digest))?.id;

export function importTests(open: Open): void {
  describe('clients at once', () => {
    withStore(open, 'C-5: all are added, in order', async (o) => {
      const clients = [3, 1, 2].map((n) => withKeys({ id: id(n) }, `key ${n}`));
      assert.deepEqual(await o.store.addClients(clients), []);
      assert.deepEqual(await o.store.addClients([]), []);
      const store = o.reopen ? await o.reopen() : o.store;
      assert.deepEqual(await store.listClients(club), clients);
      assert.equal(await holder(store, 'key 2'), id(2));
    });

    withStore(open, 'C-5: or none, when an identifier was ever given out', async ({ store }) => {
      await store.addClient(aClient());
      await store.addClient(aClient({ id: otherPartner }));
      await store.removeClient(club, otherPartner, at(1));
      const clients = [id(7), partner, id(8), otherPartner].map((one) =>
        withKeys({ id: one, name: 'new' }, `key ${one}`),
      );
      assert.deepEqual(await store.addClients(clients), [partner, otherPartner]);
      assert.deepEqual(await store.listClients(club), [aClient()]);
      assert.equal(await holder(store, `key ${id(7)}`), undefined);
      // The same identifiers are free in another programme.
      const others = clients.map((client) => ({ ...client, programme: otherClub }));
      assert.deepEqual(await store.addClients(others), []);
    });

    withStore(open, 'C-5: or when one comes up twice among them', async ({ store }) => {
      const clients = [id(1), id(2), id(1), id(1)].map((one) => aClient({ id: one }));
      assert.deepEqual(await store.addClients(clients), [id(1)]);
      assert.deepEqual(await store.listClients(club), []);
    });

    withStore(open, 'C-5: of imports at the same time one gets an identifier', async (o) => {
      const stores = [o.store, o.another ? await o.another() : o.store] as const;
      const results = await inParallel(10, (n) =>
        stores[n % 2 === 0 ? 0 : 1].addClients([aClient({ id: id(n + 10) }), aClient()]),
      );
      assert.equal(results.filter((taken) => taken.length === 0).length, 1);
      assert.equal((await o.store.listClients(club)).length, 2);
    });
  });
}

export function apiKeyTests(open: Open): void {
  describe('API keys', () => {
    withStore(open, 'C-4: a client is found by any of its keys, in its programme', async (o) => {
      const client = withKeys({}, 'first', 'second');
      await o.store.addClient(client);
      await o.store.addClient(withKeys({ id: otherPartner }, 'third'));
      const stores = [o.store, ...(o.another ? [await o.another()] : [])];
      for (const store of stores) {
        assert.deepEqual(await store.findClientByApiKey(club, 'second' as Digest), client);
        assert.deepEqual(await holder(store, 'first'), partner);
        assert.deepEqual(await holder(store, 'third'), otherPartner);
        assert.equal(await holder(store, 'third', otherClub), undefined);
        assert.equal(await holder(store, 'fourth'), undefined);
        // A secret is no API key.
        assert.equal(await holder(store, 'digest-of-secret'), undefined);
      }
    });

    withStore(open, 'C-4: rotation, retirement and removal count at once', async (o) => {
      const { store } = o;
      const change = (keys: readonly string[]) =>
        store.changeClient(club, partner, () => withKeys({ name: 'renamed' }, ...keys));
      await store.addClient(withKeys({}, 'first'));
      await change(['first', 'second']);
      assert.equal(await holder(store, 'second'), partner);
      assert.equal(await holder(store, 'first'), partner);
      await change(['second']);
      assert.equal(await holder(store, 'first'), undefined);
      assert.equal((await store.findClientByApiKey(club, 'second' as Digest))?.name, 'renamed');
      const refused = store.changeClient(club, partner, () => {
        throw new RangeError('refused');
      });
      await assert.rejects(refused, RangeError);
      const reopened = o.reopen ? await o.reopen() : store;
      assert.equal(await holder(reopened, 'second'), partner);
      await reopened.removeClient(club, partner, at(1));
      assert.equal(await holder(reopened, 'second'), undefined);
    });

    withStore(open, 'C-4: a key that two clients came with stays each one’s', async (o) => {
      const { store } = o;
      await store.addClient(withKeys({ id: otherPartner }, 'shared', 'own'));
      await store.addClient(withKeys({}, 'shared'));
      assert.equal(await holder(store, 'shared'), partner);
      await store.changeClient(club, partner, (client) => ({ ...client, apiKeys: [] }));
      assert.equal(await holder(store, 'shared'), otherPartner);
      await store.changeClient(club, otherPartner, (client) => ({ ...client, apiKeys: [] }));
      assert.equal(await holder(store, 'shared'), undefined);
    });
  });
}
