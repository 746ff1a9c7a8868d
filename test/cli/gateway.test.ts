// Owns the promises of `gateway` and of a listener of its own: credentials shown once, good at once in
// a running server, and nothing of it on the public address.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { nameHere } from '../support/name_here.ts';
import { type Answer, ask, post } from '../support/wire.ts';
import { configText, jetway, jetwayJson, programmeText, workFolder } from './command.ts';
import { askClientTokens, startServer } from './server.ts';

const introspecting = programmeText('Club', 'introspection: { path: /introspect }\nmetadata: on\n');

function folderOf(t: TestContext, more = ''): string {
  return workFolder(t, {
    'config.yaml': configText + more,
    'programmes/club.yaml': introspecting,
    'programmes/other.yaml': programmeText('Other'),
  });
}

const words = (line: string): readonly string[] => line.split(' ');

interface Added {
  readonly gateway_id: string;
  readonly gateway_secret: string;
}

const add = words('gateway add --programme club --name Front');

function introspect(
  url: string,
  { gateway_id, gateway_secret }: Added,
  token: string,
): Promise<Answer> {
  const authorization = `Basic ${Buffer.from(`${gateway_id}:${gateway_secret}`).toString('base64')}`;
  return post(url, '/club/introspect', { token }, { authorization });
}

test('DESIGN: with gateway: set, verify and introspection are there and nowhere else', async (t) => {
  const folder = folderOf(t, `gateway: 127.0.0.1:0\nadmin: ${nameHere}:0\nstop_delay: 0s\n`);
  const client = (await jetwayJson(
    folder,
    words('client add --programme club --name Blue --role partner'),
  )) as { client_id: string; client_secret: string; api_key: string };
  const server = await startServer(t, folder);
  const { url, gateway } = server;
  assert.notEqual(gateway, '');
  const answer = await askClientTokens(url, client.client_id, client.client_secret);
  const { access_token: token } = JSON.parse(answer.body) as { access_token: string };

  const headers = { authorization: `Bearer ${token}`, 'x-api-key': client.api_key };
  const passes = await ask(gateway, '/club/verify/client/api', { headers });
  assert.equal(passes.status, 200, passes.body);
  assert.equal(passes.headers['x-auth-environment'], 'staging');
  assert.equal((await ask(url, '/club/verify/client', { headers })).status, 404);
  // No page either: what asks here are gateways, with the headers of their callers.
  const missing = await ask(gateway, '/club/auth/login', { headers: { accept: 'text/html' } });
  assert.deepEqual([missing.status, missing.body], [404, '{"error":"not_found"}']);
  assert.equal(
    (await askClientTokens(gateway, client.client_id, client.client_secret)).status,
    404,
  );

  // A credential made while the server runs is good at once, and a rotated one for its overlap.
  const added = (await jetwayJson(folder, add)) as Added;
  const active = async (one: Added, at = gateway): Promise<unknown> => {
    const { status, body } = await introspect(at, one, token);
    return status === 200 ? (JSON.parse(body) as { active: boolean }).active : status;
  };
  assert.equal(await active(added), true);
  assert.equal(await active(added, url), 404);
  const rotate = words(`gateway rotate-secret ${added.gateway_id}`);
  const rotated = (await jetwayJson(folder, rotate)) as Added;
  assert.deepEqual([await active(added), await active(rotated)], [true, true]);
  const third = await jetway(folder, rotate);
  assert.equal(third.code, 1);
  assert.match(third.stderr, /two valid gateway secrets/);
  const last = (await jetwayJson(folder, [...rotate, '--overlap', '0s'])) as Added;
  assert.deepEqual(
    [await active(added), await active(rotated), await active(last)],
    [401, 401, true],
  );
  const { code } = await jetway(folder, words(`gateway remove ${added.gateway_id} --yes`));
  assert.equal(code, 0);
  assert.equal(await active(last), 401);

  // Clients cannot reach the gateways' address, so that metadata does not send them there.
  const metadata = await ask(url, '/.well-known/oauth-authorization-server/club');
  assert.equal(Object.hasOwn(JSON.parse(metadata.body) as object, 'introspection_endpoint'), false);
  assert.equal(await server.end('SIGTERM'), 0);
});
