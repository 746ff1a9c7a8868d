// Tests of Proof Key for Code Exchange (RFC 7636; HOSTILE 28).

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';

import { provesChallenge } from '../../src/oauth/pkce.ts';
import { fc } from '../support/property.ts';

// RFC 7636, appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const unreserved = 'abcxyzABCXYZ0189-._~';

test('the example of the RFC is proved by its verifier', () => {
  assert.equal(provesChallenge(challenge, verifier), true);
});

test('any verifier of the RFC’s form proves its own digest and no other', () => {
  const form = fc.string({
    unit: fc.constantFrom(...Array.from(unreserved)),
    minLength: 43,
    maxLength: 128,
  });
  fc.assert(
    fc.property(form, form, (one, other) => {
      const made = hash('sha256', one, 'base64url');
      assert.equal(provesChallenge(made, one), true);
      assert.equal(provesChallenge(made, other), one === other);
    }),
  );
});

test('challenge and verifier come together or not at all', () => {
  assert.equal(provesChallenge(undefined, undefined), true);
  assert.equal(provesChallenge(challenge, undefined), false);
  assert.equal(provesChallenge(undefined, verifier), false);
});

test('plain is no proof, nor is a verifier of another form', () => {
  assert.equal(provesChallenge(challenge, challenge), false);
  assert.equal(provesChallenge(verifier, verifier), false);
  for (const bad of [
    '',
    'a'.repeat(42),
    'a'.repeat(129),
    `${'a'.repeat(43)}=`,
    `${'a'.repeat(43)}é`,
  ]) {
    assert.equal(provesChallenge(hash('sha256', bad, 'base64url'), bad), false, bad);
  }
});
