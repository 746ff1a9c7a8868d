// Tests of signing keys: made, sealed, opened by their own master key alone, published in half.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { calculateJwkThumbprint, compactVerify, CompactSign, importJWK, type JWK } from 'jose';

import type { ProgrammeId } from '../../src/oauth/client.ts';
import { signingAlgorithms, type SigningKeyRecord } from '../../src/oauth/signing_key.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import {
  newSigningKey,
  openSigningKey,
  renderJwk,
  renderKeySet,
} from '../../src/token/signing_keys.ts';
import { at, club, otherClub } from '../store/fixtures.ts';

const keyring = createKeyring(new Uint8Array(32).fill(7));
const otherKeyring = createKeyring(new Uint8Array(32).fill(8));

/** Members of a JWK that nobody but its owner may see (RFC 7518 6.2.2, 6.3.2, 6.4; RFC 8037). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const keys = new Map(
  await Promise.all(
    signingAlgorithms.map(
      async (algorithm) =>
        [algorithm, await newSigningKey(club, algorithm, keyring, at(0))] as const,
    ),
  ),
);

for (const [algorithm, record] of keys) {
  describe(`signing key ${algorithm}`, () => {
    test('is named by the thumbprint of its public half', async () => {
      assert.equal(record.kid, await calculateJwkThumbprint(JSON.parse(record.publicJwk) as JWK));
      assert.deepEqual(
        [record.programme, record.algorithm, record.createdAt],
        [club, algorithm, at(0)],
      );
    });

    test('signs, once opened, what its published half verifies', async () => {
      const { kid, privateKey } = openSigningKey(record, keyring);
      assert.equal(kid, record.kid);
      const signed = await new CompactSign(Buffer.from('text'))
        .setProtectedHeader({ alg: algorithm })
        .sign(privateKey);
      const { keys: published } = JSON.parse(renderKeySet([renderJwk(record)])) as {
        readonly keys: readonly JWK[];
      };
      assert.ok(published[0]);
      const { payload } = await compactVerify(signed, await importJWK(published[0], algorithm));
      assert.equal(Buffer.from(payload).toString(), 'text');
    });

    test('HOSTILE 37: keeps its private half sealed, and publishes none of it', async () => {
      for (const text of [record.publicJwk, renderKeySet([renderJwk(record)])]) {
        for (const name of privateMembers) assert.ok(!text.includes(`"${name}"`), name);
      }
      assert.match(record.sealedPrivateJwk, /^[\w-]+$/);
      assert.ok(!Buffer.from(record.sealedPrivateJwk, 'base64url').includes('"kty"'));
    });

    test('is opened by nothing but its own master key, at its own place', async () => {
      const refusal = /was sealed under another master key/;
      assert.throws(() => openSigningKey(record, otherKeyring), refusal);
      const sealed = record.sealedPrivateJwk;
      const flipped = (sealed[20] === 'A' ? 'B' : 'A') + sealed.slice(21);
      const moved: ReadonlyMap<string, Partial<SigningKeyRecord>> = new Map([
        ['tampered', { sealedPrivateJwk: sealed.slice(0, 20) + flipped }],
        ['cut', { sealedPrivateJwk: sealed.slice(0, -4) }],
        ['empty', { sealedPrivateJwk: '' }],
        ['of another programme', { programme: otherClub }],
        ['of another key', { kid: 'another' }],
      ]);
      for (const [name, change] of moved) {
        assert.throws(() => openSigningKey({ ...record, ...change }, keyring), refusal, name);
      }
      const swapped = { ...record, sealedPrivateJwk: swapFor(record).sealedPrivateJwk };
      assert.throws(() => openSigningKey(swapped, keyring), refusal);
    });
  });
}

/** Another key of the same programme and master key. */
function swapFor(record: SigningKeyRecord): SigningKeyRecord {
  const other = [...keys.values()].find(({ kid }) => kid !== record.kid);
  assert.ok(other);
  return other;
}

describe('key set', () => {
  test('publishes each key with kid, algorithm and use, in their order', () => {
    const records = [...keys.values()];
    const { keys: published } = JSON.parse(renderKeySet(records.map(renderJwk))) as {
      readonly keys: readonly Readonly<Record<string, string>>[];
    };
    assert.deepEqual(
      published.map(({ kid, alg, use }) => [kid, alg, use]),
      records.map(({ kid, algorithm }) => [kid, algorithm, 'sig']),
    );
    assert.deepEqual(
      published.map((key) => Object.keys(key)),
      [
        ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use'],
        ['kty', 'crv', 'x', 'kid', 'alg', 'use'],
        ['kty', 'n', 'e', 'kid', 'alg', 'use'],
      ],
    );
    assert.equal(renderKeySet([]), '{"keys":[]}');
  });

  test('HOSTILE 37: leaves out whatever else a record’s key holds', () => {
    const record = keys.get('ES256');
    assert.ok(record);
    const more = Object.fromEntries(privateMembers.map((name) => [name, 'secret']));
    const publicJwk = JSON.stringify({ ...JSON.parse(record.publicJwk), ...more, x5u: 'secret' });
    assert.equal(
      renderKeySet([renderJwk({ ...record, publicJwk })]),
      renderKeySet([renderJwk(record)]),
    );
  });

  test('two keys are never the same', async () => {
    const again = await newSigningKey('x' as ProgrammeId, 'ES256', keyring, at(0));
    assert.notEqual(again.kid, keys.get('ES256')?.kid);
    assert.notEqual(again.publicJwk, keys.get('ES256')?.publicJwk);
  });
});
