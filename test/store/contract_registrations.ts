// Owns the contract of clients and members.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

import type { ClientId } from '../../src/oauth/client.ts';
import type { Subject } from '../../src/oauth/member.ts';
import { aClient, aMember, at, club, inParallel, otherClub, partner } from './fixtures.ts';
import { withStore, type Open } from './with_store.ts';

export function clientTests(open: Open): void {
  describe('clients', () => {
    withStore(open, 'C-5: a client comes back as it was added', async ({ store }) => {
      const full = aClient({ businessContext: 'Travel', partnerId: 'PARTNER01' });
      const { throttle: _throttle, ...bare } = aClient({ id: 'partnerapi-00003' as ClientId });
      assert.equal(await store.addClient(full), 'added');
      assert.equal(await store.addClient(bare), 'added');
      assert.deepEqual(await store.findClient(club, full.id), full);
      assert.deepEqual(await store.findClient(club, bare.id), bare);
      assert.equal(await store.findClient(club, 'partnerapi-99999' as ClientId), undefined);
    });

    withStore(open, 'C-5: an identifier given out once is never given out again', async (o) => {
      const { store } = o;
      const results = await inParallel(10, (n) => store.addClient(aClient({ name: `try ${n}` })));
      assert.deepEqual(results.toSorted(), ['added', ...Array<string>(9).fill('taken')]);
      await store.changeClient(club, partner, (client) => ({ ...client, status: 'disabled' }));
      assert.equal(await store.addClient(aClient()), 'taken');
      if (o.reopen) assert.equal(await (await o.reopen()).addClient(aClient()), 'taken');
    });

    withStore(open, 'C-2: the same identifier in two programmes is two clients', async (o) => {
      const { store } = o;
      const other = aClient({ programme: otherClub, name: 'Other' });
      assert.equal(await store.addClient(aClient()), 'added');
      assert.equal(await store.addClient(other), 'added');
      assert.deepEqual(await store.listClients(otherClub), [other]);
      assert.equal((await store.findClient(club, partner))?.name, 'Example Partner');
    });

    withStore(open, 'C-5: clients are listed in order of creation', async ({ store }) => {
      const ids = ['9', '1', '5'].map((digit) => `partnerapi-0000${digit}` as ClientId);
      for (const id of ids) await store.addClient(aClient({ id }));
      await store.changeClient(club, ids[0]!, (client) => ({ ...client, name: 'renamed' }));
      const listed = await store.listClients(club);
      assert.deepEqual(
        listed.map(({ id }) => id),
        ids,
      );
    });

    withStore(open, 'DESIGN: simultaneous changes of a client are all kept', async (o) => {
      const { store } = o;
      await store.addClient(aClient({ redirectUris: [] }));
      await inParallel(50, (n) =>
        store.changeClient(club, partner, (client) => ({
          ...client,
          redirectUris: [...client.redirectUris, `https://partner.example/${n}`],
        })),
      );
      const uris = (await store.findClient(club, partner))?.redirectUris;
      assert.equal(new Set(uris).size, 50);
      const gone = store.changeClient(otherClub, partner, (client) => client);
      assert.equal(await gone, undefined);
    });

    withStore(
      open,
      'DESIGN: a change that fails changes nothing, nor its neighbours',
      async (o) => {
        const { store } = o;
        const second = 'partnerapi-00002' as ClientId;
        await store.addClient(aClient());
        const results = await Promise.allSettled([
          store.addClient(aClient({ id: second })),
          store.changeClient(club, partner, () => {
            throw new RangeError('refused');
          }),
          store.changeClient(club, partner, (client) => ({ ...client, id: second })),
          store.changeClient(club, partner, (client) => ({ ...client, name: 'renamed' })),
        ]);
        const statuses = results.map(({ status }) => status);
        assert.deepEqual(statuses, ['fulfilled', 'rejected', 'rejected', 'fulfilled']);
        assert.equal(
          results[1]?.status === 'rejected' && results[1].reason instanceof RangeError,
          true,
        );
        assert.deepEqual(await store.findClient(club, partner), aClient({ name: 'renamed' }));
        assert.deepEqual(await store.findClient(club, second), aClient({ id: second }));
      },
    );

    withStore(open, 'DESIGN: a record handed in or out is nobody’s alias', async ({ store }) => {
      const uris = ['https://partner.example/cb'];
      await store.addClient(aClient({ redirectUris: uris }));
      uris.push('https://evil.example/cb');
      const found = (await store.findClient(club, partner))!;
      try {
        (found.redirectUris as string[]).push('https://evil.example/cb');
        (found.properties as Record<string, string>)['tier'] = 'gold';
      } catch (error) {
        assert.ok(error instanceof TypeError, 'frozen');
      }
      assert.deepEqual(
        await store.findClient(club, partner),
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
      assert.equal(await store.addMember(aMember()), 'added');
      assert.equal(await store.addMember(bare), 'added');
      assert.deepEqual(await store.findMember(club, 'zoë@example.com'), aMember());
      assert.deepEqual(await store.findMemberBySubject(club, bare.subject), bare);
      assert.deepEqual(await store.listMembers(club), [aMember(), bare]);
      assert.equal(await store.findMember(otherClub, 'bare'), undefined);
      assert.equal(await store.findMember(club, 'BARE'), undefined);
      assert.equal(await store.findMemberBySubject(otherClub, bare.subject), undefined);
    });

    withStore(open, 'P-15: neither username nor subject is given twice', async ({ store }) => {
      await store.addMember(aMember());
      const other = 'subject-2' as Subject;
      assert.equal(await store.addMember(aMember({ subject: other })), 'taken');
      assert.equal(await store.addMember(aMember({ username: 'other' })), 'taken');
      assert.equal(await store.findMember(club, 'other'), undefined);
      assert.equal(await store.addMember(aMember({ programme: otherClub })), 'added');
    });

    withStore(open, 'C-9: a change of username keeps the subject', async ({ store }) => {
      const { subject } = aMember();
      await store.addMember(aMember());
      const changed = await store.changeMember(club, subject, (member) => ({
        ...member,
        username: 'new',
        createdAt: at(0),
      }));
      assert.deepEqual(changed, aMember({ username: 'new' }));
      assert.equal(await store.findMember(club, aMember().username), undefined);
      assert.deepEqual(await store.findMember(club, 'new'), aMember({ username: 'new' }));
      const nobody = await store.changeMember(club, 'nobody' as Subject, (member) => member);
      assert.equal(nobody, undefined);
    });

    withStore(open, 'C-9: no change takes another member’s username or subject', async (o) => {
      const { store } = o;
      const second = aMember({ subject: 'subject-2' as Subject, username: 'second' });
      await store.addMember(aMember());
      await store.addMember(second);
      const { subject } = aMember();
      await assert.rejects(
        store.changeMember(club, subject, (member) => ({ ...member, username: 'second' })),
        /username second is taken/,
      );
      await assert.rejects(
        store.changeMember(club, subject, (member) => ({ ...member, subject: second.subject })),
        /may not change its programme or subject/,
      );
      assert.deepEqual(await store.listMembers(club), [aMember(), second]);
      assert.deepEqual(await store.findMember(club, 'second'), second);
    });
  });
}
