// Tests of sealing: what was sealed comes back to who has key and context, and to nobody else.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';

import { deriveKey, seal, unseal } from '../../src/lib/seal.ts';
import { anyText, fc } from '../support/property.ts';

const key = deriveKey('secret', 'purpose');
const otherKey = deriveKey('secret', 'another purpose');

const text = anyText();

describe('seal', () => {
  test('any text comes back under its key and context', () => {
    fc.assert(
      fc.property(text, text, (plain, context) => {
        const sealed = seal(key, plain, context);
        assert.match(sealed, /^[\w-]+$/);
        assert.equal(unseal(key, sealed, context), plain);
      }),
    );
  });

  test('another key or context opens nothing', () => {
    fc.assert(
      fc.property(text, text, text, (plain, context, other) => {
        const sealed = seal(key, plain, context);
        assert.equal(unseal(otherKey, sealed, context), undefined);
        if (other !== context) assert.equal(unseal(key, sealed, other), undefined);
      }),
    );
  });

  test('a change of any character opens nothing, nor does a second spelling of the same bytes', () => {
    // Every length modulo 3, for it decides on the spare bits of the last character.
    for (const plain of ['', 'a', 'ab', 'abc']) {
      const sealed = seal(key, plain);
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      for (let at = 0; at < sealed.length; at++) {
        for (const letter of alphabet) {
          if (letter === sealed[at]) continue;
          const changed = sealed.slice(0, at) + letter + sealed.slice(at + 1);
          assert.equal(unseal(key, changed), undefined, `${at} ${letter}`);
        }
      }
      assert.equal(unseal(key, sealed), plain);
    }
  });

  test('what is cut, lengthened or no base64url at all opens nothing', () => {
    const sealed = seal(key, 'a text');
    for (let length = 0; length < sealed.length; length++) {
      assert.equal(unseal(key, sealed.slice(0, length)), undefined, String(length));
    }
    for (const tail of ['A', '=', '\n', sealed]) {
      assert.equal(unseal(key, sealed + tail), undefined);
    }
    assert.equal(unseal(key, ` ${sealed}`), undefined);
    assert.equal(unseal(key, seal(key, 'x').replace(/./, '+')), undefined);
    assert.equal(unseal(key, randomBytes(64).toString('base64url')), undefined);
  });

  test('the same text is never sealed to the same', () => {
    const many = new Set(Array.from({ length: 1000 }, () => seal(key, 'x')));
    assert.equal(many.size, 1000);
  });

  test('the sealed text holds nothing of the plain one', () => {
    const plain = 'a secret that is long enough to be told'.repeat(3);
    const bytes = Buffer.from(seal(key, plain), 'base64url');
    for (let at = 0; at + 4 <= plain.length; at++) {
      assert.ok(!bytes.includes(plain.slice(at, at + 4)));
    }
  });
});

describe('deriveKey', () => {
  // HKDF-SHA256 without salt, as another implementation (Python's hmac and hashlib) computes it.
  test('is HKDF, so that a key can be found again anywhere', () => {
    const derived = Buffer.from(deriveKey('secret', 'purpose')).toString('hex');
    assert.equal(derived, 'eced7de97c6f9dd8c7c842b5a550832f39290b6fa8c17658b4eea5226819c4c0');
    assert.deepEqual(deriveKey(Buffer.from('secret'), 'purpose'), key);
  });

  test('gives each purpose and each secret its own 256 bits', () => {
    const keys = ['a', 'b'].flatMap((one) => ['x', 'y'].map((two) => deriveKey(one, two)));
    assert.deepEqual(new Set(keys.map(({ length }) => length)), new Set([32]));
    assert.equal(new Set(keys.map((one) => Buffer.from(one).toString('hex'))).size, 4);
  });
});
