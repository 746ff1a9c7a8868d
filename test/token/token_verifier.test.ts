// Tests of what a verifier remembers: good signatures, each once, within a bound, for as long as token
// and key last, and nothing that strangers send.

import assert from 'node:assert/strict';
import { sign as signBytes } from 'node:crypto';
import { test } from 'node:test';

import { type Instant, instant } from '../../src/lib/clock.ts';
import { present } from '../../src/lib/present.ts';
import { accessTokenType, payloadOf, payloadSigner } from '../../src/token/jwt.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { newSigningKey, openSigningKey, openVerifyingKey } from '../../src/token/signing_keys.ts';
import { type TokenVerifier, tokenVerifier } from '../../src/token/token_verifier.ts';
import { club } from '../store/fixtures.ts';

const now = instant(Date.parse('2026-01-02T03:04:05Z'));
const later = (seconds: number): Instant => instant(now + seconds * 1000);
const keyring = createKeyring(new Uint8Array(32).fill(7));
const record = await newSigningKey(club, 'ES256', keyring, now);
const signing = openSigningKey(record, keyring);
const own = await openVerifyingKey(record);
const other = await openVerifyingKey(await newSigningKey(club, 'ES256', keyring, now));

const [issuer, audience] = ['https://tokens.example/club', 'https://api.example'];
// Signs tokens of any length, as no issuer does.
const sign = payloadSigner(() => signing, accessTokenType);

async function issue(
  tokenId: string,
  seconds = 60,
  { aud = audience, isAsked }: { readonly aud?: string; readonly isAsked?: true } = {},
): Promise<string> {
  const claims = {
    issuer,
    audience: aud,
    subject: 'subject-1',
    clientId: 'partner',
    tokenId,
    issuedAt: now,
    expiresAt: later(seconds),
    family: '1',
  };
  return sign(now, payloadOf(claims), present({ isAsked }));
}

interface Scene {
  readonly verify: TokenVerifier;
  /** Has the key's name stand for another key from now on: what is checked anew then fails. */
  readonly swapKey: () => void;
  readonly restoreKey: () => void;
  readonly withdrawKey: () => void;
}

function open(remembered: number): Scene {
  let published: typeof own | undefined = own;
  const keyOf = (kid: string) => (kid === own.kid ? published : undefined);
  return {
    verify: tokenVerifier({ type: accessTokenType, issuer, audience, keyOf }, remembered),
    swapKey: () => {
      published = other;
    },
    restoreKey: () => {
      published = own;
    },
    withdrawKey: () => {
      published = undefined;
    },
  };
}

test('a signature is checked once, and a flood of bad tokens makes nobody forget it', async () => {
  const { verify, swapKey } = open(3);
  const tokens = await Promise.all(['1', '2', '3'].map((id) => issue(id)));
  for (const token of tokens) assert.ok(await verify(token, now));
  swapKey();
  const [head = '', body = ''] = tokens[0]?.split('.') ?? [];
  for (let n = 0; n < 50; n += 1) {
    const signature = Buffer.alloc(64, n).toString('base64url');
    assert.equal(await verify(`${head}.${body}.${signature}`, now), undefined);
    assert.equal(await verify(`${n}.${n}.${n}`, now), undefined);
  }
  assert.equal(await verify(await issue('4'), now), undefined, 'signed by the key of before');
  for (const [index, token] of tokens.entries()) {
    assert.equal((await verify(token, now))?.tokenId, String(index + 1));
  }
});

test('more good tokens than are remembered are checked again, the first of them first', async () => {
  const { verify, swapKey, restoreKey } = open(2);
  const [first, second, third] = [await issue('1'), await issue('2'), await issue('3')];
  for (const token of [first, second, third]) assert.ok(await verify(token, now));
  swapKey();
  assert.equal(await verify(first, now), undefined);
  assert.ok(await verify(second, now));
  assert.ok(await verify(third, now));
  restoreKey();
  assert.ok(await verify(first, now));
});

test('what is remembered ends with the token, and with the key', async () => {
  const { verify, withdrawKey, restoreKey } = open(3);
  const [short, long] = [await issue('1', 60), await issue('2', 120)];
  for (const token of [short, long]) assert.ok(await verify(token, now));
  assert.ok(await verify(short, later(59)));
  assert.equal(await verify(short, later(60)), undefined);
  assert.ok(await verify(long, later(60)));
  withdrawKey();
  assert.equal(await verify(long, later(61)), undefined);
  restoreKey();
  assert.ok(await verify(long, later(61)));
  assert.equal(await verify(long, later(120)), undefined);
});

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A part that decodes to the same bytes, where it has idle bits; undefined where it has none. */
function withIdleBits(part: string): string | undefined {
  if (part.length % 4 === 0) return undefined;
  return part.slice(0, -1) + letters.charAt(letters.indexOf(part.at(-1) ?? '') + 1);
}

test('HOSTILE 68: idle bits of base64url are none that a good token has, in any of its parts', async () => {
  const { verify } = open(3);
  const signed = (text: string): string => {
    const key = { key: signing.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    return `${text}.${signBytes('sha256', Buffer.from(text), key).toString('base64url')}`;
  };
  const seen = { head: 0, body: 0, signature: 0 };
  for (const space of ['', ' ', '  ']) {
    for (const tokenId of ['1', '12', '123']) {
      const [, body = ''] = (await issue(tokenId)).split('.');
      const header = `{"alg":"ES256","typ":"at+jwt","kid":"${own.kid}"${space}}`;
      const head = Buffer.from(header).toString('base64url');
      const good = signed(`${head}.${body}`);
      const signature = good.split('.')[2] ?? '';
      const spellings = {
        head: withIdleBits(head),
        body: withIdleBits(body),
        signature: withIdleBits(signature),
      };
      const bad = {
        head: spellings.head && signed(`${spellings.head}.${body}`),
        body: spellings.body && signed(`${head}.${spellings.body}`),
        signature: `${head}.${body}.${spellings.signature}`,
      };
      for (const known of [false, true]) {
        for (const [part, token] of Object.entries(bad)) {
          if (token === undefined) continue;
          assert.equal(await verify(token, now), undefined, part);
          seen[part as keyof typeof seen] += 1;
        }
        if (!known) assert.equal((await verify(good, now))?.tokenId, tokenId);
      }
      for (const odd of [`${good}=`, `${good}==`, ` ${good}`, `${good}\n`, `${head}.${body}.A`]) {
        assert.equal(await verify(odd, now), undefined, odd);
      }
    }
  }
  assert.deepEqual(seen, { head: 12, body: 12, signature: 18 });
});

test('a token longer than any Jetway issues is refused, even with a good signature', async () => {
  const { verify } = open(3);
  assert.ok(await verify(await issue('x'.repeat(2000)), now));
  assert.equal(await verify(await issue('x'.repeat(20_000)), now), undefined);
});

test('RFC 9068 4: a token for another audience is refused, unless a request has asked for that one', async () => {
  const { verify } = open(3);
  const aud = 'https://orders.example.com/';
  assert.equal(await verify(await issue('1', 60, { aud }), now), undefined);
  assert.equal((await verify(await issue('2', 60, { aud, isAsked: true }), now))?.resource, aud);
  assert.equal((await verify(await issue('3'), now))?.resource, undefined);
});
