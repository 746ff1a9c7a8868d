// Owns clients' keys and assertions for tests: sets as clients publish them, and JWTs signed by hand.

import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

import type { Service } from '../../src/engine/service.ts';
import type { Client } from '../../src/oauth/client.ts';
import type { AssertionAlgorithm, ClientKey } from '../../src/oauth/client_certificate.ts';
import type { AssertionUse } from '../../src/token/assertions/assertion.ts';
import { readKeySet } from '../../src/token/assertions/key_set.ts';

export interface TestKey {
  readonly algorithm: AssertionAlgorithm;
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** As a client publishes it. */
  readonly jwk: Readonly<Record<string, unknown>>;
}

const curves: Readonly<Partial<Record<AssertionAlgorithm, string>>> = {
  ES256: 'P-256',
  ES384: 'P-384',
  ES512: 'P-521',
};

/** RSA keys take long to make: all tests of a process have one. */
let rsa: KeyObject | undefined;

export function testKey(algorithm: AssertionAlgorithm = 'ES256', kid = 'key-1'): TestKey {
  const privateKey = makeKey(algorithm);
  const {
    d: _d,
    p: _p,
    q: _q,
    dp: _dp,
    dq: _dq,
    qi: _qi,
    ...jwk
  } = privateKey.export({ format: 'jwk' });
  return { algorithm, kid, privateKey, jwk: { ...jwk, kid, use: 'sig' } };
}

function makeKey(algorithm: AssertionAlgorithm): KeyObject {
  const namedCurve = curves[algorithm];
  if (namedCurve !== undefined) return generateKeyPairSync('ec', { namedCurve }).privateKey;
  if (algorithm.startsWith('Ed')) return generateKeyPairSync('ed25519').privateKey;
  rsa ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  return rsa;
}

/** The text of a key set. */
export function keySet(...keys: readonly Pick<TestKey, 'jwk'>[]): string {
  return JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
}

/** The keys as a client's record has them. */
export function registered(...keys: readonly TestKey[]): readonly ClientKey[] {
  return readKeySet(Buffer.from(keySet(...keys)));
}

/** A JWT with any header and claims, signed by the key's algorithm whatever the header says. */
export function signJwt(
  key: TestKey,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): string {
  return signText(key, JSON.stringify(claims), header);
}

/** The same with any text in place of claims. */
export function signText(
  { algorithm, kid, privateKey }: TestKey,
  claims: string,
  header: Readonly<Record<string, unknown>> = {},
): string {
  const head = encode({ alg: algorithm, kid, typ: 'JWT', ...header });
  const text = `${head}.${encode(claims)}`;
  return `${text}.${signatureOf(algorithm, privateKey, text)}`;
}

export function encode(value: Readonly<Record<string, unknown>> | string): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return Buffer.from(text).toString('base64url');
}

function signatureOf(algorithm: AssertionAlgorithm, key: KeyObject, text: string): string {
  const size = /\d{3}$/.exec(algorithm)?.[0];
  const hash = size === undefined || size === '519' ? null : `sha${size}`;
  const isPss = algorithm.startsWith('PS');
  const input = {
    key,
    dsaEncoding: 'ieee-p1363' as const,
    ...(isPss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: Number(size) / 8 } : {}),
  };
  return sign(algorithm.startsWith('Ed') ? null : hash, Buffer.from(text), input).toString(
    'base64url',
  );
}

/** Assertions of a client that are good for whatever the file of a programme says. */
export function signingFor(
  {
    programme,
    clock,
  }: Pick<Service, 'programme'> & { readonly clock: Pick<Service['clock'], 'now'> },
  client: Client,
  key: TestKey,
): (use: AssertionUse) => string {
  let count = 0;
  return (use) => {
    count += 1;
    const terms = programme.clients.assertions;
    const { issuers, audiences } = terms?.expectedOf(client) ?? {};
    const exp = Math.floor(clock.now() / 1000) + 60;
    const sub =
      use === 'client' || terms?.isOfOthers === true ? { sub: terms?.subjectsOf(client)[0] } : {};
    const [iss, aud] = [[...(issuers ?? [])][0], [...(audiences ?? [])][0]];
    return signJwt(key, { iss, ...sub, aud, exp, jti: `${client.id} ${count}` });
  };
}
