// Tests of random text: even, of the right length, never the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { derivedText, randomKey, randomText } from '../../src/lib/random.ts';

const alphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

test('a text has its length and the letters of its alphabet', () => {
  for (const length of [0, 1, 5, 64, 1000]) {
    assert.match(randomText('ab', length), new RegExp(`^[ab]{${length}}$`));
    assert.equal(randomText(alphanumeric, length).length, length);
  }
});

test('no letter is favoured', () => {
  // Of sizes that do not divide 256 a plain remainder would favour the first letters by a quarter
  // and more; six standard deviations pass by chance once in millions of runs.
  for (const alphabet of ['abc', '0123456789', alphanumeric]) {
    const draws = alphabet.length * 2000;
    const counts = new Map<string, number>();
    for (const letter of randomText(alphabet, draws)) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    assert.equal(counts.size, alphabet.length);
    const share = 1 / alphabet.length;
    const deviation = Math.sqrt(draws * share * (1 - share));
    for (const [letter, count] of counts) {
      assert.ok(Math.abs(count - 2000) < 6 * deviation, `${letter} came ${count} times`);
    }
  }
});

test('an alphabet of 256 letters is used to its end', () => {
  const alphabet = Array.from({ length: 256 }, (_, code) => String.fromCharCode(0x100 + code));
  const seen = new Set(randomText(alphabet.join(''), 20_000));
  assert.equal(seen.size, 256);
});

test('nothing comes twice', () => {
  const texts = Array.from({ length: 1000 }, () => randomText('0123456789abcdef', 64));
  const keys = Array.from({ length: 1000 }, () => randomKey(16));
  assert.equal(new Set([...texts, ...keys]).size, 2000);
});

test('a key has its bytes in base64url', () => {
  for (const bytes of [1, 16, 24, 32]) {
    const key = randomKey(bytes);
    assert.match(key, /^[\w-]+$/);
    assert.equal(Buffer.from(key, 'base64url').length, bytes);
  }
});

test('text that follows from a seed is the same for it, drawn evenly, and another for another seed', () => {
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  assert.equal(derivedText(alphabet, 40, 'seed'), derivedText(alphabet, 40, 'seed'));
  assert.equal(derivedText(alphabet, 300, 'seed').slice(0, 40), derivedText(alphabet, 40, 'seed'));
  const texts = Array.from({ length: 1000 }, (_, index) => derivedText(alphabet, 62, `${index}`));
  assert.equal(new Set(texts).size, texts.length);
  const counts = Array.from(alphabet, (letter) => texts.join('').split(letter).length - 1);
  // 1000 expected of each; ten standard deviations.
  for (const count of counts) assert.ok(Math.abs(count - 1000) < 320, `${count}`);
});
