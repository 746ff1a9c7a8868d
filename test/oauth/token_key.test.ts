// Tests of opaque tokens and the keys they are stored under.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';

import { instant } from '../../src/lib/clock.ts';
import { newToken, tokenKey } from '../../src/oauth/token_key.ts';

const now = instant(Date.parse('2026-01-02T03:04:05.999Z'));

test('a token is its millisecond of issue in hex, a dot and 256 random bits', () => {
  const token = newToken(now);
  assert.match(token, /^19b7ca9906f\.[\w-]{43}$/);
  assert.equal(Buffer.from(token.slice(12), 'base64url').length, 32);
  const many = new Set(Array.from({ length: 1000 }, () => newToken(now)));
  assert.equal(many.size, 1000);
});

test('the key keeps the time and a digest, so that the store reveals no token', () => {
  const token = newToken(now);
  assert.equal(tokenKey(token), `19b7ca9906f.${hash('sha256', token, 'base64url')}`);
  assert.ok(!tokenKey(token).includes(token.slice(12)));
});

test('a text of another form is stored under its digest alone', () => {
  const token = newToken(now);
  const others = [
    '',
    'x',
    'a'.repeat(64),
    `${token}x`,
    token.toUpperCase(),
    ` ${token}`,
    `x${token}`,
  ];
  for (const text of others) assert.equal(tokenKey(text), hash('sha256', text, 'base64url'));
});

test('tokens sort by their time of issue', () => {
  const later = instant(now + 1);
  assert.ok(tokenKey(newToken(now)) < tokenKey(newToken(later)));
  // Eleven digits last until 2527 and stay in order.
  assert.match(newToken(instant(0)), /^00000000000\./);
});
