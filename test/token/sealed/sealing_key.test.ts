// Tests of token keys: derived for one environment, programme and use, and a key stream that is
// AES-256-CTR.

import assert from 'node:assert/strict';
import { createCipheriv, createHmac, hkdfSync } from 'node:crypto';
import { test } from 'node:test';

import type { ProgrammeId } from '../../../src/oauth/client.ts';
import { longestPlaintext } from '../../../src/token/sealed/access_plaintext.ts';
import { openSealingKey } from '../../../src/token/sealed/sealing_key.ts';
import { fc } from '../../support/property.ts';

const club = 'club' as ProgrammeId;
const secret = new Uint8Array(32).fill(7);
const key = openSealingKey(5, secret, 'staging', club);

function derived(use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `jetway token 1 ${use} staging club`, 32));
}

function counterMode(counter: Uint8Array, length: number): Buffer {
  return createCipheriv('aes-256-ctr', derived('stream'), counter).update(Buffer.alloc(length));
}

function streamOf(counter: Uint8Array, length: number): Buffer {
  return Buffer.from(key.stream(counter, length).subarray(0, length));
}

test('the tag covers letter, number and plaintext', () => {
  key.plaintext.write('plain, and more');
  const expected = createHmac('sha256', derived('mac')).update('m\u0005plain').digest('latin1');
  assert.equal(key.tag('m', 5), expected);
});

test('the HMAC of a successor covers a word, the nonce and the presented token', () => {
  const [nonce, presented] = ['\0\u0001\u0080\u00FFabcdefgh', `r${'x'.repeat(60)}`];
  const message = Buffer.from(`successor${nonce}${presented}`, 'latin1');
  const expected = createHmac('sha256', derived('next')).update(message).digest('base64url');
  assert.equal(key.next(nonce, presented), expected);
});

test('another number alone gives the same keys, another environment or programme others', () => {
  const stream = (one: typeof key): string =>
    Buffer.from(one.stream(new Uint8Array(16), 16)).toString('hex');
  const others = [
    openSealingKey(6, secret, 'staging', club),
    openSealingKey(5, secret, 'live', club),
    openSealingKey(5, secret, 'staging', 'club2' as ProgrammeId),
    openSealingKey(5, new Uint8Array(32).fill(8), 'staging', club),
  ];
  const [sameSecret, ...apart] = others.map(stream);
  assert.equal(sameSecret, stream(key));
  assert.equal(new Set([stream(key), ...apart]).size, 4);
});

const planted = [
  'ff'.repeat(16),
  `0123456789abcdef${'ff'.repeat(8)}`,
  `0123456789abcdef01234567${'ff'.repeat(4)}`,
  `${'ff'.repeat(15)}fe`,
  `00${'ff'.repeat(15)}`,
  `${'ff'.repeat(15)}f5`,
  '00'.repeat(16),
];

for (const hex of planted) {
  test(`from ${hex} on the key stream is that of aes-256-ctr, for every length to 200`, () => {
    const counter = Buffer.from(hex, 'hex');
    for (let length = 0; length <= 200; length += 1) {
      assert.deepEqual(streamOf(counter, length), counterMode(counter, length));
    }
  });
}

test('the key stream is that of aes-256-ctr from any counter, also for the longest plaintext', () => {
  const counters = fc.uint8Array({ minLength: 16, maxLength: 16 });
  const lengths = fc.oneof(
    fc.nat(200),
    fc.constantFrom(111, 112, 113, longestPlaintext - 1, longestPlaintext),
  );
  fc.assert(
    fc.property(counters, lengths, (counter, length) => {
      assert.deepEqual(streamOf(counter, length), counterMode(counter, length));
    }),
    { numRuns: 500 },
  );
});
