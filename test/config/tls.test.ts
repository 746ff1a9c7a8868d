// Owns the promises of the listeners' own certificates: where they are read from, and which are refused.

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { readConfig } from '../../src/config/config.ts';
import {
  expectTls,
  hstsHeaders,
  readTls,
  tlsPaths,
  type TlsReading,
} from '../../src/config/tls.ts';
import { FaultsError } from '../../src/lib/fault.ts';
import { createAuthority } from '../support/certificates.ts';
import { scratchFolder } from '../support/scratch.ts';
import { without } from '../support/tools.ts';

const authority = createAuthority('Jetway');
const own = authority.issue('DNS:tokens.example', 90);
const other = authority.issue('DNS:other.example', 90);
const address = authority.issue('IP:192.0.2.1', 90);

const day = 86_400_000;

/** A folder of everything that the `tls` and `gateway_tls` of a configuration may name. */
function configWith(t: TestContext, keys: string, publicUrl = 'https://tokens.example'): string {
  const folder = scratchFolder(t, 'tls');
  const files = {
    'own.pem': own.certificate,
    'own.key': own.key,
    'other.pem': other.certificate,
    'other.key': other.key,
    'address.pem': address.certificate,
    'address.key': address.key,
    'ca.pem': authority.certificate,
    'open.key': own.key,
    'note.txt': 'nothing here',
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
  chmodSync(join(folder, 'open.key'), 0o644);
  const path = join(folder, 'config.yaml');
  const first = `environment: staging\npublic_url: ${publicUrl}\nstore: memory\n`;
  writeFileSync(path, `${first}gateway: 127.0.0.1:0\n${keys}`);
  return path;
}

const usual = 'certificate_file: own.pem, key_file: own.key';

/** Each fault's place and words, without the folder of the files. */
function told({ faults }: TlsReading): readonly string[] {
  return faults.map(({ severity, at, path, message }) => {
    const words = message.replaceAll(/\S*\/(?=[\w.]+ )/g, '').replaceAll(/\d{4}-\S*Z/g, 'T');
    return `${at.line}:${at.column} ${severity} ${path}: ${words}`;
  });
}

function ownUntil(): number {
  return new X509Certificate(own.certificate).validToDate.getTime();
}

describe('certificates of the listeners', { skip: without('openssl') }, () => {
  test('are read with their keys, from files beside the configuration', (t) => {
    const path = configWith(
      t,
      'tls: { certificate_file: own.pem, key_file: own.key, client_authorities_file: ca.pem }\ngateway_tls: { certificate_file: other.pem, key_file: other.key }\n',
    );
    const file = (name: string): string => join(path, '..', name);
    const config = readConfig(path);
    assert.deepEqual(readTls(config), {
      tls: { ...own, asksClients: true, clientAuthorities: authority.certificate },
      gatewayTls: { ...other, asksClients: false },
      faults: [],
    });
    assert.deepEqual(
      tlsPaths(config),
      ['own.pem', 'own.key', 'ca.pem', 'other.pem', 'other.key'].map(file),
    );
  });

  test('are nothing where the configuration names none', (t) => {
    const config = readConfig(configWith(t, ''));
    assert.deepEqual([readTls(config), tlsPaths(config)], [{ faults: [] }, []]);
  });

  test('each unusable file is told at its key, and the other listener keeps its own', (t) => {
    const path = configWith(
      t,
      'tls:\n  certificate_file: note.txt\n  key_file: own.pem\n  client_authorities_file: missing.pem\ngateway_tls: { certificate_file: own.pem, key_file: own.key }\n',
    );
    const reading = readTls(readConfig(path));
    assert.deepEqual(told(reading), [
      '6:21 error tls.certificate_file: note.txt holds no certificate in PEM',
      '7:13 error tls.key_file: own.pem is not a private key without a passphrase',
      '8:28 error tls.client_authorities_file: missing.pem does not exist',
    ]);
    assert.deepEqual(
      [reading.tls, reading.gatewayTls],
      [undefined, { ...own, asksClients: false }],
    );
  });

  test('HOSTILE 56: a key that others can read is refused', (t) => {
    const path = configWith(t, 'tls: { certificate_file: own.pem, key_file: open.key }\n');
    assert.deepEqual(told(readTls(readConfig(path))), [
      '5:45 error tls.key_file: open.key can be read by others (mode 0644): chmod 600 it',
    ]);
    assert.throws(() => expectTls(readConfig(path)), FaultsError);
  });

  test('a key of another certificate is refused', (t) => {
    const path = configWith(t, 'tls: { certificate_file: own.pem, key_file: other.key }\n');
    const reading = readTls(readConfig(path));
    assert.deepEqual(told(reading), [
      '5:45 error tls.key_file: the key is not that of the certificate',
    ]);
    assert.equal(reading.tls, undefined);
  });

  test('a certificate is refused outside its time, and warned of in its last two weeks', (t) => {
    const config = readConfig(
      configWith(t, 'tls: { certificate_file: own.pem, key_file: own.key }\n'),
    );
    const at = (now: number): readonly unknown[] => {
      const reading = readTls(config, now);
      return [...told(reading), reading.tls !== undefined];
    };
    const place = 'tls.certificate_file: own.pem';
    assert.deepEqual(at(ownUntil() - 15 * day), [true]);
    assert.deepEqual(at(ownUntil() - 13 * day), [
      `5:26 warning ${place} ends at T: renew it`,
      true,
    ]);
    assert.deepEqual(at(ownUntil()), [`5:26 error ${place} ended at T: get a new one`, false]);
    assert.deepEqual(at(ownUntil() - 91 * day), [
      `5:26 error ${place} is not valid before T: is this machine's clock right?`,
      false,
    ]);
  });

  test('the certificate of `listen` is warned of where it is not for public_url', (t) => {
    const warning = (name: string, publicUrl: string): readonly string[] => {
      const keys = `tls: { certificate_file: ${name}.pem, key_file: ${name}.key }\n`;
      return told(readTls(readConfig(configWith(t, keys, publicUrl))));
    };
    assert.deepEqual(warning('other', 'https://tokens.example:8443/base'), [
      '5:26 warning tls.certificate_file: other.pem is not for tokens.example, the host of public_url: clients refuse it',
    ]);
    assert.deepEqual(warning('address', 'https://192.0.2.1'), []);
    assert.deepEqual(warning('address', 'https://[2001:db8::1]'), [
      '5:26 warning tls.certificate_file: address.pem is not for [2001:db8::1], the host of public_url: clients refuse it',
    ]);
  });

  test('live, CBC ciphers are warned of at each listener that takes them', (t) => {
    const keys = (more: string): string =>
      `tls: { ${usual}${more} }\ngateway_tls:\n  certificate_file: own.pem\n  key_file: own.key\n`;
    const read = (environment: string, more: string): TlsReading => {
      const config = readConfig(configWith(t, keys(more)));
      return readTls({ ...config, environment: environment as 'live' });
    };
    const words =
      'TLS 1.2 also takes ciphers without authentication (CBC), which RFC 9325 4.2 advises against: set ciphers: aead once jetway_tls_handshakes_without_aead_total stays at 0';
    const [ofListen, ofGateway] = [
      `5:6 warning tls.ciphers: ${words}`,
      `7:3 warning gateway_tls.ciphers: ${words}`,
    ];
    assert.deepEqual(told(read('live', '')), [ofListen, ofGateway]);
    assert.deepEqual(told(read('live', ', ciphers: aead')), [ofGateway]);
    assert.deepEqual(told(read('staging', '')), []);
    assert.equal(read('live', ', ciphers: aead').tls?.ciphers, 'aead');
  });

  test('HOSTILE 10: HSTS is for a host with a name of its own, at the usual port, whose TLS ends here', (t) => {
    const headers = (url: string, more = '', tls = true): unknown => {
      const keys = tls ? `tls: { ${usual}${more} }\n` : '';
      return hstsHeaders(readConfig(configWith(t, keys, url)))['Strict-Transport-Security'];
    };
    const year = 'max-age=31536000';
    assert.equal(headers('https://tokens.example'), year);
    assert.equal(headers('https://tokens.example/base', ', hsts: on'), year);
    assert.equal(headers('https://tokens.example', ', hsts: forget'), 'max-age=0');
    assert.equal(headers('https://tokens.example', ', hsts: off'), undefined);
    assert.equal(headers('https://tokens.example', '', false), undefined);
    for (const host of ['192.0.2.1', '[2001:db8::1]', 'localhost', 'a.localhost', '127.0.0.1']) {
      assert.equal(headers(`https://${host}`), undefined, host);
    }
    assert.equal(headers('https://localhost.example'), year);
    assert.equal(headers('https://tokens.example:8443'), undefined);
  });
});
