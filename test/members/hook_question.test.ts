// Owns the promises of the signature on questions to a hook; the values are those of
// docs/member-directory.md, so that an airline can try its own code on them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { instant } from '../../src/lib/clock.ts';
import { signatureHeaders } from '../../src/members/hook.ts';

const secret = '0123456789abcdef0123456789abcdef';
const body = '{"v":1}';
const now = instant(Date.parse('2026-01-02T03:04:05.999Z'));

test('the signature is HMAC-SHA256 over timestamp, dot and body, and docs tell the same', () => {
  const signed = signatureHeaders([secret], body, now);
  assert.deepEqual(signed, {
    'Jetway-Timestamp': '1767323045',
    'Jetway-Signature': 'v1=2df8b9aa7374b2b0cd84738d28f76749d32382280dd739dd0b6a3085a30efa7f',
  });
  const page = readFileSync(join(import.meta.dirname, '../../docs/member-directory.md'), 'utf8');
  for (const value of [secret, body, ...Object.values(signed)]) assert.ok(page.includes(value));
});

test('two live secrets make two signatures, each the one it would make alone', () => {
  const [one = '', other = ''] = [[secret], [`${secret}x`]].map(
    (secrets) => signatureHeaders(secrets, body, now)['Jetway-Signature'],
  );
  assert.notEqual(one, other);
  assert.equal(
    signatureHeaders([secret, `${secret}x`], body, now)['Jetway-Signature'],
    `${one},${other}`,
  );
});

test('without a secret there is no signature', () => {
  assert.deepEqual(signatureHeaders([], body, now), {});
});
