// Owns keys of clients as the library wants them: made once, and remembered by thumbprint.

import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

import { BoundedMap } from '../../lib/bounded_map.ts';
import type { Digest } from '../../lib/digest.ts';
import type { AssertionAlgorithm, ClientKey } from '../../oauth/client_certificate.ts';

/** More than the clients of a service have. */
const rememberedKeys = 4096;

const objects = new BoundedMap<Digest, KeyObject>(rememberedKeys);

export function keyObject({ thumbprint, jwk }: ClientKey): KeyObject {
  const known = objects.get(thumbprint);
  if (known !== undefined) return known;
  const made = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  objects.set(thumbprint, made);
  return made;
}

const decoys = new Map<AssertionAlgorithm, KeyObject>();

/** A key that has signed nothing, for signatures that are looked at for their time alone. */
export function decoyKey(algorithm: AssertionAlgorithm): KeyObject {
  const known = decoys.get(algorithm) ?? makeDecoy(algorithm);
  decoys.set(algorithm, known);
  return known;
}

const curves: ReadonlyMap<AssertionAlgorithm, string> = new Map([
  ['ES256', 'P-256'],
  ['ES384', 'P-384'],
  ['ES512', 'P-521'],
]);

function makeDecoy(algorithm: AssertionAlgorithm): KeyObject {
  const namedCurve = curves.get(algorithm);
  if (namedCurve !== undefined) return generateKeyPairSync('ec', { namedCurve }).publicKey;
  if (algorithm.startsWith('Ed')) return generateKeyPairSync('ed25519').publicKey;
  // To look for the primes of an RSA key takes a second at worst. Any odd number of the size will do.
  const modulus = randomBytes(256);
  modulus[0] = 0xff;
  modulus[255] = (modulus[255] ?? 0) | 1;
  const key = { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' };
  return createPublicKey({ key, format: 'jwk' });
}
