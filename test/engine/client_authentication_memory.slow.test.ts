// Owns the test that no secret stays in memory once its client was let in, not even as the rest of a
// text that something else is a slice of.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapSnapshot } from 'node:v8';

import { openService } from '../../src/engine/open_service.ts';
import { answerTokenRequest } from '../../src/engine/token_request.ts';
import type { ClientId } from '../../src/oauth/client.ts';
import { RequestRecord } from '../../src/oauth/request_record.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { testClock } from '../support/clock.ts';
import { programme as id } from '../support/club.ts';
import { publicUrl, shippedProgramme } from '../support/jetway.ts';

/** The secret, made anew each time, so that no constant of this file is found in its place. */
function secret(): string {
  return Buffer.from(Uint8Array.from({ length: 24 }, (_, at) => 65 + ((at * 7) % 26))).toString();
}

const clientId = 'partnerapi-12345' as ClientId;

/** Lets a client in, three times; the service that did, with all it remembers. */
async function served(): Promise<object> {
  const { loaded } = loadProgramme(`${id}.yaml`, shippedProgramme(id));
  assert.ok(loaded);
  const programme = compileProgramme(loaded.id, loaded.definition, publicUrl);
  const [store, clock] = [openMemoryStore(), testClock()];
  const keyring = createKeyring(new Uint8Array(32).fill(7));
  const log = { error: (event: string): void => assert.fail(event) };
  const foundation = { store, clock, keyring, log, environment: 'staging' } as const;
  const service = await openService(programme, foundation);
  const createdAt = clock.now();
  await store.add('client', [
    {
      programme: id,
      id: clientId,
      name: 'Partner',
      roles: ['partner'],
      redirectUris: [],
      secrets: [{ digest: keyring.secretDigest(secret()), createdAt }],
      apiKeys: [],
      properties: {},
      status: 'active',
      createdAt,
    },
  ]);
  const [endpoint] = programme.tokenEndpoints;
  assert.ok(endpoint);
  for (let sent = 0; sent < 3; sent += 1) {
    const token = Buffer.from(`${clientId}:${secret()}`).toString('base64');
    const form = 'application/x-www-form-urlencoded';
    const reply = await answerTokenRequest(service, endpoint, {
      method: 'POST',
      path: endpoint.path,
      query: '',
      rawHeaders: ['Authorization', `Basic ${token}`, 'Content-Type', form],
      body: Buffer.from('grant_type=client_credentials'),
      address: () => '127.0.0.1',
      certificate: () => undefined,
      record: new RequestRecord('POST'),
      hangUp: () => new AbortController().signal,
    });
    assert.equal(reply.status, 200);
  }
  // What the language itself keeps of the last text that a pattern matched.
  assert.match('another', /^another$/);
  return service;
}

async function snapshot(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of getHeapSnapshot()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

test('no secret and no header stays in memory after its client was let in', async () => {
  const service = await served();
  const found = await snapshot();
  const token = Buffer.from(`${clientId}:${secret()}`).toString('base64');
  assert.ok(found.includes(clientId));
  for (const plaintext of [secret(), token]) assert.ok(!found.includes(plaintext));
  assert.ok(service);
});
