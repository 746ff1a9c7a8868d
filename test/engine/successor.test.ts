// Owns tests of the tokens that follow from a refresh token, and of the answer that is told again with them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answerAgain, successorOf, wordAnswer } from '../../src/engine/successor.ts';
import { instant } from '../../src/lib/clock.ts';
import { newToken, tokenKey } from '../../src/oauth/token_key.ts';
import type { TokenSet } from '../../src/oauth/token_set.ts';
import { aFamily } from '../store/fixtures.ts';

const now = instant(1_800_000_000_000);
const presented = newToken(now);
const family = aFamily({
  member: { ...aFamily().member, level: 'AUTHN-LEVEL-12', membershipNumber: '1234567890123456' },
});

/** An answer as the issuer makes it, of a member about whom everything is known or nothing. */
function answerWith(nonce: string, facts: Partial<TokenSet>): TokenSet {
  const { accessToken, refreshToken } = successorOf(presented, now, nonce);
  return {
    grant: 'refresh_token',
    kind: 'member',
    subject: family.member.subject,
    tokenId: '12345',
    issuedAt: now,
    accessExpiresAt: instant(now + 1000),
    refreshExpiresAt: instant(now + 2000),
    ...facts,
    accessToken,
    refreshToken,
  };
}

const { nonce } = successorOf(presented, now);
const { level, membershipNumber } = family.member;
const answers = {
  bare: {
    family: aFamily({ member: { subject: family.member.subject } }),
    tokens: answerWith(nonce, {}),
  },
  whole: {
    family,
    tokens: answerWith(nonce, { scope: 'read write', level, membershipNumber } as TokenSet),
  },
};

for (const [name, { family: login, tokens }] of Object.entries(answers)) {
  test(`DESIGN: a retry has the same answer, of which no token is kept (${name})`, () => {
    const words = wordAnswer(nonce, tokens);
    assert.deepEqual(answerAgain(presented, words, login), tokens);
    for (const token of [tokens.accessToken, tokens.refreshToken ?? '']) {
      assert.ok(!words.includes(token.slice(12, 24)));
    }
  });
}

test('G-23: what follows is a token of the usual form, another for each token, nonce and kind', () => {
  const other = newToken(now);
  const all = [
    successorOf(presented, now),
    successorOf(presented, now),
    successorOf(presented, now, nonce),
    successorOf(other, now, nonce),
  ].flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]);
  const ends = all.map((token) => token.slice(12));
  assert.equal(new Set(ends).size, all.length);
  for (const token of all) {
    assert.match(token, /^[0-9a-f]{11}\.[\w-]{43}$/);
    assert.equal(tokenKey(token).slice(0, 12), tokenKey(presented).slice(0, 12), 'by its time');
  }
});

test('the answer of another token, or one that is damaged, is never told', () => {
  const words = wordAnswer(nonce, answers.bare.tokens);
  const told = answerAgain(newToken(now), words, family);
  assert.notEqual(told?.accessToken, answers.bare.tokens.accessToken);
  assert.throws(() => answerAgain(presented, words.slice(0, 30), family), /is damaged/);
  assert.equal(answerAgain(presented, 'sealed', family), undefined);
});
