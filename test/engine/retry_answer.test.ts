// Owns tests of the answer that a retried refresh gets again, derived or sealed.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keepAnswer, readKeptAnswer, successorOf } from '../../src/engine/retry_answer.ts';
import { instant } from '../../src/lib/clock.ts';
import { present } from '../../src/lib/present.ts';
import { deriveKey, seal } from '../../src/lib/seal.ts';
import { newToken, tokenKey } from '../../src/oauth/token_key.ts';
import type { TokenSet } from '../../src/oauth/token_set.ts';
import { aFamily } from '../store/fixtures.ts';

const now = instant(1_800_000_000_000);
const presented = newToken(now);
const successor = successorOf(presented, now);
const { subject } = aFamily().member;
const known = { level: 'AUTHN-LEVEL-12', membershipNumber: '1234567890123456' };

const bare: TokenSet = {
  grant: 'refresh_token',
  kind: 'member',
  subject,
  accessToken: successor.accessToken,
  tokenId: '12345',
  issuedAt: now,
  accessExpiresAt: instant(now + 1000),
  refreshToken: successor.refreshToken,
};
const whole = { ...bare, refreshExpiresAt: instant(now + 2000), scope: 'read write', ...known };

const answers = {
  bare: { tokens: bare, family: aFamily({ member: { subject } }) },
  whole: { tokens: whole, family: aFamily({ member: { subject, ...known } }) },
};

for (const [name, { tokens, family }] of Object.entries(answers)) {
  for (const [form, kept] of Object.entries({
    derived: keepAnswer(presented, tokens, successor),
    sealed: keepAnswer(presented, tokens),
  })) {
    test(`DESIGN: a retry has the same answer, of which no token is kept (${name}, ${form})`, () => {
      assert.deepEqual(present(readKeptAnswer(presented, kept, family)), tokens);
      const texts = [kept, Buffer.from(kept, 'base64url').toString('latin1')];
      const ends = [tokens.accessToken, tokens.refreshToken ?? ''].map((token) =>
        token.slice(12, 24),
      );
      for (const secret of [...ends, subject]) {
        assert.ok(texts.every((text) => !text.includes(secret)));
      }
    });
  }
}

test('a sealed answer opens with no other token, nor one that was sealed for another use', () => {
  const { family } = answers.bare;
  const damaged = [
    ['another', keepAnswer(presented, bare)],
    [presented, seal(deriveKey(presented, 'another use'), JSON.stringify(bare))],
    [presented, 'sealed'],
    [presented, keepAnswer(presented, bare, successor).slice(0, 30)],
  ] as const;
  for (const [token, kept] of damaged) {
    assert.throws(() => readKeptAnswer(token, kept, family), /is damaged/);
  }
  const derived = keepAnswer(presented, bare, successor);
  const told = readKeptAnswer(newToken(now), derived, family);
  assert.notEqual(told.accessToken, bare.accessToken, 'another token derives other tokens');
});

test('G-23: successors have the usual form, and differ by presented token, nonce and kind', () => {
  const other = newToken(now);
  const all = [
    successor,
    successorOf(presented, now),
    successorOf(other, now, successor.nonce),
    successorOf(other, now),
  ].flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]);
  assert.equal(new Set(all.map((token) => token.slice(12))).size, all.length);
  for (const token of all) {
    assert.match(token, /^[0-9a-f]{11}\.[\w-]{43}$/);
    assert.equal(tokenKey(token).slice(0, 12), tokenKey(presented).slice(0, 12), 'by its time');
  }
});
