// Owns tests of the answer that a retried refresh has again.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openAnswer, sealAnswer } from '../../src/engine/sealed_answer.ts';
import { instant } from '../../src/lib/clock.ts';
import { deriveKey, seal } from '../../src/lib/seal.ts';
import type { TokenSet } from '../../src/oauth/token_set.ts';

const bare: TokenSet = {
  grant: 'refresh_token',
  kind: 'member',
  subject: 'subject-1',
  accessToken: 'access',
  tokenId: '12345',
  issuedAt: instant(1),
  accessExpiresAt: instant(2),
};

const whole: TokenSet = {
  ...bare,
  refreshToken: 'refresh',
  refreshExpiresAt: instant(3),
  scope: 'AUTHN-LEVEL-12',
  level: 'AUTHN-LEVEL-12',
  membershipNumber: '1234567890123456',
};

for (const [name, tokens] of Object.entries({ bare, whole })) {
  test(`DESIGN: a retry has the same answer (${name})`, () => {
    const sealed = sealAnswer('presented', tokens);
    assert.deepEqual(openAnswer('presented', sealed), tokens);
    assert.doesNotMatch(Buffer.from(sealed, 'base64url').toString('latin1'), /access|subject/);
    assert.throws(() => openAnswer('another', sealed), /is damaged/);
    const other = seal(deriveKey('presented', 'another use'), JSON.stringify(tokens));
    assert.throws(() => openAnswer('presented', other), /is damaged/);
  });
}
