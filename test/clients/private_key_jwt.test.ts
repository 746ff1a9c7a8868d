// Owns the proof that standard clients authenticate with private_key_jwt as they come, by a key set that
// their owner serves, and that an assertion is good once whichever server it is sent to.

import assert from 'node:assert/strict';
import { join } from 'node:path';

import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { assertionType } from '../../src/programme/requests/presented_credentials.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { keySet, registered, signJwt, testKey } from '../support/assertions.ts';
import { paths } from '../support/club.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { startKeyServer } from '../support/key_server.ts';
import { scratchFolder } from '../support/scratch.ts';
import { testNeeding } from '../support/tools.ts';
import { post } from '../support/wire.ts';
import { allowInsecureRequests, insecure } from './marked.ts';

const test = testNeeding('openssl');
const over = `
client: { authentication: { methods: [private_key_jwt] } }
token_endpoints: { grant: { inputs: { client_assertion: {}, client_assertion_type: {} } } }
metadata: on
`;
const programmes = { 'executive-club': shippedProgramme('executive-club', over) };

test('private_key_jwt of oauth4webapi and openid-client, found by metadata, keys at an address', async (t) => {
  const key = testKey('ES256', 'laptop');
  const server = await startKeyServer(t, keySet(key));
  const jwksNetworks = ['127.0.0.0/8', '::1/128'];
  const { authorities } = server;
  const jetway = await startJetway(t, {
    programmes,
    publicUrl: 'listening',
    jwksNetworks,
    authorities,
  });
  // These clients go by the machine's clock.
  jetway.clock.advance((Date.now() - jetway.clock.now()) / 1000);
  const { id } = await jetway.addClient({
    more: { secrets: [], assertionKeys: { url: server.url } },
  });
  const jwk = key.privateKey.export({ format: 'jwk' });
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const privateKey = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign']);
  const signer = { key: privateKey, kid: 'laptop' };

  const issuer = new URL(`${jetway.url}/executive-club`);
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  const as = await oauth.processDiscoveryResponse(issuer, found);
  assert.deepEqual(as.token_endpoint_auth_methods_supported, ['private_key_jwt']);
  assert.ok(as.token_endpoint_auth_signing_alg_values_supported?.includes('ES256'));
  const client = { client_id: id };
  const auth = oauth.PrivateKeyJwt(signer);
  const answer = await oauth.clientCredentialsGrantRequest(as, client, auth, {}, insecure);
  const tokens = await oauth.processClientCredentialsResponse(as, client, answer);
  assert.equal(tokens.token_type, 'bearer');

  const config = await openid.discovery(issuer, id, undefined, openid.PrivateKeyJwt(signer), {
    algorithm: 'oauth2',
    execute: [allowInsecureRequests],
  });
  assert.ok((await openid.clientCredentialsGrant(config)).access_token);
  assert.equal(server.asked(), 1);
});

test('an assertion that one server has taken is refused by another of the same store', async (t) => {
  const key = testKey();
  const path = join(scratchFolder(t, 'assertions'), 'jetway.db');
  const [one, other] = [
    await startJetway(t, {
      programmes,
      store: openFileStore({ path, environment: 'staging' }),
    }),
    await startJetway(t, {
      programmes,
      store: openFileStore({ path, environment: 'staging' }),
    }),
  ];
  const { id } = await one.addClient({ more: { assertionKeys: { keys: registered(key) } } });
  const exp = Math.floor(one.clock.now() / 1000) + 60;
  const aud = 'https://tokens.example/executive-club';
  const ask = async (url: string, jti: string): Promise<number> => {
    const answer = await post(url, paths.grant, {
      grant_type: 'client_credentials',
      client_assertion_type: assertionType,
      client_assertion: signJwt(key, { iss: id, sub: id, aud, exp, jti }),
    });
    return answer.status;
  };
  for (const jti of ['a', 'b', 'c']) {
    const urls = [one.url, other.url, one.url, other.url];
    const statuses = await Promise.all(urls.map((url) => ask(url, jti)));
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 401, 401, 401],
    );
  }
});
