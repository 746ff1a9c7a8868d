// Tests of the names in certificates, and of the spelling that they are compared in (RFC 8705 2.1.2).

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';

import { namesOf, readCertificate, readName } from '../../src/oauth/client_certificate.ts';
import { createAuthority } from '../support/certificates.ts';
import { without } from '../support/tools.ts';

const authority = createAuthority('Partners');

function certificateOf(names: string, subject?: string): X509Certificate {
  return new X509Certificate(authority.issue(names, 2, subject).certificate);
}

describe('names of a certificate', { skip: without('openssl') }, () => {
  test('are its subject as in RFC 4514 and its alternative names', () => {
    const names =
      'DNS:API.Partner.example,IP:2001:db8::1,IP:192.0.2.1,URI:urn:partner:1,email:a@b.example';
    assert.deepEqual(namesOf(certificateOf(names, '/C=GB/O=Some Partner/CN=pärtner')), [
      'CN=pärtner,O=Some Partner,C=GB',
      'dns:api.partner.example',
      'ip:2001:db8::1',
      'ip:192.0.2.1',
      'uri:urn:partner:1',
      'email:a@b.example',
    ]);
  });

  test('cannot be forged by separators in a value', () => {
    const attributes = '/O=Thief, CN=partner/CN=x\\+CN=partner/OU=line\\nCN=partner';
    assert.deepEqual(namesOf(certificateOf('DNS:x.example', attributes)), [
      'OU=linenCN=partner,CN=x\\+CN=partner,O=Thief\\, CN=partner',
      'dns:x.example',
    ]);
    // openssl itself takes the comma for a separator: the extension is given as DER.
    const uri = Buffer.from('urn:x, DNS:partner.example');
    const der = Buffer.concat([Buffer.from([0x30, uri.length + 2, 0x86, uri.length]), uri]);
    const forged = certificateOf(`DER:${der.toString('hex')}`);
    assert.match(forged.subjectAltName ?? '', /partner\.example/);
    assert.deepEqual(namesOf(forged), ['CN=issued']);
  });

  test('several attributes in one part of a subject are joined by a plus', () => {
    const openssl = certificateOf('DNS:x.example', '/O=Partner/CN=a+serialNumber=7');
    assert.match(namesOf(openssl)[0] ?? '', /^CN=a\+serialNumber=7,O=Partner$/);
  });

  test('its thumbprint is that of openssl, its end that of the certificate', () => {
    const certificate = certificateOf('DNS:x.example');
    const { thumbprint, expiresAt } = readCertificate(certificate);
    const hex = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
    assert.equal(Buffer.from(thumbprint, 'base64url').toString('hex'), hex);
    assert.equal(expiresAt, Date.parse(certificate.validTo));
  });
});

test('a registered name is read in the spelling of certificates, or refused', () => {
  const read = {
    'CN=partner,O=Some Partner': 'CN=partner,O=Some Partner',
    ' CN=partner, O=Some Partner ': 'CN=partner,O=Some Partner',
    'CN=a\\, b,O=c': 'CN=a\\, b,O=c',
    '2.5.4.97=PSDGB-1,CN=x': '2.5.4.97=PSDGB-1,CN=x',
    'dns:API.partner.example': 'dns:api.partner.example',
    'ip:2001:DB8:0:0::1': 'ip:2001:db8::1',
    'uri:urn:Partner:1': 'uri:urn:Partner:1',
    'email:a@b.example': 'email:a@b.example',
    'CN=a\\ , O=b': 'CN=a\\ ,O=b',
    // HOSTILE 89: as openssl, Windows and Java write it.
    'subject=CN=Zo\\C3\\AB\\, x,O=Some Partner': 'CN=Zoë\\, x,O=Some Partner',
    'cn=a + ou=cn=b, E=a@b.example, s=Kent': 'CN=a+OU=cn=b,emailAddress=a@b.example,ST=Kent',
    'SERIALNUMBER=7,CN=a\\;\\"\\2C': 'serialNumber=7,CN=a\\;\\"\\2C',
  };
  for (const [text, name] of Object.entries(read)) assert.equal(readName(text), name);
  const older = ['/C=GB/CN=a', 'C = GB, CN = a', 'CN="a, b",O=c', 'CN=a;O=b', 'CN=\\C3\\28,O=b'];
  for (const text of ['', 'partner', 'ip:partner', 'dns:', 'dns:a b', '=x', 'CN=', ...older]) {
    assert.equal(readName(text), undefined, text);
  }
});
