// Owns the promise that verbs about one client, gateway or member end alike where there is none of the
// name, and where somebody removes it between the look and the change.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { mock, test } from 'node:test';

import { clientKind } from '../../../src/cli/entities/client_kind.ts';
import { gatewayKind } from '../../../src/cli/entities/gateway_kind.ts';
import {
  disableItem,
  enableItem,
  removeItem,
  setItem,
} from '../../../src/cli/entities/item_verbs.ts';
import type { Selection } from '../../../src/cli/entities/kind.ts';
import { memberKind } from '../../../src/cli/entities/member_kind.ts';
import {
  retireSecret,
  rotateApiKey,
  rotateGatewaySecret,
} from '../../../src/cli/entities/rotate.ts';
import { milliseconds } from '../../../src/lib/clock.ts';
import { digest } from '../../../src/lib/digest.ts';
import type { ClientId, ProgrammeId, GatewayId } from '../../../src/oauth/client.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import type { Store } from '../../../src/store/contract.ts';
import { CommitQueue } from '../../../src/store/sqlite/commits/commit_queue.ts';
import { openFileStore } from '../../../src/store/sqlite/store.ts';
import { aClient, aGateway, aMember, at } from '../../store/fixtures.ts';
import { jetwayEach, workFolder } from '../command.ts';

test('whatever there is none of, the command ends with 1 and says so', async (t) => {
  const verbs = {
    client:
      'show,set --name A,disable,enable,rotate-secret,retire-secret,rotate-api-key,retire-api-key,remove --yes',
    gateway: 'show,rotate-secret,remove --yes',
    member: 'show,set --username a,disable,enable,remove --yes',
  };
  const lines = Object.entries(verbs).flatMap(([noun, list]) =>
    list.split(',').map((verb) => [noun, ...verb.split(' '), 'nosuch']),
  );
  const runs = await jetwayEach(workFolder(t), lines);
  const expected = lines.map(([noun]) => ({
    code: 1,
    stdout: '',
    stderr: `there is no ${noun} "nosuch"\n`,
  }));
  assert.deepEqual(runs, expected);
});

const club = 'club' as ProgrammeId;

/** What is done to a record of that name, where it is found by that name. */
type Act = (name: string, selection: Selection) => Promise<void>;

const races: Readonly<Record<'client' | 'gateway' | 'member', readonly Act[]>> = {
  client: [
    (name, one) => disableItem(clientKind, name, one),
    (name, one) => setItem(clientKind, name, { ...one, name: 'B' }),
    (name, one) => retireSecret(clientKind, name, one),
    (name, one) => rotateApiKey(clientKind, name, { ...one, overlap: milliseconds(0) }),
    (name, one) => removeItem(clientKind, name, { ...one, yes: true }),
  ],
  gateway: [
    (name, one) =>
      rotateGatewaySecret(gatewayKind, name, { ...one, overlap: milliseconds(86_400_000) }),
    (name, one) => removeItem(gatewayKind, name, { ...one, yes: true }),
  ],
  member: [
    (name, one) => enableItem(memberKind, name, one),
    (name, one) => setItem(memberKind, name, { ...one, username: 'another' }),
    (name, one) => removeItem(memberKind, name, { ...one, yes: true }),
  ],
};

/** Adds a record of that name; resolves to what removes it. */
const records = {
  client: async (store: Store, name: string) => {
    // Two, of which one can be retired.
    const secrets = ['one', 'two'].map((text) => ({ digest: digest(text), createdAt: at(0) }));
    const client = aClient({ programme: club, id: name as ClientId, secrets });
    assert.deepEqual(await store.add('client', [client]), []);
    return () => store.remove('client', club, client.id, at(1));
  },
  gateway: async (store: Store, name: string) => {
    const gateway = aGateway({ programme: club, id: name as GatewayId });
    assert.deepEqual(await store.add('gateway', [gateway]), []);
    return () => store.remove('gateway', club, gateway.id, at(1));
  },
  member: async (store: Store, name: string) => {
    const member = aMember({ programme: club, username: name, subject: name as Subject });
    assert.deepEqual(await store.add('member', [member]), []);
    return () => store.remove('member', club, member.subject, at(1));
  },
};

test('one that is removed meanwhile is told of, and nothing is said to be done', async (t) => {
  const folder = workFolder(t);
  const path = join(folder, 'data/jetway.db');
  const config = join(folder, 'config.yaml');
  // Makes the store with its key.
  assert.equal((await jetwayEach(folder, [['client', 'list']]))[0].code, 0);
  const store = openFileStore({ path, environment: 'staging' });
  t.after(() => store.close());
  for (const noun of ['client', 'gateway', 'member'] as const) {
    for (const [index, act] of races[noun].entries()) {
      const name = `${noun}-${index}`;
      const remove = await records[noun](store, name);
      const between = async function between<Value>(
        this: CommitQueue,
        verb: () => Value,
      ): Promise<Value> {
        assert.ok(await remove());
        return this.writeFromReserve(verb);
      };
      // Once: the removal itself, and the change after it, are as they always are.
      mock.method(CommitQueue.prototype, 'writeFromReserve', between, { times: 1 });
      await assert.rejects(act(name, { config }), {
        name: 'CommandError',
        exitCode: 1,
        message: `the ${noun} "${name}" was removed by somebody else just now`,
      });
    }
  }
});
