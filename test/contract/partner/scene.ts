// Owns a server with one dialect, a partner and a member of it, and the guide that the partner gets.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { TestContext } from 'node:test';

import { neededProperties } from '../../../src/cli/entities/client_needs.ts';
import { type Guide, makeGuide } from '../../../src/contract/partner/guide.ts';
import { isPublicOnly, type SampleClient } from '../../../src/contract/samples/proof.ts';
import { fittingValue } from '../../../src/contract/samples/requests.ts';
import type { ClientId } from '../../../src/oauth/client.ts';
import {
  compileProgramme,
  inputsOf,
  needsSigningSecret,
} from '../../../src/programme/programme.ts';
import { comparedProperties } from '../../../src/programme/requests/client_values.ts';
import { loadProgramme } from '../../../src/rules/load.ts';
import { registered as registeredKeys, signingFor, testKey } from '../../support/assertions.ts';
import {
  type Jetway,
  startJetway,
  type TestClient,
  type TestMember,
} from '../../support/jetway.ts';
import { openLogin, submitLogin } from '../../support/login.ts';
import { sealedSecrets, signingBy } from '../../support/signing.ts';

/** Files of every dialect there is: the shipped ones first. */
export const dialectFiles: readonly string[] = [
  ...globSync('programmes/*.yaml').toSorted(),
  ...globSync('test/dialects/*.yaml').toSorted(),
];

export function guideOf(file: string, base: string): Guide {
  const { programme } = compiled(file, base);
  return makeGuide(programme, base);
}

function compiled(file: string, base: string, yaml = readFileSync(file, 'utf8')) {
  const { loaded } = loadProgramme(basename(file), yaml);
  assert.ok(loaded, file);
  const { id, definition } = loaded;
  return { id, programme: compileProgramme(id, definition, base) };
}

export interface PartnerScene extends Jetway {
  readonly guide: Guide;
  readonly client: TestClient;
  readonly member: TestMember;
  readonly apiKey: string;
  /** The client with what it sends to prove itself. */
  readonly by: SampleClient;
}

export async function openScene(
  t: TestContext,
  file: string,
  yaml: string = readFileSync(file, 'utf8'),
  asPublic = false,
): Promise<PartnerScene> {
  const jetway = await startJetway(t, {
    programmes: { [basename(file, '.yaml')]: yaml },
    publicUrl: 'listening',
  });
  const { id, programme } = compiled(file, jetway.url, yaml);
  const apiKey = 'jw_staging_an-api-key-of-a-partner';
  const now = jetway.clock.now();
  const isPublic = asPublic || isPublicOnly(programme.clients.authentication);
  const key = testKey();
  const compared = new Map(
    comparedProperties(inputsOf(programme)).map(({ name, input }) => [name, input]),
  );
  const owner = { programme: id, id: programme.clients.newIdentifier() };
  const signing = 'a-signing-secret-of-a-partner';
  const client = await jetway.addClient({
    id: owner.id,
    more: {
      ...(needsSigningSecret(programme) && {
        signingSecrets: sealedSecrets(jetway.keyring, owner, [signing], now),
      }),
      apiKeys: [{ digest: jetway.keyring.secretDigest(apiKey), createdAt: now }],
      ...(isPublic && { isPublic, roles: ['member'], secrets: [] }),
      assertionKeys: { keys: registeredKeys(key) },
      businessContext: 'PartnerContext',
      partnerId: 'Partner000001',
      properties: Object.fromEntries(
        [...neededProperties(programme), ...(programme.clients.assertions?.properties ?? [])].map(
          (name) => [name, fittingValue(compared.get(name) ?? {}, '12345678')],
        ),
      ),
    },
  });
  const registered = await jetway.store.find('client', id, client.id as ClientId);
  assert.ok(registered);
  const guide = makeGuide(programme, jetway.url, registered);
  const member = await jetway.addMember({
    membershipNumber: '1234567890123456',
    properties: Object.fromEntries(
      (programme.access.subject?.values ?? [])
        .filter((value) => value.startsWith('member.'))
        .map((value) => [value.slice('member.'.length), 'value']),
    ),
  });
  const assertion = signingFor({ programme, clock: jetway.clock }, registered, key);
  const sign = signingBy(signing);
  const by = { client: registered, secret: client.secret, apiKey, assertion, sign };
  return { ...jetway, guide, client, member, apiKey, by };
}

/** Where the browser is sent back to after a login that begins at this address. */
export async function returnFrom(
  { url, member }: PartnerScene,
  address: string,
  method: string,
): Promise<URL> {
  const { pathname, search } = new URL(address);
  const answer = await submitLogin(url, await openLogin(url, pathname + search, method), member);
  const { location } = answer.headers;
  assert.ok(location, `${answer.status} ${answer.body}`);
  return new URL(location);
}
