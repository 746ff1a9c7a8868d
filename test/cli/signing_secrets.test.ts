// HOSTILE 53 for signing secrets: what a client signs with is shown once, and lies nowhere as a text; a copy of the
// store and a restored backup have it as it was.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { post } from '../support/wire.ts';
import { configText, jetway, jetwayJson, workFolder } from './command.ts';
import { startServer } from './server.ts';

const id = 'partnerapi-00001';

const hotel = `variant: grant
name: Hotel
programme_identifier: Hotel
base_path: /hotel
client: { authentication: { methods: [signature], signature: { hmac: sha256, of: [client_id] } } }
token_endpoints: { grant: { inputs: { client_signature: {} } } }
grants: { authorization_code: null, refresh_token: null }
`;

test('HOSTILE 53: a signing secret lies nowhere as a text, and a copy and a backup have it', async (t) => {
  const folder = workFolder(t, {
    'programmes/hotel.yaml': hotel,
    'config.yaml': `${configText}audit: { file: ./audit.jsonl }\n`,
  });
  const words = (line: string): readonly string[] => line.split(' ');
  const added = (await jetwayJson(
    folder,
    words(`client add --programme hotel --name Blue --role partner --client-id ${id}`),
  )) as { readonly client_secret: string | null; readonly signing_secret: string };
  assert.equal(added.client_secret, null);
  const rotated = (await jetwayJson(folder, words(`client rotate-signing-secret ${id}`))) as {
    readonly signing_secret: string;
  };
  const secrets = [added.signing_secret, rotated.signing_secret];
  assert.equal(new Set(secrets).size, 2);
  for (const secret of secrets) assert.match(secret, /^[\w-]{43}$/);

  const askWith = async (secret: string): Promise<number> => {
    const server = await startServer(t, folder);
    const client_signature = createHmac('sha256', secret).update(id).digest('hex');
    const fields = { grant_type: 'client_credentials', client_id: id, client_signature };
    const { status } = await post(server.url, '/hotel/api/grant', fields);
    assert.equal(await server.end('SIGTERM'), 0);
    const { stdout, stderr } = server.printed();
    for (const one of secrets) assert.ok(!(stdout + stderr).includes(one));
    return status;
  };
  assert.deepEqual([await askWith(secrets[0] ?? ''), await askWith(secrets[1] ?? '')], [200, 200]);
  assert.equal(await askWith('another'), 401);

  const run = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await jetway(folder, words(line));
    assert.equal(code, 0, stderr);
    return stdout + stderr;
  };
  const printed = [
    await run('store backup backup.db'),
    await run(`client show ${id} --json`),
    await run('client list --json'),
    await run('store verify backup.db'),
    await run('store restore backup.db --yes'),
  ];
  assert.equal(await askWith(secrets[1] ?? ''), 200);
  await run('store copy --to file:./data/other.db');
  const config = readFileSync(join(folder, 'config.yaml'), 'utf8');
  writeFileSync(join(folder, 'config.yaml'), config.replace('jetway.db', 'other.db'));
  assert.equal(await askWith(secrets[1] ?? ''), 200);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
  assert.ok(files.length > 4);
  for (const text of [...printed, ...files]) {
    for (const secret of secrets) assert.ok(!text.includes(secret));
  }
});
