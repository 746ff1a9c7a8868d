// Tests of the keys derived from the master key.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';

import { createKeyring } from '../../src/token/keyring.ts';

test('a master key has 32 bytes', () => {
  for (const length of [0, 16, 31, 33, 64]) {
    assert.throws(() => createKeyring(new Uint8Array(length)), {
      name: 'RangeError',
      message: `a master key has 32 bytes, this one ${length}`,
    });
  }
});

test('each purpose and each master key has keys of its own, the same after a restart', () => {
  const masterKey = randomBytes(32);
  const hexOf = (key: Uint8Array): string => Buffer.from(key).toString('hex');
  const keysOf = (from: Uint8Array): string[] => {
    const { secretDigest, accountDigest, ownerDigest, keyCheck, ...keys } = createKeyring(from);
    const named = [secretDigest, accountDigest, ownerDigest].map((digest) => digest('secret'));
    const digests = [...named, keyCheck];
    const bytes = digests.map((digest) => Buffer.from(digest, 'base64url'));
    return [...Object.values(keys), ...bytes].map(hexOf);
  };
  const keys = keysOf(masterKey);
  assert.deepEqual(keysOf(masterKey), keys);
  assert.equal(new Set([...keys, ...keysOf(randomBytes(32)), hexOf(masterKey)]).size, 25);
});

test('HOSTILE 53: the store does not show which accounts were locked', () => {
  const [one, other] = [7, 8].map((byte) => createKeyring(new Uint8Array(32).fill(byte)));
  assert.match(one?.accountDigest('ann') ?? '', /^[\w-]{43}$/);
  assert.notEqual(one?.accountDigest('ann'), other?.accountDigest('ann'));
  assert.notEqual(one?.accountDigest('ann'), one?.secretDigest('ann'));
});

test('a secret’s digest is that of the secret as it is, and tells nothing without the key', () => {
  const { secretDigest } = createKeyring(new Uint8Array(32).fill(7));
  assert.match(secretDigest('secret'), /^[\w-]{43}$/);
  const digests = ['secret', 'Secret', 'secret ', '', 'sécret', 'se\u0301cret'].map(secretDigest);
  assert.equal(new Set(digests).size, 6);
});
