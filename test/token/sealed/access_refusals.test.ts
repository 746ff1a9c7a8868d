// Tests that no text opens as an access token but one that was sealed.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ProgrammeId } from '../../../src/oauth/client.ts';
import { openAccess } from '../../../src/token/sealed/access_text.ts';
import { firstRefreshText, parseRefreshText } from '../../../src/token/sealed/refresh_text.ts';
import { openSealingKey, type SealingKey } from '../../../src/token/sealed/sealing_key.ts';
import { anyText, fc } from '../../support/property.ts';
import { club, fixed, key, member, sealed, secret, texts } from './access_tokens.ts';
import { changedBits, changedCharacters, respellings } from './spoilt.ts';

function refused(text: string, ...keys: SealingKey[]): void {
  const known = keys.length === 0 ? [key] : keys;
  const opened = openAccess(text, (number) => known.find((one) => one.number === number));
  assert.equal(opened?.access, undefined, text);
}

test('each changed bit and character, where every number has a key of the same secret', () => {
  const keys = Array.from({ length: 256 }, (_, number) =>
    openSealingKey(number, secret, 'staging', club),
  );
  for (const text of texts) {
    for (const spoilt of [...changedBits(text), ...changedCharacters(text)]) {
      assert.equal(openAccess(spoilt, (number) => keys[number])?.access, undefined, spoilt);
    }
  }
});

test('no other spelling, length or letter', () => {
  for (const text of texts) {
    for (const spoilt of respellings(text)) refused(spoilt);
    for (const letter of ['m', 'c', 'r', 'M', 'C', '']) {
      if (!text.startsWith(letter) || letter === '') refused(letter + text.slice(1));
    }
  }
});

test('no token of another environment, programme or secret', () => {
  const others = [
    openSealingKey(5, secret, 'live', club),
    openSealingKey(5, secret, 'staging', 'club2' as ProgrammeId),
    openSealingKey(5, new Uint8Array(32).fill(8), 'staging', club),
  ];
  for (const text of texts) for (const other of others) refused(text, other);
});

test('no refresh token, JWT or API key, as no access token is a refresh token', () => {
  for (const text of [firstRefreshText(member.place).text, 'eyJhbGciOiJFUzI1NiJ9.e30.AAAA']) {
    refused(text);
  }
  for (const text of texts) assert.equal(parseRefreshText(text), undefined);
});

test('garbage is refused before a key is asked for, and unknown numbers after', () => {
  const never = (): never => assert.fail('a key was asked for');
  const long = `m${'A'.repeat(1_000_000)}`;
  for (const text of ['', 'm', 'mBT2', long, `x${texts[0]}`, `${texts[0]}=`]) {
    assert.equal(openAccess(text, never), undefined);
  }
  const asked: number[] = [];
  const note = (number: number): undefined => void asked.push(number);
  assert.equal(openAccess(texts[0] ?? '', note), undefined);
  assert.deepEqual(asked, [5]);
});

test('any text', () => {
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 80 });
  fc.assert(
    fc.property(fc.constantFrom('m', 'c', 'r'), bytes, (letter, random) => {
      refused(`${letter}BQ${Buffer.from(random).toString('base64url')}`);
    }),
  );
  fc.assert(fc.property(anyText(100), (text) => refused(text)));
});

test('plaintexts that no sealing writes, under the right key', () => {
  const spoilt = [
    ['m', `00${fixed}00000708`, true],
    ['m', `04${fixed}00000708`, false],
    ['m', `80${fixed}00000708`, false],
    ['m', `00${fixed}0000070800`, false],
    ['m', `00${fixed}000007`, false],
    ['m', `01${fixed}000007`, false],
    ['m', '00', false],
    // A place of 2^53, a span of more than ten years.
    ['m', `0020000000000000${fixed.slice(14)}00000708`, false],
    ['m', `00${fixed}ffffffff`, false],
    ['c', '00019b7ca98f2e00000e10010203040000000000030161', true],
    ['c', '00019b7ca98f2e00000e10010203040000000000030261', false],
    ['c', '01019b7ca98f2e00000e10010203040000000000030261', false],
    ['c', '00019b7ca98f2e00000e100102030400000000000300ff', false],
    ['c', '04019b7ca98f2e00000e10010203040000000000030161014b', true],
    // Beside a member's token stands none that has no login, and none that was exchanged.
    ['c', '08019b7ca98f2e00000e10010203040000000000030161014b', false],
    ['m', `08${fixed}00000708014b`, true],
    ['m', `08${fixed}00000708`, false],
    ['m', `08${fixed}00000708024b`, false],
    ['m', `0c${fixed}00000708014b`, false],
    ['m', `10${fixed}0000070800`, false],
    ['c', '10019b7ca98f2e00000e100102030400000000000301610161', true],
    ['c', '10019b7ca98f2e00000e100102030400000000000301610261', false],
    ['c', '20019b7ca98f2e00000e10010203040000000000030161', false],
  ] as const;
  for (const [letter, plaintext, isGood] of spoilt) {
    const opened = openAccess(sealed(letter, Buffer.from(plaintext, 'hex')), () => key);
    assert.equal(opened !== undefined, isGood, plaintext);
  }
});
