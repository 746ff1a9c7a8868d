// Tests of signing secrets as the store keeps them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { instant } from '../../src/lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import {
  decoySigningSecret,
  openSigningSecret,
  sealSigningSecret,
} from '../../src/token/signing_secrets.ts';

const [keyring, another] = [7, 8].map((byte) => createKeyring(new Uint8Array(32).fill(byte)));
assert.ok(keyring && another);
const owner = { programme: 'club' as ProgrammeId, id: 'partner-1' as ClientId };
const kept = sealSigningSecret(keyring, owner, 'a-secret: é', instant(7));

test('HOSTILE 53: a signing secret is kept sealed, and opens for its client under its master key alone', () => {
  assert.equal(openSigningSecret(keyring, owner, kept), 'a-secret: é');
  assert.ok(!JSON.stringify(kept).includes('a-secret'));
  assert.notEqual(sealSigningSecret(keyring, owner, 'a-secret: é', instant(7)).sealed, kept.sealed);
  const message = /^a signing secret of [^]+ was sealed under another master key$/;
  const others = [
    { ...owner, id: 'partner-2' as ClientId },
    { ...owner, programme: 'other' as ProgrammeId },
    { programme: 'club\npartner' as ProgrammeId, id: '-1' as ClientId },
  ];
  for (const one of others) assert.throws(() => openSigningSecret(keyring, one, kept), { message });
  assert.throws(() => openSigningSecret(another, owner, kept), { message });
  const { sealed } = kept;
  const wrong = [sealed.slice(1), `${sealed}A`, '', 'A'.repeat(95)];
  for (const one of wrong) {
    assert.throws(() => openSigningSecret(keyring, owner, { sealed: one }), { message });
  }
});

test('the digest is that of the secret, by which a second one of the same text is known', () => {
  assert.equal(kept.digest, keyring.secretDigest('a-secret: é'));
  assert.equal(kept.createdAt, 7);
});

test('a decoy is no secret of anybody', () => {
  assert.equal(decoySigningSecret(keyring), decoySigningSecret(another));
});
