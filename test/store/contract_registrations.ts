// Owns the contract of clients and members.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

import type { ClientId } from '../../src/oauth/client.ts';
import type { Subject } from '../../src/oauth/member.ts';
import {
  aClient,
  aMember,
  at,
  club,
  inParallel,
  otherClub,
  partner,
  findMember,
} from './fixtures.ts';
import { withStore, type Open } from './with_store.ts';

export function clientTests(open: Open): void {
  describe('clients', () => {
    withStore(open, 'C-5: a client comes back as it was added', async ({ store }) => {
      const full = aClient({ businessContext: 'Travel', partnerId: 'PARTNER01' });
      const { throttle: _throttle, ...bare } = aClient({ id: 'partnerapi-00003' as ClientId });
      assert.deepEqual(await store.add('client', [full]), []);
      assert.deepEqual(await store.add('client', [bare]), []);
      assert.deepEqual(await store.find('client', club, full.id), full);
      assert.deepEqual(await store.find('client', club, bare.id), bare);
      assert.equal(await store.find('client', club, 'partnerapi-99999' as ClientId), undefined);
    });

    withStore(open, 'C-5: an identifier given out once is never given out again', async (o) => {
      const { store } = o;
      const results = await inParallel(10, (n) =>
        store.add('client', [aClient({ name: `try ${n}` })]),
      );
      assert.equal(results.filter((taken) => taken.length === 0).length, 1);
      await store.change('client', club, partner, (client) => ({ ...client, status: 'disabled' }));
      assert.notDeepEqual(await store.add('client', [aClient()]), []);
      if (o.reopen) assert.notDeepEqual(await (await o.reopen()).add('client', [aClient()]), []);
    });

    withStore(open, 'C-2: the same identifier in two programmes is two clients', async (o) => {
      const { store } = o;
      const other = aClient({ programme: otherClub, name: 'Other' });
      assert.deepEqual(await store.add('client', [aClient()]), []);
      assert.deepEqual(await store.add('client', [other]), []);
      assert.deepEqual(await store.list('client', otherClub), [other]);
      assert.equal((await store.find('client', club, partner))?.name, 'Example Partner');
    });

    withStore(open, 'C-5: clients are listed in order of creation', async ({ store }) => {
      const ids = ['9', '1', '5'].map((digit) => `partnerapi-0000${digit}` as ClientId);
      for (const id of ids) await store.add('client', [aClient({ id })]);
      await store.change('client', club, ids[0]!, (client) => ({ ...client, name: 'renamed' }));
      const listed = await store.list('client', club);
      assert.deepEqual(
        listed.map(({ id }) => id),
        ids,
      );
    });

    withStore(open, 'DESIGN: simultaneous changes of a client are all kept', async (o) => {
      const { store } = o;
      await store.add('client', [aClient({ redirectUris: [] })]);
      await inParallel(50, (n) =>
        store.change('client', club, partner, (client) => ({
          ...client,
          redirectUris: [...client.redirectUris, `https://partner.example/${n}`],
        })),
      );
      const uris = (await store.find('client', club, partner))?.redirectUris;
      assert.equal(new Set(uris).size, 50);
      const gone = store.change('client', otherClub, partner, (client) => client);
      assert.equal(await gone, undefined);
    });

    withStore(
      open,
      'DESIGN: a change that fails changes nothing, nor its neighbours',
      async (o) => {
        const { store } = o;
        const second = 'partnerapi-00002' as ClientId;
        await store.add('client', [aClient()]);
        const results = await Promise.allSettled([
          store.add('client', [aClient({ id: second })]),
          store.change('client', club, partner, () => {
            throw new RangeError('refused');
          }),
          store.change('client', club, partner, (client) => ({ ...client, id: second })),
          store.change('client', club, partner, (client) => ({ ...client, name: 'renamed' })),
        ]);
        const statuses = results.map(({ status }) => status);
        assert.deepEqual(statuses, ['fulfilled', 'rejected', 'rejected', 'fulfilled']);
        assert.equal(
          results[1]?.status === 'rejected' && results[1].reason instanceof RangeError,
          true,
        );
        assert.deepEqual(await store.find('client', club, partner), aClient({ name: 'renamed' }));
        assert.deepEqual(await store.find('client', club, second), aClient({ id: second }));
      },
    );

    withStore(open, 'DESIGN: a record handed in or out is nobody’s alias', async ({ store }) => {
      const uris = ['https://partner.example/cb'];
      await store.add('client', [aClient({ redirectUris: uris })]);
      uris.push('https://evil.example/cb');
      const found = (await store.find('client', club, partner))!;
      try {
        (found.redirectUris as string[]).push('https://evil.example/cb');
        (found.properties as Record<string, string>)['tier'] = 'gold';
      } catch (error) {
        assert.ok(error instanceof TypeError, 'frozen');
      }
      assert.deepEqual(
        await store.find('client', club, partner),
        aClient({ redirectUris: ['https://partner.example/cb'] }),
      );
    });
  });
}

export function memberTests(open: Open): void {
  describe('members', () => {
    withStore(open, 'P-15: a member is found by username and by subject', async (o) => {
      const { store } = o;
      const {
        level: _level,
        membershipNumber: _number,
        ...bare
      } = aMember({
        subject: 'subject-2' as Subject,
        username: 'bare',
      });
      assert.deepEqual(await store.add('member', [aMember()]), []);
      assert.deepEqual(await store.add('member', [bare]), []);
      assert.deepEqual(await findMember(store, club, 'zoë@example.com'), aMember());
      assert.deepEqual(await store.find('member', club, bare.subject), bare);
      assert.deepEqual(await store.list('member', club), [aMember(), bare]);
      assert.equal(await findMember(store, otherClub, 'bare'), undefined);
      assert.equal(await findMember(store, club, 'BARE'), undefined);
      assert.equal(await store.find('member', otherClub, bare.subject), undefined);
    });

    withStore(open, 'P-15: neither username nor subject is given twice', async ({ store }) => {
      await store.add('member', [aMember()]);
      const other = 'subject-2' as Subject;
      assert.notDeepEqual(await store.add('member', [aMember({ subject: other })]), []);
      assert.notDeepEqual(await store.add('member', [aMember({ username: 'other' })]), []);
      assert.equal(await findMember(store, club, 'other'), undefined);
      assert.deepEqual(await store.add('member', [aMember({ programme: otherClub })]), []);
    });

    withStore(open, 'C-9: a change of username keeps the subject', async ({ store }) => {
      const { subject } = aMember();
      await store.add('member', [aMember()]);
      const changed = await store.change('member', club, subject, (member) => ({
        ...member,
        username: 'new',
        createdAt: at(0),
      }));
      assert.deepEqual(changed, aMember({ username: 'new' }));
      assert.equal(await findMember(store, club, aMember().username), undefined);
      assert.deepEqual(await findMember(store, club, 'new'), aMember({ username: 'new' }));
      const nobody = await store.change('member', club, 'nobody' as Subject, (member) => member);
      assert.equal(nobody, undefined);
    });

    withStore(open, 'C-9: no change takes another member’s username or subject', async (o) => {
      const { store } = o;
      const second = aMember({ subject: 'subject-2' as Subject, username: 'second' });
      await store.add('member', [aMember()]);
      await store.add('member', [second]);
      const { subject } = aMember();
      await assert.rejects(
        store.change('member', club, subject, (member) => ({ ...member, username: 'second' })),
        /username second is taken/,
      );
      await assert.rejects(
        store.change('member', club, subject, (member) => ({ ...member, subject: second.subject })),
        /may not change its programme or identifier/,
      );
      assert.deepEqual(await store.list('member', club), [aMember(), second]);
      assert.deepEqual(await findMember(store, club, 'second'), second);
    });
  });
}
