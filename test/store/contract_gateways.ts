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
      assert.deepEqual(await o.store.add('gateway', [aGateway()]), []);
      assert.notDeepEqual(await o.store.add('gateway', [aGateway({ name: 'Other' })]), []);
      assert.deepEqual(await o.store.add('gateway', [second]), []);
      const elsewhere = aGateway({ programme: otherClub });
      assert.deepEqual(await o.store.add('gateway', [elsewhere]), []);
      const store = o.reopen ? await o.reopen() : o.store;
      assert.deepEqual(await store.find('gateway', club, id), aGateway());
      assert.deepEqual(await store.list('gateway', club), [aGateway(), second]);
      assert.deepEqual(await store.list('gateway', otherClub), [elsewhere]);
      assert.equal(await store.find('gateway', otherClub, second.id), undefined);
    });

    withStore(open, 'DESIGN: a gateway changes as a client does', async ({ store }) => {
      await store.add('gateway', [aGateway({ secrets: [] })]);
      await inParallel(20, (n) =>
        store.change('gateway', club, id, (gateway) => ({
          ...gateway,
          secrets: [...gateway.secrets, { digest: `secret ${n}` as Digest, createdAt: at(n) }],
        })),
      );
      assert.equal((await store.find('gateway', club, id))?.secrets.length, 20);
      const disabled = await store.change('gateway', club, id, (gateway) => ({
        ...gateway,
        secrets: [],
        status: 'disabled',
      }));
      assert.deepEqual(disabled, aGateway({ secrets: [], status: 'disabled' }));
      await assert.rejects(
        store.change('gateway', club, id, (gateway) => ({ ...gateway, programme: otherClub })),
        /may not change its programme or identifier/,
      );
      assert.deepEqual(await store.find('gateway', club, id), disabled);
      const nobody = await store.change('gateway', otherClub, id, (gateway) => gateway);
      assert.equal(nobody, undefined);
    });

    withStore(open, 'DESIGN: a removed gateway is nobody, in every process', async (o) => {
      const operator = o.another ? await o.another() : o.store;
      await o.store.add('gateway', [aGateway()]);
      assert.equal(await operator.remove('gateway', otherClub, id, at(1)), false);
      assert.equal(await operator.remove('gateway', club, id, at(1)), true);
      assert.equal(await operator.remove('gateway', club, id, at(1)), false);
      assert.equal(await o.store.find('gateway', club, id), undefined);
      assert.deepEqual(await o.store.add('gateway', [aGateway({ name: 'New' })]), []);
    });
  });
}
