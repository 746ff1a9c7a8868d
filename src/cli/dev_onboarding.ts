// Owns the demo partner and member that `dev` makes for each programme, with fresh secrets.

import type { Foundation } from '../engine/service.ts';
import { randomKey } from '../lib/random.ts';
import { hashRandomPassword } from '../members/password.ts';
import type { Client } from '../oauth/client.ts';
import type { Subject } from '../oauth/member.ts';
import type { Definition } from '../programme/definition.ts';
import type { Programme } from '../programme/programme.ts';
import type { SampleClient } from '../programme/sample_request.ts';
import { newApiKey, newSecret } from './client_secret.ts';

/** A programme with somebody to use it. */
export interface DemoProgramme {
  readonly programme: Programme;
  readonly definition: Definition;
  readonly by: SampleClient;
  readonly apiKey: string;
  readonly redirectUri: string;
  readonly member: { readonly username: string; readonly password: string };
}

export async function onboardDemo(
  definition: Definition,
  programme: Programme,
  redirectUri: string,
  { store, clock, keyring, environment }: Foundation,
): Promise<DemoProgramme> {
  const [secret, apiKey] = [newSecret(), newApiKey(environment)];
  const member = { username: 'demo', password: randomKey(12) };
  const client: Client = {
    programme: programme.id,
    id: programme.clients.newIdentifier(),
    name: 'Demo partner',
    roles: ['member', 'partner'],
    redirectUris: [redirectUri],
    secrets: [{ digest: keyring.secretDigest(secret), createdAt: clock.now() }],
    apiKeys: [{ digest: keyring.secretDigest(apiKey), createdAt: clock.now() }],
    businessContext: 'DemoPartner',
    partnerId: 'DemoPartner1',
    properties: {},
    status: 'active',
    createdAt: clock.now(),
  };
  await store.addClient(client);
  await store.addMember({
    programme: programme.id,
    subject: randomKey(16) as Subject,
    username: member.username,
    passwordHash: hashRandomPassword(member.password),
    membershipNumber: '1234567890123456',
    status: 'active',
    createdAt: clock.now(),
  });
  return { programme, definition, by: { client, secret }, apiKey, redirectUri, member };
}
