// Owns the contract of gateways' credentials.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

import type { Digest } from '../../src/lib/digest.ts';
import type { GatewayId } from '../../src/oauth/gateway.ts';
import { aGateway, at, club, inParallel, otherClub } from './fixtures.ts';
import { withStore, type Open } from './with_store.ts';

const { id } = aGateway();

export function gatewayTests(open: Open): void {
  describe('gateways', () => {
    withStore(open, 'RFC 7662 2.1: a gateway comes back as it was added', async (o) => {
      const second = aGateway({ id: 'another' as GatewayId });
      assert.equal(await o.store.addGateway(aGateway()), 'added');
      assert.equal(await o.store.addGateway(aGateway({ name: 'Other' })), 'taken');
      assert.equal(await o.store.addGateway(second), 'added');
      const elsewhere = aGateway({ programme: otherClub });
      assert.equal(await o.store.addGateway(elsewhere), 'added');
      const store = o.reopen ? await o.reopen() : o.store;
      assert.deepEqual(await store.findGateway(club, id), aGateway());
      assert.deepEqual(await store.listGateways(club), [aGateway(), second]);
      assert.deepEqual(await store.listGateways(otherClub), [elsewhere]);
      assert.equal(await store.findGateway(otherClub, second.id), undefined);
    });

    withStore(open, 'DESIGN: a gateway changes as a client does', async ({ store }) => {
      await store.addGateway(aGateway({ secrets: [] }));
      await inParallel(20, (n) =>
        store.changeGateway(club, id, (gateway) => ({
          ...gateway,
          secrets: [...gateway.secrets, { digest: `secret ${n}` as Digest, createdAt: at(n) }],
        })),
      );
      assert.equal((await store.findGateway(club, id))?.secrets.length, 20);
      const disabled = await store.changeGateway(club, id, (gateway) => ({
        ...gateway,
        secrets: [],
        status: 'disabled',
      }));
      assert.deepEqual(disabled, aGateway({ secrets: [], status: 'disabled' }));
      await assert.rejects(
        store.changeGateway(club, id, (gateway) => ({ ...gateway, programme: otherClub })),
        /may not change its programme or identifier/,
      );
      assert.deepEqual(await store.findGateway(club, id), disabled);
      const nobody = await store.changeGateway(otherClub, id, (gateway) => gateway);
      assert.equal(nobody, undefined);
    });

    withStore(open, 'DESIGN: a removed gateway is nobody, in every process', async (o) => {
      const operator = o.another ? await o.another() : o.store;
      await o.store.addGateway(aGateway());
      assert.equal(await operator.removeGateway(otherClub, id), false);
      assert.equal(await operator.removeGateway(club, id), true);
      assert.equal(await operator.removeGateway(club, id), false);
      assert.equal(await o.store.findGateway(club, id), undefined);
      assert.equal(await o.store.addGateway(aGateway({ name: 'New' })), 'added');
    });
  });
}
