// Owns the promises of client certificates (RFC 8705): registered by an operator, shown by a partner, in
// place of a secret.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';

import {
  configText,
  jetway,
  jetwayJson,
  programmeText,
  putSecret,
  workFolder,
} from '../cli/command.ts';
import { startServer } from '../cli/server.ts';
import { type Certified, createAuthority } from '../support/certificates.ts';
import { without } from '../support/tools.ts';
import { type Answer, ask, post, type TlsClient } from '../support/wire.ts';

const authority = createAuthority('Jetway');
const ca = authority.certificate;
const own = authority.issue('IP:127.0.0.1', 90);

const partners = createAuthority('Partners');
const subject = '/O=Some Partner/CN=api';
const named = partners.issue('DNS:api.partner.example', 90, subject);
const stranger = createAuthority('Stranger').issue('DNS:api.partner.example', 90, subject);
const [first, second] = [createAuthority('first'), createAuthority('second')];

function dialect(methods: string, limit = 60): string {
  const authentication = `{ credentials: form, methods: ${methods}, failure_limit: { limit: ${limit}, window: 1m } }`;
  return programmeText('Club', 'metadata: on\n').replace('{ credentials: form }', authentication);
}

const everyMethod = dialect('[basic, self_signed_tls_client_auth, tls_client_auth]');
const asking = 'client_authorities_file: partners.pem';

function folderWith(t: TestContext, more = asking, programme = everyMethod): string {
  const tls = `tls: { certificate_file: own.pem, key_file: own.key, ${more} }\n`;
  const secure = configText.replace('https://tokens.example', 'https://127.0.0.1');
  const folder = workFolder(t, {
    'config.yaml': `${secure}${tls}`,
    'programmes/club.yaml': programme,
    'own.pem': own.certificate,
    'partners.pem': partners.certificate,
    'first.pem': first.certificate,
    'second.pem': second.certificate,
  });
  putSecret(folder, 'own.key', own.key);
  return folder;
}

interface Added {
  readonly client_id: string;
  readonly client_secret: string | null;
}

const usual = ['--programme', 'club', '--name', 'Partner', '--role', 'partner'];

async function addClient(folder: string, ...options: readonly string[]): Promise<Added> {
  return (await jetwayJson(folder, ['client', 'add', ...usual, ...options])) as Added;
}

/** Asks for a token of the client's own over a connection with this certificate. */
function tokens(url: string, id: string, shown?: Certified, agent?: Agent): Promise<Answer> {
  const tls: TlsClient = {
    ca,
    ...(shown && { cert: shown.certificate, key: shown.key }),
    ...(agent && { agent }),
  };
  const fields = { grant_type: 'client_credentials', client_id: id };
  return post(url, '/club/api/grant', fields, {}, tls);
}

/** Status and error; the headers of refusals are compared apart. */
function told({ status, body }: Answer): readonly [number, unknown] {
  const { error } = JSON.parse(body) as { readonly error?: string };
  return [status, error];
}

describe('client certificates', { skip: without('openssl'), concurrency: 2 }, () => {
  test('a client without secret is let in by the certificate that is registered', async (t) => {
    const folder = folderWith(t, 'client_certificates: true');
    const { client_id: id, client_secret } = await addClient(folder, '--certificate', 'first.pem');
    assert.equal(client_secret, null);
    const { url } = await startServer(t, folder);
    assert.deepEqual(told(await tokens(url, id, first)), [200, undefined]);
    const refused = await tokens(url, id, second);
    assert.deepEqual(told(refused), [401, 'invalid_client']);
    const { 'x-request-id': _one, ...headers } = refused.headers;
    const unknown = await tokens(url, 'partnerapi-00000', first);
    const { 'x-request-id': _other, ...others } = unknown.headers;
    assert.deepEqual([unknown.status, others, unknown.body], [401, headers, refused.body], 'G-17');
    // No certificate at all, as with a missing header (G-16).
    assert.deepEqual(told(await tokens(url, id)), [400, 'invalid_client']);
    const shown = (await jetwayJson(folder, ['client', 'show', id])) as {
      readonly secrets: readonly unknown[];
      readonly certificates: readonly { readonly fingerprint: string }[];
    };
    assert.deepEqual(shown.secrets, []);
    assert.match(shown.certificates[0]?.fingerprint ?? '', /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  });

  test('a name is believed where an authority vouches for it, and only there', async (t) => {
    const folder = folderWith(t);
    const byName = await addClient(folder, '--certificate-subject', 'CN=api, O=Some Partner');
    const byHost = await addClient(folder, '--certificate-subject', 'dns:API.partner.example');
    const { url } = await startServer(t, folder);
    for (const { client_id: id } of [byName, byHost]) {
      assert.deepEqual(told(await tokens(url, id, named)), [200, undefined]);
      assert.deepEqual(told(await tokens(url, id, stranger)), [401, 'invalid_client']);
    }
  });

  test('without authorities no name is believed, of a public one neither', async (t) => {
    const folder = folderWith(t, 'client_certificates: true');
    const { client_id: id } = await addClient(
      folder,
      '--certificate-subject',
      'CN=api,O=Some Partner',
    );
    const { url } = await startServer(t, folder);
    assert.deepEqual(told(await tokens(url, id, named)), [401, 'invalid_client']);
  });

  test('each method is taken only where the dialect has it', async (t) => {
    const folder = folderWith(t, asking, dialect('[basic, tls_client_auth]'));
    const args = ['client', 'add', ...usual, '--certificate', 'first.pem', '--json'];
    const { stdout, stderr } = await jetway(folder, args);
    const { client_id: id, client_secret: secret } = JSON.parse(stdout) as Added;
    assert.equal(typeof secret, 'string', 'it could not authenticate otherwise');
    assert.match(
      stderr,
      /--certificate is of no use: club does not take self_signed_tls_client_auth/,
    );
    const { url } = await startServer(t, folder);
    assert.deepEqual(told(await tokens(url, id, first)), [401, 'invalid_client']);
  });

  test('a resumed session and a kept connection are those of the certificate', async (t) => {
    const folder = folderWith(t);
    const { client_id: id } = await addClient(
      folder,
      '--certificate-subject',
      'CN=api,O=Some Partner',
    );
    const { url } = await startServer(t, folder);
    const agent = new Agent({ keepAlive: true });
    t.after(() => agent.destroy());
    const sockets = new Set<unknown>();
    let resumed = false;
    agent.on('free', (socket: { isSessionReused: () => boolean }) => {
      sockets.add(socket);
      resumed ||= socket.isSessionReused();
    });
    for (let sent = 0; sent < 2; sent += 1) {
      assert.deepEqual(told(await tokens(url, id, named, agent)), [200, undefined]);
    }
    assert.equal(sockets.size, 1);
    agent.destroy();
    assert.deepEqual(told(await tokens(url, id, named, agent)), [200, undefined]);
    assert.equal(resumed, true);
  });

  test('two certificates are good during a rotation, and count without a restart', async (t) => {
    const folder = folderWith(t, 'client_certificates: true');
    const { client_id: id } = await addClient(folder, '--certificate', 'first.pem');
    const { url } = await startServer(t, folder);
    const letIn = async (): Promise<readonly number[]> => [
      (await tokens(url, id, first)).status,
      (await tokens(url, id, second)).status,
    ];
    assert.deepEqual(await letIn(), [200, 401]);
    await jetwayJson(folder, ['client', 'set', id, '--add-certificate', 'second.pem']);
    assert.deepEqual(await letIn(), [200, 200]);
    await jetwayJson(folder, ['client', 'set', id, '--certificate', 'second.pem']);
    assert.deepEqual(await letIn(), [401, 200]);
    await jetwayJson(folder, ['client', 'disable', id]);
    assert.deepEqual(await letIn(), [401, 401]);
  });

  test('a partner changes over from its secret, which then may end', async (t) => {
    const folder = folderWith(t, 'client_certificates: true');
    const { client_id: id, client_secret: secret } = await addClient(folder);
    const last = await jetway(folder, ['client', 'retire-secret', id]);
    assert.equal(last.code, 1);
    await jetwayJson(folder, ['client', 'set', id, '--certificate', 'first.pem']);
    const { url } = await startServer(t, folder);
    const credentials = Buffer.from(`${id}:${secret}`).toString('base64');
    const bySecret = (): Promise<Answer> =>
      post(
        url,
        '/club/api/grant',
        { grant_type: 'client_credentials' },
        { authorization: `Basic ${credentials}` },
        { ca, cert: first.certificate, key: first.key },
      );
    // RFC 6749 2.3: one method counts in a request, here the header.
    assert.equal((await bySecret()).status, 200);
    assert.equal((await tokens(url, id, first)).status, 200);
    const retired = await jetway(folder, ['client', 'retire-secret', id]);
    assert.deepEqual(
      [retired.code, retired.stdout],
      [0, `client ${id} of club has no client secret\n`],
    );
    assert.equal((await bySecret()).status, 401);
    assert.equal((await tokens(url, id, first)).status, 200);
  });

  test('HOSTILE 42: wrong certificates are limited, and the right one passes', async (t) => {
    const folder = folderWith(
      t,
      'client_certificates: true',
      dialect('[self_signed_tls_client_auth]', 3),
    );
    const { client_id: id } = await addClient(folder, '--certificate', 'first.pem');
    const { url } = await startServer(t, folder);
    const statuses: number[] = [];
    for (let tried = 0; tried < 4; tried += 1)
      statuses.push((await tokens(url, id, second)).status);
    assert.deepEqual(statuses, [401, 401, 401, 429]);
    assert.equal((await tokens(url, id, first)).status, 200);
  });

  test(
    'curl shows it, and the metadata names the methods',
    { skip: without('curl') },
    async (t) => {
      const folder = folderWith(t, 'client_certificates: true');
      const { client_id: id } = await addClient(folder, '--certificate', 'first.pem');
      const { url } = await startServer(t, folder);
      writeFileSync(join(folder, 'ca.pem'), ca);
      putSecret(folder, 'first.key', first.key);
      const files = ['--cacert', 'ca.pem', '--cert', 'first.pem', '--key', 'first.key'];
      const data = ['-d', 'grant_type=client_credentials', '-d', `client_id=${id}`];
      const flags = [
        '--disable',
        '-sS',
        '--max-time',
        '60',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
      ];
      const args = [...flags, ...files, ...data, `${url}/club/api/grant`];
      const { stdout } = await promisify(execFile)('curl', args, { cwd: folder });
      assert.equal(stdout, '200');
      const { body } = await ask(url, '/.well-known/oauth-authorization-server/club', {
        tls: { ca },
      });
      const metadata = JSON.parse(body) as Readonly<Record<string, unknown>>;
      assert.deepEqual(metadata['token_endpoint_auth_methods_supported'], [
        'client_secret_basic',
        'self_signed_tls_client_auth',
        'tls_client_auth',
      ]);
    },
  );

  test('check warns of a method that the configuration cannot serve', async (t) => {
    const warned = async (more: string): Promise<readonly string[]> => {
      const { code, stdout } = await jetway(folderWith(t, more), ['check']);
      assert.equal(code, 0, stdout);
      return [...stdout.matchAll(/warning: (no client .*)/g)].map(([, words = '']) => words);
    };
    const lacks = (method: string, key: string): string =>
      `no client can use ${method}: the configuration has no tls with ${key} [certificates_unasked]`;
    const names = lacks('tls_client_auth', 'client_authorities_file');
    const selves = lacks('self_signed_tls_client_auth', 'client_certificates: true');
    assert.deepEqual(await warned(asking), []);
    assert.deepEqual(await warned('client_certificates: true'), [names]);
    assert.deepEqual(await warned('client_certificates: false'), [selves, names]);
  });

  test('what is no certificate, has ended or names nobody is refused', async (t) => {
    const folder = folderWith(t);
    const refused = async (...options: readonly string[]): Promise<string> => {
      const { code, stderr } = await jetway(folder, ['client', 'add', ...usual, ...options]);
      assert.equal(code, 2);
      return stderr.split('\n')[0] ?? '';
    };
    assert.equal(
      await refused('--certificate', 'own.key'),
      '--certificate "own.key" holds no certificate in PEM',
    );
    assert.equal(
      await refused('--certificate', 'missing.pem'),
      '--certificate "missing.pem" does not exist',
    );
    assert.match(
      await refused('--certificate-subject', 'partner'),
      /^--certificate-subject must be a distinguished name .*, not "partner"$/,
    );
  });
});
