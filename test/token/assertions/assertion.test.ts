// Owns the promises of assertions: which are good (RFC 7523 3), and why others are not (RFC 8725).

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';

import { instant, milliseconds } from '../../../src/lib/clock.ts';
import { assertionAlgorithms, type ClientKey } from '../../../src/oauth/client_certificate.ts';
import {
  type AssertionUse,
  proveAssertion,
  readAssertion,
} from '../../../src/token/assertions/assertion.ts';
import { AssertionFault, type AssertionRules } from '../../../src/token/assertions/claims.ts';
import { encode, registered, signJwt, signText, testKey } from '../../support/assertions.ts';

const key = testKey();
const seconds = 1_767_225_600;
const now = instant(seconds * 1000);
const good = {
  iss: 'partner',
  sub: 'partner',
  aud: 'https://tokens.example/club',
  exp: seconds + 60,
  iat: seconds,
  jti: 'id-1',
};

const rules: AssertionRules = {
  algorithms: new Set(assertionAlgorithms),
  longest: milliseconds(300_000),
  tolerance: milliseconds(30_000),
  needsId: true,
};

/** What the assertion proves, or why it is refused. */
async function told(
  text: string,
  {
    keys = registered(key),
    use = 'client',
    more = {},
    takesNoAudience = false,
  }: {
    readonly keys?: readonly ClientKey[];
    readonly use?: AssertionUse;
    readonly more?: Partial<AssertionRules>;
    readonly takesNoAudience?: boolean;
  } = {},
): Promise<unknown> {
  const read = readAssertion(text, use);
  if (read instanceof AssertionFault) return toldOf(read);
  const audiences = ['https://tokens.example/club'];
  const isAudience = (one: string): boolean => audiences.includes(one);
  const expected = { issuers: new Set(['partner']), audiences, isAudience, takesNoAudience };
  try {
    return await proveAssertion(read, keys, { ...rules, ...more }, expected, now);
  } catch (error) {
    if (!(error instanceof AssertionFault)) throw error;
    return toldOf(error);
  }
}

const unread =
  /^unproven: a JWT that the client has signed - (?:\d+ characters that are none|a JWT [^]+)$/;

function toldOf({ isProven, expected, message }: AssertionFault): string {
  return `${isProven ? '' : 'unproven: '}${expected} - ${message}`;
}

test('an assertion of every algorithm proves its issuer, subject, scope and identifier', async () => {
  for (const algorithm of assertionAlgorithms) {
    const one = testKey(algorithm);
    const keys = registered(one);
    const proven = await told(signJwt(one, { ...good, scope: 'read write' }), { keys });
    assert.deepEqual(
      proven,
      {
        issuer: 'partner',
        subject: 'partner',
        scope: 'read write',
        id: 'id-1',
        since: instant((seconds - 30) * 1000),
        forgetAt: instant((seconds + 660) * 1000),
        key: keys[0]?.thumbprint,
      },
      algorithm,
    );
  }
});

test('the key is found by kid; without one each key is tried, and a key without one fits any', async () => {
  const [other, third] = [testKey('ES256', 'key-2'), testKey('ES256', 'key-3')];
  const keys = registered(other, key);
  assert.notEqual(typeof (await told(signJwt(key, good), { keys })), 'string');
  assert.notEqual(typeof (await told(signJwt(key, good, { kid: undefined }), { keys })), 'string');
  const [{ kid: _, ...nameless }] = registered(key) as [ClientKey];
  assert.notEqual(typeof (await told(signJwt(key, good), { keys: [nameless] })), 'string');
  assert.equal(
    await told(signJwt(key, good, { kid: 'key-2' }), { keys }),
    "unproven: signed by one of the client's 2 keys - one that none of them has signed",
  );
  assert.equal(
    await told(signJwt(third, good), { keys }),
    "unproven: signed by one of the client's 2 keys - one whose kid none of them has",
  );
});

test('no header makes another key or algorithm count', async () => {
  const stranger = testKey();
  const rsa = testKey('RS256', 'key-1');
  const secret = JSON.stringify(registered(rsa)[0]?.jwk);
  const text = `${encode({ alg: 'HS256', kid: 'key-1' })}.${encode(good)}`;
  const hmac = createHmac('sha256', secret).update(text).digest('base64url');
  const none = `${encode({ alg: 'none' })}.${encode(good)}.`;
  const others = [
    none,
    `${text}.${hmac}`,
    signJwt(key, good, { alg: 'HS256' }),
    signJwt(key, good, { alg: ['ES256'] }),
    signJwt(key, good, { crit: ['b64'], b64: true }),
    signJwt(key, good, { crit: [] }),
    signText(key, '{"iss":"partner","iss":"other"}'),
    signText(key, '[]'),
    `${signJwt(key, good)}=`,
    `${signJwt(key, good)}.`,
    `a${signJwt(key, { ...good, pad: 'x'.repeat(16_384) })}`,
    'partner',
    '',
  ];
  for (const one of others) assert.match(String(await told(one)), unread);
  const embedded = {
    jwk: stranger.jwk,
    jku: 'https://stranger.example/',
    x5u: 'https://a.example',
  };
  for (const one of [
    signJwt(stranger, good, embedded),
    signJwt(testKey('ES384'), good, { alg: 'ES256' }),
    signJwt(key, good, { alg: 'ES384' }),
    signJwt(key, good, { alg: 'EdDSA' }),
    `${signJwt(key, good).split('.').slice(0, 2).join('.')}.`,
  ]) {
    assert.match(String(await told(one)), /^unproven: signed by one of the client's 1 keys - /);
  }
  const algorithms = new Set(['RS256', 'PS256']);
  assert.equal(
    await told(signJwt(key, good), { more: { algorithms } }),
    'unproven: signed by RS256, PS256 - one by ES256',
  );
});

test('a JWT that says it is of another kind is not read', async () => {
  for (const [typ, uses] of [
    [undefined, ['client', 'grant']],
    ['jwt', ['client', 'grant']],
    ['client-authentication+jwt', ['client']],
    ['authorization-grant+jwt', ['grant']],
    ['at+jwt', []],
    ['dpop+jwt', []],
  ] as const) {
    for (const use of ['client', 'grant'] as const) {
      const read = await told(signJwt(key, good, { typ }), { use });
      assert.equal(
        !unread.test(String(read)),
        uses.some((one) => one === use),
        `${typ} as ${use}`,
      );
    }
  }
});

test('claims must name issuer and audience, and be good now', async () => {
  const { aud: _aud, ...unaddressed } = good;
  const { exp: _exp, ...endless } = good;
  const { jti: _jti, ...unnamed } = good;
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
    [{ ...good, iss: 'other' }, 'iss: what is registered for the client - another one'],
    [{ ...good, iss: undefined }, 'iss: what is registered for the client - no iss'],
    [unaddressed, 'aud: https://tokens.example/club - no aud'],
    [
      { ...good, aud: 'https://tokens.example/club/' },
      'aud: https://tokens.example/club - another one',
    ],
    [
      { ...good, aud: { a: 'https://tokens.example/club' } },
      'aud: a text that is not empty, or a list of such texts - something else',
    ],
    [endless, 'exp: when it ends - no exp'],
    [{ ...good, exp: '1767225660' }, 'exp: seconds since 1970, as a number - something else'],
    [{ ...good, exp: 1e300 }, 'exp: seconds since 1970, as a number - something else'],
    [{ ...good, exp: seconds - 30 }, 'one that has not ended - one whose exp has passed'],
    [{ ...good, exp: seconds + 331 }, 'one that ends within 300 s - one with a later exp'],
    [
      { ...good, exp: (seconds + 60) * 1000 },
      'one that ends within 300 s - one with exp in milliseconds',
    ],
    [{ ...good, iat: seconds + 31 }, 'one that is good by now - one whose iat is yet to come'],
    [{ ...good, nbf: seconds + 31 }, 'one that is good by now - one whose nbf is yet to come'],
    [{ ...good, iat: 'now' }, 'iat: seconds since 1970, as a number - something else'],
    [unnamed, 'jti: a text of 1 to 255 characters - no jti'],
    [{ ...good, jti: 7 }, 'jti: a text of 1 to 255 characters - something else'],
    [{ ...good, jti: 'x'.repeat(256) }, 'jti: a text of 1 to 255 characters - something else'],
  ];
  for (const [claims, expected] of cases) assert.equal(await told(signJwt(key, claims)), expected);
});

test('what is within tolerance, and in a list of audiences, is good', async () => {
  for (const claims of [
    { ...good, exp: seconds - 29 },
    { ...good, exp: seconds + 330 },
    { ...good, iat: seconds + 30, nbf: seconds + 29.5 },
    { ...good, iat: undefined },
    { ...good, aud: ['https://other.example', 'https://tokens.example/club'] },
  ]) {
    assert.notEqual(typeof (await told(signJwt(key, claims))), 'string');
  }
});

test('a file can take assertions without jti or aud; what is there counts all the same', async () => {
  const { jti: _jti, aud: _aud, ...bare } = good;
  const more = { needsId: false };
  assert.notEqual(
    typeof (await told(signJwt(key, bare), { more, takesNoAudience: true })),
    'string',
  );
  for (const claims of [
    { ...bare, aud: 'https://other.example' },
    { ...bare, jti: 7 },
  ]) {
    assert.equal(
      typeof (await told(signJwt(key, claims), { more, takesNoAudience: true })),
      'string',
    );
  }
});
