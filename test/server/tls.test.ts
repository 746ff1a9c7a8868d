// Owns the promises of `serve` and `check` with certificates of their own, as operators and partners meet them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { connect as connectPlainly } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';

import { configText, jetway, putSecret, workFolder } from '../cli/command.ts';
import { startServer } from '../cli/server.ts';
import { createAuthority } from '../support/certificates.ts';
import { readPage } from '../support/page.ts';
import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { ask, post } from '../support/wire.ts';

const authority = createAuthority('Jetway');
const ca = authority.certificate;
const own = authority.issue('IP:127.0.0.1', 90);

const keys = 'certificate_file: tls/own.pem, key_file: tls/own.key';
const secure = configText.replace('https://tokens.example', 'https://127.0.0.1');

/** A folder with a certificate, its key, and what the configuration says besides. */
function secureFolder(t: TestContext, more = `tls: { ${keys} }\n`): string {
  const folder = workFolder(t, {
    'config.yaml': `${secure}${more}`,
    'tls/own.pem': own.certificate,
    'ca.pem': ca,
  });
  putSecret(folder, 'tls/own.key', own.key);
  return folder;
}

describe('serve with TLS', { skip: without('openssl') }, () => {
  test('answers over TLS at listen and gateway; admin stays plain', async (t) => {
    const more = `tls: { ${keys} }\ngateway: 127.0.0.1:0\ngateway_tls: { ${keys} }\nadmin: 127.0.0.1:0\n`;
    const { url, gateway, admin } = await startServer(t, secureFolder(t, more));
    const fields = { grant_type: 'client_credentials' };
    const refused = await post(url, '/club/api/grant', fields, {}, { ca });
    assert.deepEqual(
      [refused.status, refused.body],
      [400, '{"error":"invalid_client"}'],
      'the dialect answers',
    );
    const missing = await ask(url, '/nowhere', { tls: { ca } });
    assert.deepEqual([missing.status, missing.body], [404, '{"error":"not_found"}']);
    const unkeyed = await ask(gateway, '/club/verify/none', { tls: { ca } });
    assert.equal(unkeyed.status, 401);
    assert.equal((await ask(admin, '/readyz')).status, 200);
    await assert.rejects(
      ask(url.replace('https', 'http'), '/nowhere'),
      /socket hang up|ECONNRESET/,
    );
  });

  test(
    'curl believes it by its authority, and speaks HTTP/1.1 where it would rather have 2',
    { skip: without('curl') },
    async (t) => {
      const folder = secureFolder(t);
      const { url } = await startServer(t, folder);
      const flags = [
        '--disable',
        '-sS',
        '--max-time',
        '60',
        '--http2',
        '-w',
        ' %{http_code} over %{http_version}',
      ];
      const run = promisify(execFile)('curl', [
        ...flags,
        '--cacert',
        join(folder, 'ca.pem'),
        `${url}/nowhere`,
      ]);
      assert.equal((await run).stdout, '{"error":"not_found"} 404 over 1.1');
    },
  );

  test('a certificate that is replaced is shown in new handshakes, and connections go on', async (t) => {
    const folder = secureFolder(t);
    const { url } = await startServer(t, folder);
    const kept = new Agent({ keepAlive: true });
    t.after(() => kept.destroy());
    /** The serial number that the server shows on the agent's connection, or on a new one. */
    const shown = async (agent = new Agent({ keepAlive: true, maxCachedSessions: 0 })) => {
      const freed = once(agent, 'free') as Promise<[TLSSocket]>;
      await ask(url, '/nowhere', { tls: { ca, agent } });
      const [socket] = await freed;
      const serial = socket.getPeerX509Certificate()?.serialNumber;
      if (agent !== kept) agent.destroy();
      return serial;
    };
    const before = await shown(kept);
    const renewed = authority.issue('IP:127.0.0.1', 90);
    writeFileSync(join(folder, 'tls/own.pem'), renewed.certificate);
    putSecret(folder, 'tls/own.key', renewed.key);
    // Without a word: the files are looked at twice a second.
    const after = new X509Certificate(renewed.certificate).serialNumber;
    await until(async () => (await shown()) === after);
    assert.equal(await shown(kept), before);
    writeFileSync(join(folder, 'tls/own.pem'), 'half a certificate');
    const told = await jetway(folder, ['reload']);
    assert.equal(told.code, 3, told.stdout);
    assert.match(
      told.stdout + told.stderr,
      /config\.yaml:5:26: error: .*own\.pem holds no certificate/,
    );
    assert.equal(await shown(), after);
  });

  test('HOSTILE 10: pages and redirects of a login say that their host speaks https alone, and no other answer does', async (t) => {
    const named = (more: string): string =>
      `${configText}gateway: 127.0.0.1:0\ngateway_tls: { ${keys} }\ntls: { ${keys}${more} }\n`;
    const folder = secureFolder(t);
    writeFileSync(join(folder, 'config.yaml'), named(''));
    const { url, gateway } = await startServer(t, folder);
    const add = ['client', 'add', '--programme', 'club', '--name', 'P', '--role', 'member'];
    const { stdout } = await jetway(folder, [
      ...add,
      '--redirect-uri',
      'https://p.example/',
      '--json',
    ]);
    const { client_id: id } = JSON.parse(stdout) as { readonly client_id: string };
    const tls = { ca };
    const html = { tls, headers: { accept: 'text/html' } };
    const begin = `/club/auth/login?response_type=code&client_id=${id}`;
    const hsts = async (): Promise<readonly (string | undefined)[]> => {
      const redirect = await ask(url, begin, { tls });
      const { pathname, search } = new URL(redirect.headers['location'] ?? '');
      const answers = [
        redirect,
        await ask(url, pathname + search, {
          tls,
          headers: { cookie: redirect.headers['set-cookie'] ?? '' },
        }),
        await post(url, '/club/login', {}, {}, tls),
        await ask(url, '/club/auth/login?client_id=x', { tls }),
        await ask(url, '/club/auth/login', { ...html, method: 'PUT' }),
        await ask(url, '/club/nowhere', html),
        await ask(url, '/nowhere', html),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [302, 200, 400, 400, 405, 404, 404],
      );
      return answers.map(({ headers }) => headers['strict-transport-security']);
    };
    const year = 'max-age=31536000';
    assert.deepEqual(
      await hsts(),
      Array.from({ length: 7 }, () => year),
    );
    const more = { 'strict-transport-security': year };
    readPage(await ask(url, '/nowhere', html), 'en', more);
    readPage(await ask(url, '/club/auth/login?client_id=x', html), 'en', more);
    const json = {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      pragma: 'no-cache',
    };
    const refused = await post(
      url,
      '/club/api/grant',
      { grant_type: 'client_credentials' },
      {},
      tls,
    );
    assert.deepEqual(refused, { status: 400, headers: json, body: '{"error":"invalid_client"}' });
    const missing = await ask(url, '/nowhere', { tls });
    assert.deepEqual(missing, { status: 404, headers: json, body: '{"error":"not_found"}' });
    const unkeyed = await ask(gateway, '/club/verify/none', html);
    assert.equal(unkeyed.headers['strict-transport-security'], undefined);
    for (const [word, header] of [
      ['forget', 'max-age=0'],
      ['off', undefined],
    ] as const) {
      writeFileSync(join(folder, 'config.yaml'), named(`, hsts: ${word}`));
      assert.match((await jetway(folder, ['reload'])).stdout, /^tls: taken up$/m);
      assert.deepEqual(
        await hsts(),
        Array.from({ length: 7 }, () => header),
      );
    }
  });

  test('a reload opens no plain listener where the configuration now has one with TLS', async (t) => {
    const folder = secureFolder(t);
    await startServer(t, folder);
    const more = `tls: { ${keys} }\ngateway: 127.0.0.1:0\ngateway_tls: { ${keys} }\n`;
    writeFileSync(join(folder, 'config.yaml'), `${secure}${more}`);
    const { stdout } = await jetway(folder, ['reload', '--json']);
    const { settings } = JSON.parse(stdout) as { readonly settings: readonly object[] };
    assert.deepEqual(settings, [
      { key: 'gateway', outcome: 'needs_restart' },
      { key: 'gateway_tls', outcome: 'needs_restart' },
    ]);
  });

  test('a PROXY header before TLS is taken where the configuration says so', async (t) => {
    const proxies = 'trusted_proxies: [127.0.0.0/8]\nproxy_protocol: v2\n';
    const { url } = await startServer(t, secureFolder(t, `tls: { ${keys} }\n${proxies}`));
    await assert.rejects(ask(url, '/nowhere', { tls: { ca } }));
    const below = connectPlainly(Number(new URL(url).port), '127.0.0.1');
    below.write(Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex'));
    const socket = connect({ socket: below, ca, host: '127.0.0.1' });
    socket.write('GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    assert.match(await text(socket), /^HTTP\/1\.1 404 /);
  });

  test('HOSTILE 56: does not start with a key that others can read', async (t) => {
    const folder = secureFolder(t);
    chmodSync(join(folder, 'tls/own.key'), 0o644);
    const told =
      './config.yaml:5:49: error: tls/own.key can be read by others (mode 0644): chmod 600 it\n';
    assert.deepEqual(await jetway(folder, ['serve']), { code: 3, stdout: '', stderr: told });
    const checked = await jetway(folder, ['check']);
    assert.deepEqual(checked, {
      code: 3,
      stdout: `${told}1 programme, 1 error, 0 warnings\n`,
      stderr: '',
    });
  });

  test('check warns where a live service answers plain HTTP to other machines', async (t) => {
    const live = secure.replace('staging', 'live').replace('127.0.0.1:0', '0.0.0.0:0');
    const folder = secureFolder(t);
    const warned = async (more: string): Promise<string> => {
      writeFileSync(join(folder, 'config.yaml'), `${live}${more}`);
      const { code, stdout } = await jetway(folder, ['check']);
      assert.equal(code, 0);
      return stdout;
    };
    assert.equal(
      await warned(''),
      './config.yaml:2:9: warning: plain HTTP is answered here, to other machines too (set tls, or listen on 127.0.0.1 behind a proxy, or name its network in trusted_proxies) [plain_http]\n1 programme, 0 errors, 1 warning\n',
    );
    assert.equal(
      await warned(`tls: { ${keys} }\n`),
      './config.yaml:5:6: warning: TLS 1.2 also takes ciphers without authentication (CBC), which RFC 9325 4.2 advises against: set ciphers: aead once jetway_tls_handshakes_without_aead_total stays at 0 [lax_ciphers]\n1 programme, 0 errors, 1 warning\n',
    );
    for (const more of [`tls: { ${keys}, ciphers: aead }\n`, 'trusted_proxies: [10.0.0.0/8]\n']) {
      assert.equal(await warned(more), '1 programme, 0 errors, 0 warnings\n');
    }
  });
});
