// Owns the promises of reading key sets: which keys are kept, and which sets are refused.

import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';

import { readKeySet, signsBy } from '../../../src/token/assertions/key_set.ts';
import { keySet, testKey } from '../../support/assertions.ts';

const ec = testKey('ES256', 'ec');
const rsa = testKey('RS256', 'rsa');
const ed = testKey('EdDSA', 'ed');

function read(value: unknown): ReturnType<typeof readKeySet> {
  return readKeySet(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
}

test('keys are kept by their thumbprint, without what else a set says of them', () => {
  const { kid, ...jwk } = ec.jwk;
  const [key, ...others] = read({
    keys: [{ ...jwk, kid, x5c: ['MII'], name: 'laptop', alg: 'ES256' }],
  });
  assert.deepEqual(others, []);
  const { crv, kty, x, y } = ec.jwk;
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ crv, kty, x, y }))
    .digest('base64url');
  assert.deepEqual(key, { thumbprint, kid, algorithm: 'ES256', jwk: { crv, kty, x, y } });
});

test('one JWK is a set of one', () => {
  assert.deepEqual(read(ec.jwk), read({ keys: [ec.jwk] }));
});

test('keys for other uses and of other types are left out', () => {
  const others = [
    { ...rsa.jwk, use: 'enc' },
    // What a key for another use says besides is not looked at.
    { ...rsa.jwk, use: 'enc', kid: null, alg: 5 },
    { ...rsa.jwk, key_ops: ['encrypt'] },
    { ...rsa.jwk, alg: 'RSA-OAEP' },
    { ...ec.jwk, alg: 'ES384' },
    { kty: 'AKP', alg: 'ML-DSA-44', pub: 'AA' },
    { ...generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }) },
  ];
  assert.deepEqual(
    read({ keys: [...others, ed.jwk] }).map(({ kid }) => kid),
    ['ed'],
  );
  assert.throws(
    () => read({ keys: others }),
    /^UnusableKeySet: holds no key that verifies signatures/,
  );
});

test('private, symmetric and weak keys are refused in words that name them', () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
    format: 'jwk',
  });
  const huge = {
    kty: 'RSA',
    e: 'AQAB',
    n: Buffer.concat([Buffer.from([255]), randomBytes(1999), Buffer.from([1])]).toString(
      'base64url',
    ),
  };
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [ec.privateKey.export({ format: 'jwk' }), /holds a private key/],
    [{ keys: [rsa.jwk, rsa.privateKey.export({ format: 'jwk' })] }, /holds a private key/],
    [ed.privateKey.export({ format: 'jwk' }), /holds a private key/],
    [{ keys: [{ kty: 'oct', k: 'AAAA' }] }, /holds a symmetric key/],
    [{ keys: [{ ...ec.jwk, k: 'AAAA' }] }, /holds a symmetric key/],
    [weak, /an RSA key of 1024 bits/],
    [huge, /an RSA key of 16\d+ bits/],
    [{ ...rsa.jwk, e: 'AQ' }, /exponent 1: expected|cannot be read/],
    [{ ...ec.jwk, x: 'AAAA' }, /holds a key that cannot be read/],
    [{ keys: [] }, /holds no key/],
    [{ keys: Array.from({ length: 33 }, () => ec.jwk) }, /holds more than 32 keys/],
    [{ keys: 'all' }, /is no JWKS: it has no list of keys/],
    [[ec.jwk], /is no JWKS: it has no list of keys/],
    [{ keys: [7] }, /holds what is no key/],
    ['{"keys":[],"keys":[]}', /is no JWKS: a member is named twice/],
    ['-----BEGIN PUBLIC KEY-----', /is no JWKS: not JSON/],
  ];
  for (const [value, expected] of cases) {
    assert.throws(
      () => read(value),
      (error: Error) => {
        assert.match(error.message, expected);
        return error.name === 'UnusableKeySet';
      },
    );
  }
});

test('a key signs by the algorithms of its type, or by the one that its set names', () => {
  const [one] = read(rsa.jwk);
  const [named] = read({ ...rsa.jwk, alg: 'PS256' });
  const [curve] = read(keySet(ec));
  assert.ok(one && named && curve);
  assert.deepEqual(
    (['RS256', 'PS512', 'ES256', 'EdDSA'] as const).map((algorithm) => [
      signsBy(one, algorithm),
      signsBy(named, algorithm),
      signsBy(curve, algorithm),
    ]),
    [
      [true, false, false],
      [true, false, false],
      [false, false, true],
      [false, false, false],
    ],
  );
  assert.ok(signsBy(named, 'PS256'));
});
