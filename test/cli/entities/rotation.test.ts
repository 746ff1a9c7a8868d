// Owns the property of taking a rotation back: whatever others did meanwhile, either it is as if the rotation
// had not been, or as if nothing had been taken back (FAULTS 35).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { clientKind } from '../../../src/cli/entities/client_kind.ts';
import { type Rotation, takeBack } from '../../../src/cli/entities/rotate.ts';
import type { Digest } from '../../../src/lib/digest.ts';
import type { Client, StoredSecret } from '../../../src/oauth/client.ts';
import { addSecret, endOlder } from '../../../src/oauth/secret_rotation.ts';
import type { OpenStore } from '../../../src/server/open_store.ts';
import { openMemoryStore } from '../../../src/store/sqlite/store.ts';
import { aClient, at, club, partner } from '../../store/fixtures.ts';
import { fc } from '../../support/property.ts';

const rotation = {
  words: 'client secret',
  held: ({ secrets }: Client) => secrets,
  holding: (client: Client, secrets: readonly StoredSecret[]) => ({ ...client, secrets }),
} as Rotation<'client'>;

const secret = (name: string, second: number): StoredSecret => ({
  digest: name as Digest,
  createdAt: at(second),
});

type Change = (client: Client) => Client;

/** Adds a secret as `rotate-secret` does, if there may be one more. */
const rotating =
  (name: string, second: number, overlap: boolean): Change =>
  (client) => {
    const change = addSecret(client.secrets, secret(name, second), overlap ? at(999) : undefined);
    return 'secrets' in change ? { ...client, secrets: change.secrets } : client;
  };

const retiring: Change = (client) => {
  const change = endOlder(client.secrets, at(50));
  return 'secrets' in change ? { ...client, secrets: change.secrets } : client;
};

/** What others may do meanwhile. */
const changes = fc.oneof(
  fc.constant<Change>((client) => ({ ...client, name: `${client.name}!` })),
  fc.constant<Change>((client) => ({ ...client, status: 'disabled' })),
  fc.constant<Change>((client) => ({ ...client, apiKeys: [] })),
  fc.constant(retiring),
  fc
    .tuple(fc.integer({ min: 20, max: 40 }), fc.boolean())
    .map(([second, overlap]) => rotating(`theirs ${second}`, second, overlap)),
);

test('FAULTS 35: a rotation is taken back as a whole, and only while it is what it wrote', async () => {
  let undone = 0;
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(changes, { maxLength: 5 }), async (overlap, others) => {
      const store = openMemoryStore();
      const before = aClient({ secrets: [secret('old', 1)] });
      await store.add('client', [before]);
      const change = (one: Change) => store.change('client', club, partner, one);
      const written = await change(rotating('lost', 10, overlap));
      assert.ok(written);
      for (const one of others) await change(one);
      const meanwhile = await store.find('client', club, partner);
      const around = {
        rotation,
        kind: clientKind,
        open: { store } as unknown as OpenStore,
        own: [],
      };
      const befores = new Map([[`${club}/${partner}`, before]]);
      const isTakenBack = await takeBack(around, 'lost' as Digest, befores, [written]).then(
        () => true,
        () => false,
      );
      const isAsWritten = JSON.stringify(meanwhile?.secrets) === JSON.stringify(written.secrets);
      assert.equal(isTakenBack, isAsWritten);
      const expected = isTakenBack ? { ...meanwhile, secrets: before.secrets } : meanwhile;
      assert.deepEqual(await store.find('client', club, partner), expected);
      if (isTakenBack) undone += 1;
    }),
  );
  assert.ok(undone > 0);
});
