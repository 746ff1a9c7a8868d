// Tests of digests, against published examples.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  type Digest,
  digest,
  keyedDigest,
  keyedDigester,
  sameDigest,
} from '../../src/lib/digest.ts';

function base64url(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}

test('a digest is SHA-256 (FIPS 180-4, "abc")', () => {
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  assert.equal(digest('abc'), base64url(abc));
  assert.equal(digest('é'), digest('\u00e9'));
  assert.notEqual(digest('é'), digest('e\u0301'));
});

test('a keyed digest is HMAC-SHA256 (RFC 4231, cases 1 and 2)', () => {
  const first = 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7';
  assert.equal(keyedDigest(Buffer.alloc(20, 0x0b), 'Hi There'), base64url(first));
  const second = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  const asked = 'what do ya want for nothing?';
  assert.equal(keyedDigest(Buffer.from('Jefe'), asked), base64url(second));
});

test('a prepared keyed digest is the same, whatever the text before it was', () => {
  const texts = ['', 'a', 'Hi There', 'é€😀', '\ud800', 'x'.repeat(341), '€'.repeat(341)];
  const longer = ['x'.repeat(342), 'x'.repeat(5000), 'short again'];
  for (const size of [0, 1, 20, 32, 64]) {
    const key = Buffer.alloc(size, 0xb7);
    const prepared = keyedDigester(key);
    for (const text of [...texts, ...longer, ...texts.toReversed()]) {
      assert.equal(prepared(text), keyedDigest(key, text), `${size}: ${text.slice(0, 20)}`);
    }
  }
  assert.throws(() => keyedDigester(Buffer.alloc(65)), RangeError);
});

test('two digests are the same only when all of them is', () => {
  const one = digest('a');
  assert.equal(sameDigest(one, digest('a')), true);
  assert.equal(sameDigest(one, digest('b')), false);
  for (const at of [0, 21, one.length - 1]) {
    const changed = one.slice(0, at) + (one[at] === 'A' ? 'B' : 'A') + one.slice(at + 1);
    assert.equal(sameDigest(one, changed as Digest), false);
  }
  assert.equal(sameDigest(one, one.slice(0, -1) as Digest), false);
  assert.equal(sameDigest(one, `${one}A` as Digest), false);
  assert.equal(sameDigest('A', '\u0141'), false);
  assert.equal(sameDigest('', one), false);
  assert.equal(sameDigest(`${one.slice(0, -1)}é` as Digest, one), false);
});
