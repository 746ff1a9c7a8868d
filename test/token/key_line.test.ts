// Tests of what follows from a line of keys, on a set clock: which signs, which waits, and when each may
// go; that no verification fails meanwhile is tested in key_rotation_verifiers.test.ts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import type { SigningKeyRecord } from '../../src/oauth/signing_key.ts';
import { keyStates, marked, takenUp } from '../../src/token/key_line.ts';
import { signingKeyRules } from '../../src/token/key_rules.ts';
import { aSigningKey, at } from '../store/fixtures.ts';
import { edwards, first, lasting, minute, rules, second } from './rotation_keys.ts';

/** Status of each key and, in seconds, when it may go. */
function statesOf(keys: readonly SigningKeyRecord[], seconds: number, by = rules): string {
  const states = keyStates(keys, by, at(seconds)).map(({ key, status, retiresAt }) => {
    const end = retiresAt === undefined ? '' : ` until ${(retiresAt - at(0)) / 1000}`;
    return `${key.kid} ${status}${end}`;
  });
  return states.join(', ');
}

const shorter = { ...rules, longestToken: lasting(minute) };
const longer = { ...rules, longestToken: lasting(60 * minute) };
const former = { kind: rules.kind, longestToken: rules.longestToken };

describe('what a key is', () => {
  test('the latest whose time has come signs, later ones wait, earlier ones verify', () => {
    const third = aSigningKey('third', { signsFrom: at(20 * minute) });
    const keys = [third, first, second];
    assert.equal(statesOf(keys, 10 * minute - 1), 'third waiting, first signing, second waiting');
    assert.equal(
      statesOf(keys, 10 * minute),
      'third waiting, first retiring until 2400, second signing',
    );
    assert.equal(
      statesOf(keys, 40 * minute),
      'third signing, first due until 2400, second retiring until 3000',
    );
  });

  test('a clock behind every key, and a key never told to sign, leave the first one signing', () => {
    assert.equal(statesOf([second, first], -5), 'second waiting, first signing');
    assert.equal(statesOf([aSigningKey('untold')], 0), 'untold signing');
    assert.equal(statesOf([aSigningKey('untold'), first], 0), 'untold waiting, first signing');
  });

  test('FAULTS 24: a key lasts for the longest tokens that it signed, whatever lifetimes are now', () => {
    const day = { ...first, longestToken: lasting(1440 * minute) };
    const states = 'first retiring until 87000, second signing';
    for (const by of [rules, shorter, longer]) {
      assert.equal(statesOf([day, second], 41 * minute, by), states);
    }
    // A key between the two lasts as long as the one before it, whose end follows from its beginning.
    const brief = { ...second, longestToken: lasting(minute) };
    const third = aSigningKey('third', { signsFrom: at(20 * minute) });
    assert.equal(
      statesOf([day, brief, third], 41 * minute),
      'first retiring until 87000, second retiring until 87000, third signing',
    );
  });

  test('a key of another algorithm is one given up, or ahead where it was never told to sign', () => {
    const old = aSigningKey('old', {
      signsFrom: at(0),
      signedUntil: at(5),
      longestToken: lasting(55),
    });
    const keys = [
      old,
      { ...old, kid: 'unknown', signedUntil: undefined } as unknown as SigningKeyRecord,
      aSigningKey('ahead'),
      aSigningKey('new', { algorithm: 'EdDSA', signsFrom: at(5) }),
    ];
    assert.equal(
      statesOf(keys.toSpliced(1, 1), 59, edwards),
      'old retiring until 60, ahead ahead, new signing',
    );
    assert.equal(
      statesOf(keys.slice(1), 59, edwards),
      'unknown retiring, ahead ahead, new signing',
    );
    assert.match(statesOf(keys.toSpliced(1, 1), 60, edwards), /^old due until 60,/);
  });

  test('the longest signed token is that of the tokens that are JWTs', () => {
    const longest = (access: 'jwt' | 'opaque', refresh: 'jwt' | 'opaque'): number =>
      signingKeyRules({
        access: { isSigned: access === 'jwt', lifetime: milliseconds(5), algorithm: 'ES256' },
        refresh: { format: refresh, longest: milliseconds(9), grace: milliseconds(1) },
      }).longestToken;
    assert.equal(longest('jwt', 'opaque'), 5);
    assert.equal(longest('opaque', 'jwt'), 9);
    assert.equal(longest('jwt', 'jwt'), 9);
    assert.equal(longest('opaque', 'opaque'), 9);
  });
});

describe('a key of an earlier version, which stored its end', () => {
  const stored = { ...first, retiresAt: at(45 * minute) };

  test('verifies no shorter than that says', () => {
    assert.equal(
      statesOf([stored, second], 41 * minute),
      'first retiring until 2700, second signing',
    );
    // No server of this version has taken it up: present lifetimes count, as they did then.
    assert.equal(
      statesOf([stored, second], 46 * minute, longer),
      'first retiring until 4200, second signing',
    );
    assert.equal(statesOf([stored], 44 * minute, edwards), 'first retiring until 2700');
    assert.equal(statesOf([stored], 44 * minute, former), 'first retiring until 2700');
    assert.equal(statesOf([stored], 45 * minute, former), 'first due until 2700');
  });

  test('keeps its end while a key follows it, and signs on where none does', () => {
    const [kept] = takenUp([stored, second], rules, at(5));
    assert.deepEqual(kept, { ...stored, longestToken: rules.longestToken });
    assert.deepEqual(takenUp([stored], rules, at(50 * minute)), [
      { ...first, longestToken: rules.longestToken },
    ]);
  });
});

describe('a server that signs takes its keys up', () => {
  const own = { longestToken: rules.longestToken };

  test('each that may still sign lasts for the tokens of this server, and never for less', () => {
    const [one, two] = takenUp([first, second], rules, at(5));
    assert.deepEqual(
      [one, two],
      [first, second].map((key) => ({ ...key, ...own })),
    );
    assert.ok(one && two);
    const later = takenUp([one, two], longer, at(10 * minute));
    assert.equal(later[0], one);
    assert.deepEqual(later[1], { ...two, longestToken: longer.longestToken });
    assert.deepEqual(takenUp(later, shorter, at(10 * minute)), later);
    assert.ok(takenUp(later, shorter, at(10 * minute)).every((key, n) => key === later[n]));
  });

  test('the key that was ahead begins, and keys of other algorithms stay as they are', () => {
    const ahead = aSigningKey('ahead', { algorithm: 'EdDSA' });
    assert.deepEqual(takenUp([first, ahead], edwards, at(9)), [
      first,
      { ...ahead, ...own, signsFrom: at(9) },
    ]);
    assert.deepEqual(takenUp([first, ahead], former, at(9)), [first, ahead]);
  });

  test('takes the mark off that signing has ended', () => {
    const over = [
      { ...first, ...own },
      { ...second, ...own, signedUntil: at(700) },
    ];
    assert.deepEqual(takenUp(over, rules, at(800)), [over[0], { ...second, ...own }]);
  });
});

test('a programme that signs no more marks the last key of each line; those marked stay so', () => {
  const early = {
    ...aSigningKey('early', { algorithm: 'EdDSA', signsFrom: at(0) }),
    signedUntil: at(1),
  };
  const keys = [first, second, early, aSigningKey('ahead', { algorithm: 'RS256' })];
  const ended = marked(keys, former, at(900), () => true);
  assert.deepEqual(ended, [
    first,
    { ...second, signedUntil: at(900) },
    early,
    aSigningKey('ahead', { algorithm: 'RS256', signedUntil: at(900) }),
  ]);
  assert.equal(
    statesOf(ended, 901, former),
    'first retiring until 2400, second retiring until 2700, early retiring until 1801, ahead retiring until 2700',
  );
});
