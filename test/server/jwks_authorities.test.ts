// Owns the promises of `jwks_authorities_file`: whose key sets are fetched, and when another file counts.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { configText, jetway, jetwayJson, programmeText, workFolder } from '../cli/command.ts';
import { startServer } from '../cli/server.ts';
import { keySet, signJwt, testKey } from '../support/assertions.ts';
import { createAuthority } from '../support/certificates.ts';
import { startKeyServer } from '../support/key_server.ts';
import { without } from '../support/tools.ts';
import { post } from '../support/wire.ts';

const bank = programmeText(
  'Club',
  'token_endpoints: { grant: { inputs: { client_assertion: {}, client_assertion_type: {} } } }\n',
).replace('{ credentials: form }', '{ methods: [private_key_jwt] }');
const config = `${configText}watch_programmes: false\njwks_networks: [127.0.0.0/8, "::1/128"]\n`;
const naming = `${config}jwks_authorities_file: partners.pem\n`;
const key = testKey();
const stranger = createAuthority('Stranger').certificate;

interface Site {
  readonly folder: string;
  /** The authority that vouches for the partners' server. */
  readonly own: string;
  /** Registers a client whose set is at an address that was not asked before; its next token request. */
  readonly statusOfNext: () => Promise<number>;
}

async function openSite(t: TestContext, authorities?: string): Promise<Site> {
  const keys = await startKeyServer(t, keySet(key));
  const pem = authorities ?? keys.authorities;
  const files = { 'config.yaml': naming, 'programmes/club.yaml': bank, 'partners.pem': pem };
  const folder = workFolder(t, files);
  const { url } = await startServer(t, folder);
  return {
    folder,
    own: keys.authorities,
    statusOfNext: async () => {
      const options = ['--name', 'A', '--role', 'partner', '--jwks', `${keys.url}?${randomUUID()}`];
      const added = await jetwayJson(folder, ['client', 'add', '--programme', 'club', ...options]);
      const { client_id: id } = added as { readonly client_id: string };
      const exp = Math.floor(Date.now() / 1000) + 60;
      const aud = 'https://tokens.example/club';
      const jwt = signJwt(key, { iss: id, sub: id, aud, exp, jti: randomUUID() });
      const fields = {
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: jwt,
      };
      return (await post(url, '/club/api/grant', fields)).status;
    },
  };
}

async function settingsAfterReload(folder: string): Promise<unknown> {
  const { settings } = (await jetwayJson(folder, ['reload'])) as { readonly settings: unknown };
  return settings;
}

describe('HOSTILE 91: jwks_authorities_file', { skip: without('openssl'), concurrency: 2 }, () => {
  test('vouches for a set inside the company; without it none is fetched', async (t) => {
    const { folder, statusOfNext } = await openSite(t);
    assert.equal(await statusOfNext(), 200);
    writeFileSync(join(folder, 'config.yaml'), config);
    const settings = [{ key: 'jwks_authorities_file', outcome: 'changed' }];
    assert.deepEqual(await settingsAfterReload(folder), settings);
    assert.equal(await statusOfNext(), 503);
    writeFileSync(join(folder, 'config.yaml'), naming);
    assert.deepEqual(await settingsAfterReload(folder), settings);
    assert.equal(await statusOfNext(), 200);
  });

  test('a file that is replaced counts at a reload, and one with faults leaves what was read', async (t) => {
    const { folder, own, statusOfNext } = await openSite(t, stranger);
    assert.equal(await statusOfNext(), 503);
    writeFileSync(join(folder, 'partners.pem'), stranger + own);
    assert.deepEqual(await settingsAfterReload(folder), [
      { key: 'jwks_authorities_file (certificates)', outcome: 'changed' },
    ]);
    assert.equal(await statusOfNext(), 200);
    writeFileSync(join(folder, 'partners.pem'), 'a note');
    const told = await jetway(folder, ['reload']);
    assert.equal(told.code, 3, told.stdout);
    const fault = /config\.yaml:7:24: error: .*partners\.pem holds no certificate in PEM/;
    assert.match(told.stdout + told.stderr, fault);
    assert.equal(await statusOfNext(), 200);
    const checked = await jetway(folder, ['check']);
    assert.equal(checked.code, 3);
    assert.match(checked.stdout + checked.stderr, fault);
  });

  test('a server does not begin with a file that is not there', async (t) => {
    const folder = workFolder(t, { 'config.yaml': naming, 'programmes/club.yaml': bank });
    const { code, stderr } = await jetway(folder, ['serve']);
    assert.equal(code, 3);
    assert.match(stderr, /config\.yaml:7:24: error: .*partners\.pem does not exist/);
  });
});
