// Owns the promises of the configuration file: its defaults, its paths, and what it refuses where.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { readAddress } from '../../src/config/address.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import { usualLog } from '../../src/config/log_keys.ts';
import { FaultsError } from '../../src/lib/fault.ts';
import { scratchFolder } from '../support/scratch.ts';

const least = 'environment: staging\npublic_url: https://tokens.example\nstore: memory\n';

describe('configuration', () => {
  test('needs three keys; the rest has defaults', (t) => {
    const path = written(t, least);
    assert.deepEqual(withoutDocument(path), {
      environment: 'staging',
      listen: { host: '127.0.0.1', port: 8080 },
      publicUrl: 'https://tokens.example',
      programmes: join(path, '../programmes'),
      store: { kind: 'memory' },
      trustedProxies: [],
      jwksNetworks: [],
      workers: 1,
      control: join(path, '../jetway.control'),
      watchProgrammes: true,
      log: usualLog,
      stopDelay: 0,
    });
  });

  test('has its paths relative to its folder, not to where the command is run', (t) => {
    const path = written(
      t,
      `environment: live
listen: "[::1]:8443"
public_url: http://127.0.0.1:8080/base
programmes: ../clubs
store: file:./data/jetway.db
admin: 127.0.0.1:9090
gateway: gateway.internal:8090
gateway_tls: { certificate_file: /run/gateway.pem, key_file: /run/gateway.key }
trusted_proxies: [10.0.0.0/8, "fd00::/8"]
master_key_file: /run/secrets/key
`,
    );
    assert.deepEqual(withoutDocument(path), {
      environment: 'live',
      listen: { host: '::1', port: 8443 },
      publicUrl: 'http://127.0.0.1:8080/base',
      programmes: join(path, '../../clubs'),
      store: { kind: 'file', path: join(path, '../data/jetway.db') },
      admin: { host: '127.0.0.1', port: 9090 },
      gateway: { host: 'gateway.internal', port: 8090 },
      gatewayTls: {
        certificate: '/run/gateway.pem',
        key: '/run/gateway.key',
        asksClients: false,
      },
      trustedProxies: ['10.0.0.0/8', 'fd00::/8'],
      jwksNetworks: [],
      workers: 1,
      masterKeyFile: '/run/secrets/key',
      control: join(path, '../data/jetway.db.control'),
      watchProgrammes: true,
      audit: {
        file: join(path, '../data/audit.jsonl'),
        onFailure: 'refuse',
        tellsVerification: false,
      },
      log: usualLog,
      stopDelay: 5000,
    });
  });

  test('has an audit stream beside a durable store, or where it says, or none', (t) => {
    const auditOf = (more: string): object | undefined => {
      const { audit } = readConfig(written(t, more));
      return audit && { ...audit, file: basename(audit.file) };
    };
    const durable = least.replace('store: memory', 'store: file:./jetway.db');
    const usual = { file: 'audit.jsonl', onFailure: 'refuse', tellsVerification: false };
    assert.deepEqual(auditOf(durable), usual);
    assert.deepEqual(auditOf(`${durable}audit: off\n`), undefined);
    assert.deepEqual(auditOf(least), undefined);
    const said = 'audit: { file: ./trail, on_failure: drop, verification: true }\n';
    assert.deepEqual(auditOf(`${durable}${said}`), {
      file: 'trail',
      onFailure: 'drop',
      tellsVerification: true,
    });
    assert.deepEqual(
      faultsOf(written(t, `${least}${said}`)).map(({ path, message }) => [path, message]),
      [
        [
          'audit',
          'an audit stream needs a store that outlasts the server, as the key of its marks does: set store to file:PATH',
        ],
      ],
    );
  });

  test('waits before it stops where readiness is told, and for a minute at most', (t) => {
    const delayOf = (more: string): number => readConfig(written(t, `${least}${more}`)).stopDelay;
    assert.equal(delayOf('admin: 127.0.0.1:9090\nstop_delay: 0s\n'), 0);
    assert.equal(delayOf('stop_delay: 60s\n'), 60_000);
    assert.deepEqual(
      faultsOf(written(t, `${least}stop_delay: 61s\n`)).map(({ path, message }) => [path, message]),
      [['stop_delay', 'expected at most 60s']],
    );
  });

  test('names whom partners ask, in one line', (t) => {
    const contactOf = (text: string): string => `${least}partners: { contact: ${text} }\n`;
    const { partners } = readConfig(written(t, contactOf('partners@example.com')));
    assert.deepEqual(partners, { contact: 'partners@example.com' });
    for (const text of ['""', '" x"', '"a\\nb"', `"${'x'.repeat(201)}"`]) {
      const [fault] = faultsOf(written(t, contactOf(text)));
      assert.match(fault?.message ?? '', /^expected one line of 1 to 200 characters/, text);
    }
  });

  test('asks clients for certificates where it is told to, or whom to believe', (t) => {
    const pair = 'certificate_file: own.pem, key_file: own.key';
    const asked = ['', ', client_certificates: true', ', client_authorities_file: ca.pem'].map(
      (more) => {
        const { tls } = readConfig(written(t, `${least}tls: { ${pair}${more} }\n`));
        return [tls?.asksClients, basename(tls?.clientAuthorities ?? '')];
      },
    );
    assert.deepEqual(asked, [
      [false, ''],
      [true, ''],
      [true, 'ca.pem'],
    ]);
  });

  test('takes PROXY headers from proxies that it knows, and only there', (t) => {
    const known = `${least}trusted_proxies: [10.0.0.0/8]\nproxy_protocol: v2\n`;
    assert.equal(readConfig(written(t, known)).proxyProtocol, 'v2');
    assert.deepEqual(
      faultsOf(written(t, `${least}proxy_protocol: v2\n`)).map(({ path, message }) => [
        path,
        message,
      ]),
      [
        [
          'proxy_protocol',
          'proxy_protocol needs the networks of the proxies in trusted_proxies: no other connection is taken',
        ],
      ],
    );
  });

  test('has TLS only where clients know of it, and of an address that there is', (t) => {
    const pair = '{ certificate_file: own.pem, key_file: own.key }';
    const path = written(
      t,
      `environment: staging\npublic_url: http://127.0.0.1\nstore: memory\ntls: ${pair}\ngateway_tls: ${pair}\n`,
    );
    assert.deepEqual(
      faultsOf(path).map(({ path: key, message }) => [key, message]),
      [
        ['', 'gateway_tls needs the address of gateway'],
        ['public_url', 'with tls clients reach the service by an https address'],
      ],
    );
  });

  test('tells every fault of a file at once, in reading order', (t) => {
    const path = written(
      t,
      `environment: Live
listen: 8080
public_url: https://tokens.example/
stor: memory
trusted_proxies: [10.0.0.0]
`,
    );
    const found = faultsOf(path).map(({ at, message, hint }) => [
      at.line,
      at.column,
      message,
      hint,
    ]);
    assert.deepEqual(found, [
      [1, 1, '"store" is missing', undefined],
      [1, 14, 'expected one of staging, live; found "Live"', 'did you mean "live"?'],
      [
        2,
        9,
        'expected text, found the number 8080',
        '8080 is read as the number 8080; put it in quotes: "8080"',
      ],
      [
        3,
        13,
        'expected an http or https address in its plain form, without query or trailing slash, such as https://tokens.example.com',
        undefined,
      ],
      [4, 1, 'unknown key "stor"', 'did you mean "store"?'],
      [5, 19, 'expected a network such as 10.0.0.0/8 or fd00::/8', undefined],
    ]);
  });

  const publicUrls = [
    'ftp://tokens.example',
    'tokens.example',
    'https://tokens.example/?a=b',
    'https://tokens.example/#f',
    'https://user@tokens.example',
    'https://tokens.example/a?',
    'https://tokens.example/a#',
    'https://TOKENS.example',
    'https://tokens.example:443',
    'https://tokens.example/a/../b',
    'https://tokens.example/%61',
    'https://tokens.example/a//b',
    'https://tokens.example/a;b',
  ];
  for (const url of publicUrls) {
    test(`refuses ${url} as public_url`, (t) => {
      const path = written(t, least.replace('https://tokens.example', url));
      assert.deepEqual(
        faultsOf(path).map(({ path: key }) => key),
        ['public_url'],
      );
    });
  }

  test('sends nothing over plain http in earnest: the live environment needs https, loopback apart', (t) => {
    const faults = (environment: string, url: string): readonly string[] => {
      const text = least.replace('staging', environment).replace('https://tokens.example', url);
      return faultsOf(written(t, text)).map(({ path: key, message }) => `${key}: ${message}`);
    };
    for (const url of ['http://tokens.example', 'http://127.0.0.1.example', 'http://10.0.0.1']) {
      assert.deepEqual(faults('live', url), [
        'public_url: the live environment needs an https address here',
      ]);
      assert.doesNotThrow(() =>
        readConfig(written(t, least.replace('https://tokens.example', url))),
      );
    }
    for (const url of ['https://tokens.example', 'http://127.0.0.1:8080', 'http://localhost']) {
      const text = least.replace('staging', 'live').replace('https://tokens.example', url);
      assert.equal(readConfig(written(t, text)).publicUrl, url);
    }
  });

  for (const store of ['file:', 'jetway.db', 'postgres://db/jetway', 'redis://x']) {
    test(`refuses ${store} as store`, (t) => {
      const path = written(t, least.replace('memory', `"${store}"`));
      assert.deepEqual(
        faultsOf(path).map(({ path: key }) => key),
        ['store'],
      );
    });
  }

  test('is a regular file of at most 64 KiB that can be read', (t) => {
    const path = written(t, `${least}#${'x'.repeat(64 * 1024)}\n`);
    const folder = join(path, '../folder.yaml');
    mkdirSync(folder);
    const missing = join(path, '../missing.yaml');
    const told = [path, folder, missing].map((one) => faultsOf(one).map(({ message }) => message));
    assert.deepEqual(told, [
      ['the file is larger than 65536 bytes'],
      ['the file is not a regular file'],
      ['the file does not exist'],
    ]);
  });

  test('reads an address of a name, of IPv4 and of IPv6, and no other', () => {
    assert.deepEqual(readAddress('localhost:0'), { host: 'localhost', port: 0 });
    assert.deepEqual(readAddress('0.0.0.0:65535'), { host: '0.0.0.0', port: 65_535 });
    assert.deepEqual(readAddress('[::]:80'), { host: '::', port: 80 });
    for (const text of [':80', '80', 'host', 'host:', 'host:65536', '::1:80', 'a b:80', 'h:8o']) {
      assert.equal(readAddress(text), undefined, text);
    }
  });
});

function written(t: TestContext, text: string): string {
  const folder = scratchFolder(t, 'config');
  const path = join(folder, 'config.yaml');
  writeFileSync(path, text);
  return path;
}

function withoutDocument(path: string): Omit<Config, 'document'> {
  const { document: _document, ...config } = readConfig(path);
  return config;
}

function faultsOf(path: string): FaultsError['faults'] {
  try {
    readConfig(path);
  } catch (error) {
    if (error instanceof FaultsError) return error.faults;
    throw error;
  }
  return [];
}
