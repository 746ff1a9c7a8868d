// Owns the demo partner and member of each programme in `dev`, with fresh secrets.

import { isPublicOnly } from '../../contract/samples/proof.ts';
import { fittingValue } from '../../contract/samples/requests.ts';
import type { Foundation } from '../../engine/service.ts';
import { type Demo, demoPaths } from '../../http/demo/demo.ts';
import type { Comparison } from '../../language/input_schema.ts';
import { clientPropertyPrefix, memberPropertyPrefix } from '../../language/vocabularies.ts';
import { digest } from '../../lib/digest.ts';
import { present } from '../../lib/present.ts';
import { randomKey } from '../../lib/random.ts';
import { hashRandomPassword } from '../../members/password.ts';
import type { Client, ClientId } from '../../oauth/client.ts';
import type { Member, Subject } from '../../oauth/member.ts';
import { inputsOf, needsSigningSecret, type Programme } from '../../programme/programme.ts';
import { comparedProperties } from '../../programme/requests/client_values.ts';
import type { Input } from '../../programme/requests/inputs.ts';
import { signRequest } from '../../programme/requests/presented_credentials.ts';
import { sealSigningSecret } from '../../token/signing_secrets.ts';
import { neededProperties, numericValues } from '../entities/client_needs.ts';
import { newApiKey, newSecret } from '../entities/secrets.ts';

export async function onboardDemo(
  programme: Programme,
  variant: string | undefined,
  base: string,
  { store, clock, keyring, environment }: Foundation,
): Promise<Demo> {
  const [secret, apiKey] = [newSecret(), newApiKey(environment)];
  const redirectUri = base + demoPaths(programme.id).callback;
  const member = { username: 'demo', password: randomKey(12) };
  const verifier = randomKey(32);
  const proof =
    programme.login.endpoint.pkce === 'required'
      ? { verifier, challenge: digest(verifier) }
      : undefined;
  const inputs = inputsOf(programme);
  const numbers = numericValues(programme);
  const { unnamed_client: standing } = programme.clients.authentication;
  const isPublic = isPublicOnly(programme.clients.authentication);
  const id =
    isPublic && standing !== undefined ? (standing as ClientId) : programme.clients.newIdentifier();
  const owner = { programme: programme.id, id };
  const signing = needsSigningSecret(programme) && !isPublic ? newSecret() : undefined;
  const client: Client = {
    ...owner,
    name: 'Demo partner',
    roles: ['member', 'partner'],
    redirectUris: [redirectUri],
    ...(isPublic ? { isPublic } : {}),
    secrets: isPublic ? [] : [{ digest: keyring.secretDigest(secret), createdAt: clock.now() }],
    ...(signing !== undefined && {
      signingSecrets: [sealSigningSecret(keyring, owner, signing, clock.now())],
    }),
    apiKeys: [{ digest: keyring.secretDigest(apiKey), createdAt: clock.now() }],
    businessContext: comparedValue(inputs, 'client.business_context', 'DemoPartner'),
    partnerId: comparedValue(inputs, 'client.partner_id', 'DemoPartner1'),
    properties: Object.fromEntries([
      ...neededProperties(programme).map(
        (name) => [name, numbers.has(clientPropertyPrefix + name) ? '1' : `demo_${name}`] as const,
      ),
      ...comparedProperties(inputs).map(
        ({ name, input }) => [name, fittingValue(input, `demo_${name}`)] as const,
      ),
    ]),
    status: 'active',
    createdAt: clock.now(),
  };
  const isAlone = isPublic || standing === undefined;
  const others = isAlone ? [] : [standInFor(client, standing as ClientId)];
  await store.add('client', [client, ...others]);
  await store.add('member', [
    {
      programme: programme.id,
      subject: randomKey(16) as Subject,
      username: member.username,
      passwordHash: hashRandomPassword(member.password),
      membershipNumber: '1234567890123456',
      ...present({ properties: memberPropertiesFor(programme) }),
      status: 'active',
      createdAt: clock.now(),
    },
  ]);
  return {
    programme,
    dialect: variant === undefined ? 'a dialect of its own' : `${variant} variant`,
    by: {
      client,
      secret,
      apiKey,
      ...(signing !== undefined && {
        sign: (recipe, valueOf) => signRequest(recipe, valueOf, signing),
      }),
    },
    redirectUri,
    member,
    base,
    ...present({ proof }),
  };
}

/** The public client of requests that name none, beside one that proves itself. */
function standInFor(client: Client, id: ClientId): Client {
  return {
    ...client,
    id,
    name: 'Demo app',
    isPublic: true,
    secrets: [],
    signingSecrets: [],
    apiKeys: [],
  };
}

/** Of what the `sub` of tokens is made. */
function memberPropertiesFor({ access }: Programme): Member['properties'] {
  const names = (access.subject?.values ?? []).filter((one) =>
    one.startsWith(memberPropertyPrefix),
  );
  if (names.length === 0) return undefined;
  return Object.fromEntries(
    names.map((name) => [name.slice(memberPropertyPrefix.length), 'demo'] as const),
  );
}

/** A value for a client's property that the shape of the compared input accepts. */
function comparedValue(
  inputs: readonly Input<unknown>[],
  comparison: Comparison,
  wanted: string,
): string {
  const input = inputs.find(({ must_equal }) => must_equal === comparison);
  return input === undefined ? wanted : fittingValue(input, wanted);
}
