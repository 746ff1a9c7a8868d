// Owns signing keys: making, sealing and opening private keys, and publishing public keys.

import { createPrivateKey, type KeyObject } from 'node:crypto';

import {
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';

import type { Instant } from '../lib/clock.ts';
import { seal, unseal } from '../lib/seal.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { SigningAlgorithm, SigningKeyRecord, SigningKind } from '../oauth/signing_key.ts';
import type { Keyring } from './keyring.ts';

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: KeyObject;
}

export async function newSigningKey(
  programme: ProgrammeId,
  algorithm: SigningAlgorithm,
  keyring: Keyring,
  now: Instant,
  kind: SigningKind = 'signing_key',
): Promise<SigningKeyRecord> {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey));
  const kid = await calculateJwkThumbprint(publicJwk);
  return {
    programme,
    kid,
    algorithm,
    publicJwk: JSON.stringify(publicJwk),
    sealedPrivateJwk: seal(keyring.signingKeySeal, privateJwk, sealContext(kind, programme, kid)),
    createdAt: now,
  };
}

/** Throws if the key was sealed under another master key, or for another use. */
export function openSigningKey(
  record: SigningKeyRecord,
  keyring: Keyring,
  kind: SigningKind = 'signing_key',
): SigningKey {
  const { programme, kid, algorithm, sealedPrivateJwk } = record;
  const text = unseal(keyring.signingKeySeal, sealedPrivateJwk, sealContext(kind, programme, kid));
  if (text === undefined) {
    throw new Error(`the signing key ${kid} of ${programme} was sealed under another master key`);
  }
  const key = JSON.parse(text) as JWK & { kty: string };
  return { kid, algorithm, privateKey: createPrivateKey({ key, format: 'jwk' }) };
}

export interface VerifyingKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly publicKey: CryptoKey;
}

/** Opens the public half of a stored key; needs no master key. */
export async function openVerifyingKey({
  kid,
  algorithm,
  publicJwk,
}: SigningKeyRecord): Promise<VerifyingKey> {
  const publicKey = await importJWK(JSON.parse(publicJwk) as JWK, algorithm);
  if (publicKey instanceof Uint8Array) throw new TypeError('a verifying key must be asymmetric');
  return { kid, algorithm, publicKey };
}

/** Whether a stored key was sealed under the keyring's master key. */
export function isSealedUnder(record: SigningKeyRecord, keyring: Keyring): boolean {
  const context = sealContext('signing_key', record.programme, record.kid);
  return unseal(keyring.signingKeySeal, record.sealedPrivateJwk, context) !== undefined;
}

/** Binds a sealed key to its row, so that rows cannot be swapped, and to its use. */
function sealContext(kind: SigningKind, programme: ProgrammeId, kid: string): string {
  return kind === 'signing_key' ? `${programme} ${kid}` : `${kind} ${programme} ${kid}`;
}

/** Seconds for which a verifier may cache the key set; a new key waits longer before it signs. */
export const keySetMaxAge = 300;

/** The public members of a JWK (RFC 7518 6.2.1, 6.3.1, RFC 8037 2). */
const publicMembers = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;

/** The public half of a key as JSON, as it stands in the key set (RFC 7517, HOSTILE 37). */
export function renderJwk({ publicJwk, kid, algorithm }: SigningKeyRecord): string {
  const jwk = JSON.parse(publicJwk) as JWK;
  const members = publicMembers
    .filter((name) => jwk[name] !== undefined)
    .map((name) => [name, jwk[name]] as const);
  return JSON.stringify({ ...Object.fromEntries(members), kid, alg: algorithm, use: 'sig' });
}

/** The key set as JSON, of keys as `renderJwk` writes them. */
export function renderKeySet(jwks: readonly string[]): string {
  return `{"keys":[${jwks.join(',')}]}`;
}
