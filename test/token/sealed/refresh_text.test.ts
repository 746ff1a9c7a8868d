// Tests of the text of refresh tokens: one spelling, digests that bind it to a programme, and the
// successor that a retry gets again.

import assert from 'node:assert/strict';
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { describe, test } from 'node:test';

import { sameDigest } from '../../../src/lib/digest.ts';
import type { ProgrammeId } from '../../../src/oauth/client.ts';
import type { Place } from '../../../src/oauth/grant.ts';
import {
  firstRefreshText,
  loginDigest,
  loginTagOf,
  newNonce,
  parseRefreshText,
  refreshDigest,
  type RefreshText,
  successorOf,
} from '../../../src/token/sealed/refresh_text.ts';
import { openSealingKey } from '../../../src/token/sealed/sealing_key.ts';
import { fc } from '../../support/property.ts';
import { changedBits, changedCharacters, respellings } from './spoilt.ts';

const club = 'club' as ProgrammeId;
const other = 'club2' as ProgrammeId;
const secret = new Uint8Array(32).fill(7);
const key = openSealingKey(0, secret, 'staging', club);
const nonce = '\0\u0001\u007F\u0080\u00FFabcdefg';
const place = 891_033_063_859_250 as Place;

/** The text of these fields, by bytes and by an encoder of its own. */
function textOf(fields: { place?: bigint; generation?: number; version?: number }): string {
  const bytes = Buffer.alloc(45, 0xc3);
  bytes.writeBigUInt64BE(fields.place ?? BigInt(place));
  bytes[0] = fields.version ?? 0;
  bytes.writeUInt32BE(fields.generation ?? 1, 8);
  return `r${bytes.toString('base64url')}`;
}

function read(text: string): RefreshText {
  const token = parseRefreshText(text);
  assert.ok(token, text);
  return token;
}

const known = read(textOf({ generation: 7 }));

describe('fixed vectors: stores keep what these make', () => {
  test('a token', () => {
    assert.deepEqual(known, {
      text: 'rAAMqY81BJDIAAAAHw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8PD',
      place,
      generation: 7,
      loginSecret: 'w8PDw8PDw8PDw8PD',
    });
  });

  test('its digests', () => {
    const hex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    const login = loginDigest(club, known);
    assert.equal(hex(login), '38b1250155f5afb27bb4182a');
    assert.equal(
      hex(login),
      sha256(`jetway login club ${place} ${known.loginSecret}`).slice(0, 24),
    );
    assert.equal(loginTagOf(login).toString(16).padStart(6, '0'), hex(login).slice(0, 6));
    const digest = refreshDigest(club, known.text);
    assert.equal(hex(digest), '77431ab8dc9d29a4a110aefd06358704');
    assert.equal(hex(digest), sha256(`jetway refresh club ${known.text}`).slice(0, 32));
  });

  test('its successor', () => {
    const next = successorOf(key.next, nonce, known);
    assert.equal(next, 'rAAMqY81BJDIAAAAIw8PDw8PDw8PDw8PDfiKEwUY6AJaUOHNhPUtlFxe6fOuQ');
    const derived = hkdfSync('sha256', secret, '', 'jetway token 1 next staging club', 32);
    const hmac = createHmac('sha256', Buffer.from(derived))
      .update('successor')
      .update(nonce, 'latin1')
      .update(known.text);
    assert.equal(next.slice(33), hmac.digest('base64url').slice(0, 28));
  });
});

describe('the first token of a login', () => {
  test('is read as what it says', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (at) => {
        const first = firstRefreshText(at as Place);
        assert.match(first.text, /^r[\w-]{60}$/);
        assert.equal(first.place, at);
        assert.equal(first.generation, 1);
        assert.deepEqual(parseRefreshText(first.text), first);
      }),
    );
  });

  test('has secrets of its own', () => {
    const texts = Array.from({ length: 1000 }, () => firstRefreshText(place));
    assert.equal(new Set(texts.map(({ loginSecret }) => loginSecret)).size, 1000);
    assert.equal(new Set(texts.map(({ text }) => text.slice(33))).size, 1000);
  });
});

describe('reading', () => {
  test('generations run from 1 to 2^32 − 1', () => {
    assert.equal(parseRefreshText(textOf({ generation: 0 })), undefined);
    for (const generation of [1, 2 ** 31, 2 ** 32 - 1]) {
      assert.equal(read(textOf({ generation })).generation, generation);
    }
  });

  test('places end below 2^53: one more bit would be read as another login', () => {
    assert.equal(read(textOf({ place: 2n ** 53n - 1n })).place, 2 ** 53 - 1);
    for (const tooLarge of [2n ** 53n, 2n ** 53n + 1n, 2n ** 54n, 2n ** 56n - 1n]) {
      assert.equal(parseRefreshText(textOf({ place: tooLarge })), undefined);
    }
  });

  test('there is one version', () => {
    for (let version = 1; version < 256; version += 1) {
      assert.equal(parseRefreshText(textOf({ version })), undefined);
    }
  });

  test('no other spelling is read', () => {
    for (const text of [known.text, firstRefreshText(place).text, textOf({})]) {
      for (const spoilt of respellings(text)) assert.equal(parseRefreshText(spoilt), undefined);
    }
    for (const letter of ['m', 'c', 'R', '']) {
      assert.equal(parseRefreshText(letter + known.text.slice(1)), undefined);
    }
  });

  test('each changed bit and character is refused, or has another digest', () => {
    const digest = refreshDigest(club, known.text);
    for (const changed of [...changedBits(known.text), ...changedCharacters(known.text)]) {
      const token = parseRefreshText(changed);
      assert.equal(token?.text, token && changed);
      assert.ok(token === undefined || refreshDigest(club, token.text) !== digest);
    }
  });

  test('any text is refused or is the one spelling of what was read', () => {
    const texts = fc.oneof(
      fc.uint8Array({ minLength: 45, maxLength: 45 }).map((bytes) => {
        bytes[0] = 0;
        bytes[1] = (bytes[1] ?? 0) & 0x3f;
        return `r${Buffer.from(bytes).toString('base64url')}`;
      }),
      fc.string({ unit: fc.constantFrom('r', 'A', '-', '_', '+', '='), maxLength: 70 }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const token = parseRefreshText(text);
        if (token === undefined) return;
        const again = textOf({ place: BigInt(token.place), generation: token.generation });
        assert.equal(again.slice(0, 17), text.slice(0, 17));
        assert.equal(token.loginSecret, text.slice(17, 33));
      }),
    );
  });
});

describe('digests', () => {
  test('a login digest is of programme, place and login secret, and of nothing else', () => {
    const first = firstRefreshText(place);
    const later = read(successorOf(key.next, nonce, first) ?? '');
    const digest = loginDigest(club, first);
    assert.equal(loginDigest(club, later), digest);
    assert.notEqual(loginDigest(other, first), digest);
    assert.notEqual(loginDigest(club, { ...first, place: (place + 1) as Place }), digest);
    assert.notEqual(loginDigest(club, firstRefreshText(place)), digest);
    assert.notEqual(refreshDigest(other, first.text), refreshDigest(club, first.text));
  });

  test('two digests are the same only where every character is', () => {
    const digest = loginDigest(club, known);
    assert.ok(sameDigest(digest, loginDigest(club, read(known.text))));
    for (let at = 0; at < digest.length; at += 1) {
      const changed = String.fromCharCode(digest.charCodeAt(at) ^ 1);
      const unlike = digest.slice(0, at) + changed + digest.slice(at + 1);
      assert.ok(!sameDigest(digest, unlike));
    }
    for (const unlike of ['', digest.slice(1), digest.slice(0, -1), `${digest}\0`]) {
      assert.ok(!sameDigest(digest, unlike));
      assert.ok(!sameDigest(unlike, digest));
    }
  });
});

describe('the successor', () => {
  test('is the next generation of the same login, the same each time', () => {
    const places = fc.maxSafeNat().map((at) => at as Place);
    fc.assert(
      fc.property(places, fc.integer({ min: 1, max: 2 ** 32 - 2 }), (at, generation) => {
        const token = read(textOf({ place: BigInt(at), generation }));
        const drawn = newNonce();
        const next = read(successorOf(key.next, drawn, token) ?? '');
        const { loginSecret } = token;
        const { text } = next;
        assert.deepEqual(next, { text, place: at, generation: generation + 1, loginSecret });
        assert.equal(successorOf(key.next, drawn, token), text);
      }),
    );
  });

  test('differs with key, nonce, environment, programme and every part of the presented token', () => {
    const unlike = [
      successorOf(key.next, nonce, known),
      successorOf(key.next, newNonce(), known),
      successorOf(openSealingKey(0, new Uint8Array(32), 'staging', club).next, nonce, known),
      successorOf(openSealingKey(0, secret, 'live', club).next, nonce, known),
      successorOf(openSealingKey(0, secret, 'staging', other).next, nonce, known),
      successorOf(key.next, nonce, read(`${known.text.slice(0, -1)}A`)),
      successorOf(key.next, nonce, read(`${known.text.slice(0, 17)}A${known.text.slice(18)}`)),
    ];
    assert.equal(new Set(unlike.map((text) => text?.slice(33))).size, unlike.length);
  });

  test('the last generation has none', () => {
    assert.equal(
      successorOf(key.next, nonce, read(textOf({ generation: 2 ** 32 - 1 }))),
      undefined,
    );
    const last = read(
      successorOf(key.next, nonce, read(textOf({ generation: 2 ** 32 - 2 }))) ?? '',
    );
    assert.equal(last.generation, 2 ** 32 - 1);
  });

  test('nonces have 12 characters of one byte and are different', () => {
    const nonces = Array.from({ length: 1000 }, newNonce);
    assert.equal(new Set(nonces).size, 1000);
    assert.ok(nonces.every((one) => one.length === 12 && Buffer.byteLength(one, 'latin1') === 12));
    assert.ok(nonces.every((one) => Buffer.from(one, 'latin1').toString('latin1') === one));
  });
});
