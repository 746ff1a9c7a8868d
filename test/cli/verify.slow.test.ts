// Owns what commands and other servers on one store change at the gateway: it counts at the very next
// request, however often the token or key was asked about before.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { logIn } from '../support/login.ts';
import { ask, post } from '../support/wire.ts';
import { configText, jetway, jetwayJson, programmeText, workFolder } from './command.ts';
import { startServer } from './server.ts';

const id = 'partnerapi-00001';
const person = { username: 'ann', password: 'correct horse battery staple' };
const words = (line: string): readonly string[] => line.split(' ');

const formats = { opaque: '', jwt: 'tokens:\n  access: { format: jwt, lifetime: 30m }\n' };

interface Scene {
  readonly run: (line: string) => Promise<void>;
  readonly subject: string;
  readonly apiKey: string;
  readonly basic: string;
  /** Two servers on one store. */
  readonly urls: readonly [string, string];
  readonly login: () => Promise<Tokens>;
  readonly partnerToken: () => Promise<string>;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function open(t: TestContext, more: string): Promise<Scene> {
  const folder = workFolder(t, {
    'config.yaml': configText,
    'programmes/club.yaml': programmeText('Club', `revocation: { path: /revoke }\n${more}`),
  });
  const added = (await jetwayJson(folder, [
    ...words(`client add --programme club --name Blue --client-id ${id} --role partner member`),
    ...words('--redirect-uri https://blue.example/cb'),
  ])) as { readonly client_secret: string; readonly api_key: string };
  const addMember = words('member add --programme club --username ann --password-stdin');
  const { subject } = (await jetwayJson(folder, addMember, person.password)) as {
    readonly subject: string;
  };
  const first = await startServer(t, folder);
  const second = await startServer(t, folder);
  const { url } = first;
  const basic = `Basic ${Buffer.from(`${id}:${added.client_secret}`).toString('base64')}`;
  const grant = async (fields: Readonly<Record<string, string>>): Promise<Tokens> => {
    const { status, body } = await post(url, '/club/api/grant', fields, { authorization: basic });
    assert.equal(status, 200, body);
    return JSON.parse(body) as Tokens;
  };
  const target = `/club/auth/login?client_id=${id}&response_type=code`;
  return {
    run: async (line) => {
      const { code, stderr } = await jetway(folder, words(line));
      assert.deepEqual([code, stderr], [0, ''], line);
    },
    subject,
    apiKey: added.api_key,
    basic,
    urls: [url, second.url],
    login: async () =>
      grant({ grant_type: 'authorization_code', code: await logIn(url, target, person) }),
    partnerToken: async () => (await grant({ grant_type: 'client_credentials' })).access_token,
  };
}

for (const [format, more] of Object.entries(formats)) {
  test(`C-4: what other processes change counts at the next request (${format})`, async (t) => {
    const scene = await open(t, more);
    const { run, apiKey, basic, subject, urls } = scene;
    const verify = (url: string, mode: string, token?: string, key?: string) =>
      ask(url, `/club/verify/${mode}`, {
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(key === undefined ? {} : { 'x-api-key': key }),
        },
      });
    const asked = { member: await scene.login(), partner: await scene.partnerToken() };
    /** At both servers: the API key, the member's token, the partner's own. */
    const stands = async (): Promise<string> => {
      const each = urls.map(async (url) => {
        const answers = [
          await verify(url, 'none', undefined, apiKey),
          await verify(url, 'member', asked.member.access_token),
          await verify(url, 'client', asked.partner, apiKey),
        ];
        return answers.map(({ status }) => status).join(' ');
      });
      return (await Promise.all(each)).join(', ');
    };
    const good = '200 200 200, 200 200 200';
    assert.equal(await stands(), good);
    assert.equal(await stands(), good, 'asked again');

    await run(`client disable ${id}`);
    assert.equal(await stands(), '401 401 401, 401 401 401');
    await run(`client enable ${id}`);
    assert.equal(await stands(), good);

    await run('member disable ann');
    assert.equal(await stands(), '200 401 200, 200 401 200');
    await run('member enable ann');
    assert.equal(await stands(), good);

    await run(`token revoke --member ${subject}`);
    assert.equal(await stands(), '200 401 200, 200 401 200');
    // What is issued in the second of such a revocation may be dead too; the next is good.
    do asked.member = await scene.login();
    while ((await stands()) !== good);

    // RFC 7009, at one server for both.
    const revoke = (token: string) =>
      post(urls[1], '/club/revoke', { token }, { authorization: basic });
    assert.equal((await revoke(asked.partner)).status, 200);
    assert.equal(await stands(), '200 200 401, 200 200 401');
    assert.equal((await revoke(asked.member.refresh_token)).status, 200);
    assert.equal(await stands(), '200 401 401, 200 401 401');

    asked.member = await scene.login();
    asked.partner = await scene.partnerToken();
    assert.equal(await stands(), good);
    await run(`client rotate-api-key ${id} --overlap 0s`);
    assert.equal(await stands(), '401 200 401, 401 200 401');
    await run(`token revoke --client ${id}`);
    assert.equal(await stands(), '401 401 401, 401 401 401');
  });
}
