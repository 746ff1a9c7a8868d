// Owns the contract of finding clients by API key and members by username.

import assert from 'node:assert/strict';

import type { Digest } from '../../../src/lib/digest.ts';
import type { Client, ClientId } from '../../../src/oauth/client.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import type { Store } from '../../../src/store/contract.ts';
import { KeyTaken } from '../../../src/store/registrations.ts';
import {
  aClient,
  aMember,
  at,
  club,
  findMember,
  otherClub,
  otherPartner,
  partner,
} from '../fixtures.ts';
import { eachStore } from './stores.ts';

const numbered = (number: number): ClientId =>
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

eachStore('API keys', (check) => {
  check('C-4: a client is found by any of its keys, in its programme', async (o) => {
    const client = withKeys({}, 'first', 'second');
    await o.store.add('client', [client]);
    await o.store.add('client', [withKeys({ id: otherPartner }, 'third')]);
    const stores = [o.store, ...(o.another ? [await o.another()] : [])];
    for (const store of stores) {
      assert.deepEqual(await store.findBy('client', 'api_key', club, 'second' as Digest), [client]);
      assert.deepEqual(await holders(store, 'first'), [partner]);
      assert.deepEqual(await holders(store, 'third'), [otherPartner]);
      assert.deepEqual(await holders(store, 'third', otherClub), []);
      assert.deepEqual(await holders(store, 'fourth'), []);
      // A secret is no API key.
      assert.deepEqual(await holders(store, 'digest-of-secret'), []);
    }
  });

  check('DESIGN: a client is found by the digest of any of its secrets', async (o) => {
    const secret = (digest: string) => ({ digest: digest as Digest, createdAt: at(0) });
    const bySecret = async (digest: string, programme = club) =>
      (await o.store.findBy('client', 'secret', programme, digest as Digest)).map(({ id }) => id);
    const secrets = [secret('one'), secret('two')];
    await o.store.add('client', [aClient({ secrets })]);
    await o.store.add('client', [aClient({ id: otherPartner, secrets: [secret('two')] })]);
    assert.deepEqual(await bySecret('one'), [partner]);
    assert.deepEqual(await bySecret('two'), [partner, otherPartner]);
    assert.deepEqual(await bySecret('one', otherClub), []);
    assert.deepEqual(await bySecret('digest-of-key'), []);
    const retired = [secret('two')];
    await o.store.change('client', club, partner, (client) => ({ ...client, secrets: retired }));
    assert.deepEqual(await bySecret('one'), []);
  });

  check('C-4: rotation, retirement and removal count at once', async ({ store, reopened }) => {
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
    const later = await reopened();
    assert.deepEqual(await holders(later, 'second'), [partner]);
    await later.remove('client', club, partner, at(1));
    assert.deepEqual(await holders(later, 'second'), []);
  });

  check('C-4 C-5: a key that several clients share is each one’s', async (o) => {
    const { store } = o;
    const other = await o.elsewhere();
    const expectHolders = async (...ids: readonly ClientId[]): Promise<void> => {
      for (const one of [store, other]) {
        assert.deepEqual(await holders(one, 'shared'), ids.toSorted());
      }
    };
    await store.add('client', [withKeys({ id: otherPartner }, 'shared', 'own')]);
    await expectHolders(otherPartner);
    await store.add('client', [withKeys({}, 'shared')]);
    await expectHolders(otherPartner, partner);
    await store.add('client', [withKeys({ id: numbered(5) }, 'shared')]);
    await expectHolders(otherPartner, partner, numbered(5));
    await store.remove('client', club, numbered(5), at(1));
    await expectHolders(otherPartner, partner);
    await other.change('client', club, partner, (client) => ({ ...client, apiKeys: [] }));
    await expectHolders(otherPartner);
    await store.change('client', club, otherPartner, (client) => ({ ...client, apiKeys: [] }));
    await expectHolders();
  });

  check('C-5: all who share a key are changed at once, or none', async ({ store, reopened }) => {
    const sharing = [
      withKeys({}, 'old', 'shared'),
      withKeys({ id: otherPartner }, 'shared'),
      withKeys({ id: numbered(5), programme: otherClub }, 'old'),
    ];
    await store.add('client', [...sharing, withKeys({ id: numbered(6) }, 'new')]);
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
    const later = await reopened();
    assert.deepEqual(await holders(later, 'new'), [partner, otherPartner, numbered(6)].toSorted());
    assert.deepEqual(await holders(later, 'new', otherClub), [numbered(5)]);
    assert.deepEqual(await holders(later, 'old'), []);
    assert.deepEqual(
      await later.changeAll('client', { lookUp: 'api_key', keys }, (clients) =>
        clients.map(rename),
      ),
      [],
    );
    assert.deepEqual(
      (await later.list('client', club)).map(({ name }) => name.startsWith('new ')),
      [true, true, false],
    );
  });
});

/** HOSTILE 79: what a client is found by alone is no other's, also where two are given it at once. */
eachStore('keys of one client alone', (check) => {
  const withSecrets = (number: number, ...digests: readonly string[]): Client =>
    aClient({
      id: numbered(number),
      secrets: digests.map((digest) => ({ digest: digest as Digest, createdAt: at(0) })),
    });
  const found = async (store: Store, digest: string): Promise<readonly ClientId[]> => {
    const clients = await store.findBy('client', 'secret', club, digest as Digest);
    return clients.map(({ id }) => id);
  };

  check('HOSTILE 79: no client is added with a key that is to be its own', async (o) => {
    const { store } = o;
    const add = (...clients: readonly Client[]) => store.add('client', clients, ['secret']);
    assert.deepEqual(await add(withSecrets(1, 'one')), []);
    assert.deepEqual(await add(withSecrets(2, 'two', 'one')), [numbered(2)]);
    assert.deepEqual(await add(withSecrets(3, 'three'), withSecrets(4, 'three')), [numbered(4)]);
    assert.deepEqual(await store.list('client', club), [withSecrets(1, 'one')]);
    // In another programme, and where secrets stand beside an identifier, it may be.
    const elsewhere = { ...withSecrets(1, 'one'), programme: otherClub };
    assert.deepEqual(await store.add('client', [elsewhere], ['secret', 'api_key']), []);
    assert.deepEqual(await store.add('client', [withSecrets(5, 'one')], ['api_key']), [
      numbered(5),
    ]);
    assert.deepEqual(await store.add('client', [withSecrets(5, 'one')]), []);
    assert.deepEqual(await found(await o.reopened(), 'one'), [numbered(1), numbered(5)]);
  });

  check('HOSTILE 79: no change gains such a key; one that is shared can be given up', async (o) => {
    const { store } = o;
    const clients = [withSecrets(1, 'one'), withSecrets(2, 'two', 'one'), withSecrets(3, 'three')];
    await store.add('client', clients);
    const change = (number: number, ...digests: readonly string[]) =>
      store.change('client', club, numbered(number), () => withSecrets(number, ...digests), [
        'secret',
      ]);
    for (const taken of ['one', 'two'])
      await assert.rejects(change(3, 'three', taken), new KeyTaken('client', 'secret'));
    assert.deepEqual(await store.list('client', club), clients);
    // `one` is still shared: the way out of that leads through a client that has it.
    assert.deepEqual(await change(2, 'one', 'fresh'), withSecrets(2, 'one', 'fresh'));
    assert.deepEqual(await change(2, 'fresh'), withSecrets(2, 'fresh'));
    assert.deepEqual(await change(3, 'two'), withSecrets(3, 'two'));
    assert.deepEqual(await found(await o.reopened(), 'one'), [numbered(1)]);
  });

  check('HOSTILE 79: of several at once, on two stores, one gets the key', async (o) => {
    const stores = [o.store, await o.elsewhere()];
    for (let round = 0; round < 20; round += 1) {
      const key = `key ${round}`;
      await o.store.add('client', [withSecrets(round * 10, 'own')]);
      const tries = [1, 2, 3, 4, 5].map(async (n): Promise<boolean> => {
        const store = stores[n % 2] ?? o.store;
        if (n < 5) {
          const added = withSecrets(round * 10 + n, key);
          return (await store.add('client', [added], ['secret'])).length === 0;
        }
        const changed = withSecrets(round * 10, 'own', key);
        return store
          .change('client', club, changed.id, () => changed, ['secret'])
          .then(
            () => true,
            (error: unknown) => !(error instanceof KeyTaken),
          );
      });
      assert.equal((await Promise.all(tries)).filter(Boolean).length, 1, key);
      assert.equal((await found(o.store, key)).length, 1, key);
    }
  });
});

eachStore('usernames', (check) => {
  const { subject, username } = aMember();
  const second = aMember({ subject: 'subject-2' as Subject, username: 'second' });

  check('P-15: a member is found by username, which no other has', async ({ store }) => {
    assert.deepEqual(await store.add('member', [aMember(), second]), []);
    const third = 'subject-3' as Subject;
    assert.deepEqual(await store.add('member', [aMember({ subject: third })]), [third]);
    assert.deepEqual(await store.add('member', [aMember({ username: 'free' })]), [subject]);
    const [one, other] = [third, 'subject-4' as Subject].map((id) =>
      aMember({ subject: id, username: 'twice' }),
    );
    assert.deepEqual(await store.add('member', [one!, other!]), ['subject-4']);
    for (const name of ['free', 'twice', 'SECOND']) {
      assert.equal(await findMember(store, club, name), undefined);
    }
    assert.deepEqual(await findMember(store, club, username), aMember());
    assert.deepEqual(await findMember(store, club, 'second'), second);
    assert.equal(await findMember(store, otherClub, 'second'), undefined);
    assert.deepEqual(await store.add('member', [aMember({ programme: otherClub })]), []);
  });

  check('C-9: a change of username keeps the subject', async ({ store, elsewhere }) => {
    const other = await elsewhere();
    await store.add('member', [aMember(), second]);
    const rename = (to: string) =>
      store.change('member', club, subject, (member) => ({ ...member, username: to }));
    assert.deepEqual(await findMember(other, club, username), aMember());
    assert.deepEqual(await rename('new'), aMember({ username: 'new' }));
    for (const one of [store, other]) {
      assert.equal(await findMember(one, club, username), undefined);
      assert.deepEqual(await findMember(one, club, 'new'), aMember({ username: 'new' }));
    }
    await assert.rejects(rename('second'), new KeyTaken('member', 'username'));
    assert.deepEqual(await store.list('member', club), [aMember({ username: 'new' }), second]);
    assert.deepEqual(await findMember(store, club, 'second'), second);
    // The old name is free.
    const third = aMember({ subject: 'subject-3' as Subject });
    assert.deepEqual(await other.add('member', [third]), []);
    assert.deepEqual(await findMember(store, club, username), third);
  });

  check('P-15: one change of several members gives no username twice', async ({ store }) => {
    await store.add('member', [aMember(), second]);
    const changeAll = (...names: string[]) =>
      store.changeAll('member', { programme: club }, (members) =>
        names.map((name, index) => ({
          ...(members[index] ?? aMember({ subject: 'subject-3' as Subject })),
          username: name,
        })),
      );
    for (const [taken, ...names] of [
      ['subject-2', 'new', 'new'],
      ['subject-3', 'new', 'second', 'second'],
    ]) {
      await assert.rejects(changeAll(...names), new RegExp(` gives ${taken} `));
      assert.deepEqual(await store.list('member', club), [aMember(), second]);
    }
    // Usernames that the change gives up are free.
    await changeAll('second', username, 'third');
    assert.deepEqual(await findMember(store, club, 'second'), aMember({ username: 'second' }));
    assert.deepEqual(await findMember(store, club, username), { ...second, username });
  });
});
