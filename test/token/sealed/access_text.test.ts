// Tests of sealed access tokens: their layout, and that what was sealed is opened.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { instant, milliseconds } from '../../../src/lib/clock.ts';
import type { ClientId } from '../../../src/oauth/client.ts';
import type { Era, Place } from '../../../src/oauth/grant.ts';
import {
  type Access,
  counterMaker,
  longestPlaintext,
} from '../../../src/token/sealed/access_plaintext.ts';
import {
  openAccess,
  rememberingOpener,
  sealAccess,
} from '../../../src/token/sealed/access_text.ts';
import { openSealingKey } from '../../../src/token/sealed/sealing_key.ts';
import { anyText, fc } from '../../support/property.ts';
import { client, club, key, member, sealed, secret, texts, vectors } from './access_tokens.ts';

function open(text: string): Access | undefined {
  return openAccess(text, (number) => (number === key.number ? key : undefined))?.access;
}

describe('fixed vectors', () => {
  for (const [access, letter, plaintext, text] of vectors) {
    test(`a ${access.kind}'s token of ${text.length} characters`, () => {
      assert.equal(sealAccess(key, access), text);
      assert.equal(sealed(letter, Buffer.from(plaintext, 'hex')), text);
      const tag = Buffer.from(text.slice(1), 'base64url').subarray(1, 17).toString('base64url');
      assert.deepEqual(
        openAccess(text, () => key),
        { access, key, tag },
      );
    });
  }
});

describe('what was sealed is opened', () => {
  const times = {
    issuedAt: fc.nat(2 ** 48 - 1).map(instant),
    span: fc
      .oneof(
        fc.nat(3650 * 86_400).map((seconds) => seconds * 1000),
        fc.nat(3650 * 86_400_000),
      )
      .map(milliseconds),
  };
  const word = fc.nat(2 ** 32 - 1);
  const optional = { requiredKeys: [] };
  const name = fc.stringMatching(/^[\w-]{1,36}$/);
  const exchangedFrom = fc.array(name, { minLength: 1, maxLength: 4 });

  test('every member token', () => {
    const members = fc
      .tuple(
        fc.record({
          kind: fc.constant('member' as const),
          place: fc.maxSafeNat() as fc.Arbitrary<Place>,
          generation: word,
          loginTag: fc.nat(2 ** 24 - 1),
          ...times,
        }),
        fc.record({ ownScope: anyText(300) }, optional),
        fc.oneof(fc.record({ exchangedFrom }, optional), fc.record({ beside: name })),
      )
      .map(([fields, scope, from]) => ({ ...fields, ...scope, ...from }));
    fc.assert(
      fc.property(members, (access) => assert.deepEqual(open(sealAccess(key, access)), access)),
      { numRuns: 500 },
    );
  });

  test("every client's own token", () => {
    const clients = fc
      .tuple(
        fc.record({
          kind: fc.constant('client' as const),
          client: anyText(60) as fc.Arbitrary<ClientId>,
          counter: word,
          era: fc.integer({ min: 1, max: 2 ** 48 - 1 }).map((era) => era as Era),
          ...times,
        }),
        fc.record({ scope: anyText(300), resource: anyText(60), exchangedFrom }, optional),
      )
      .map(([fields, scope]) => ({ ...fields, ...scope }));
    fc.assert(
      fc.property(clients, (access) => assert.deepEqual(open(sealAccess(key, access)), access)),
      { numRuns: 500 },
    );
  });

  test('a long scope and a long identifier, up to the longest', () => {
    const long: Access[] = [
      { ...member, ownScope: 's'.repeat(longestPlaintext - 25) },
      {
        ...client,
        client: 'i'.repeat(255) as ClientId,
        scope: 's'.repeat(longestPlaintext - 22 - 255),
      },
    ];
    for (const access of long) assert.deepEqual(open(sealAccess(key, access)), access);
  });

  test('what there is no room for is not sealed', () => {
    const none: Access[] = [
      { ...member, ownScope: 's'.repeat(longestPlaintext - 24) },
      { ...client, client: 'i'.repeat(256) as ClientId },
      { ...client, client: 'i'.repeat(5000) as ClientId },
      { ...client, client: 'é'.repeat(128) as ClientId },
      { ...member, exchangedFrom: ['x'.repeat(256)] },
      { ...client, resource: 'x'.repeat(256) },
      { ...member, beside: 'x'.repeat(256) },
      { ...member, span: milliseconds(3650 * 86_400_000 + 1) },
      { ...member, span: milliseconds(-1000) },
      { ...member, issuedAt: instant(-1) },
      { ...member, generation: 2 ** 32 },
    ];
    for (const access of none) assert.throws(() => sealAccess(key, access), RangeError);
  });

  test('tokens of one client and one millisecond are all different', () => {
    const next = counterMaker();
    const made = Array.from({ length: 20_000 }, () =>
      sealAccess(key, { ...client, counter: next() }),
    );
    assert.equal(new Set(made).size, made.length);
  });

  test('counters start at random', () => {
    assert.notEqual(counterMaker()(), counterMaker()());
  });
});

describe('the memory of opened texts', () => {
  const other = openSealingKey(5, new Uint8Array(32).fill(8), 'staging', club);

  test('tells a text again without opening it', () => {
    const opener = rememberingOpener(2);
    const [first = '', second = '', third = ''] = texts;
    const opened = opener(first, () => key);
    assert.deepEqual(
      opened,
      openAccess(first, () => key),
    );
    assert.equal(
      opener(first, () => key),
      opened,
    );
    opener(second, () => key);
    opener(third, () => key);
    assert.notEqual(
      opener(first, () => key),
      opened,
    );
    assert.deepEqual(
      opener(first, () => key),
      opened,
    );
  });

  test('forgets with the key: another key of that number, or none, opens nothing', () => {
    const opener = rememberingOpener(2);
    const [text = ''] = texts;
    const opened = opener(text, () => key);
    assert.ok(opened);
    assert.equal(
      opener(text, () => undefined),
      undefined,
    );
    assert.equal(
      opener(text, () => other),
      undefined,
    );
    assert.equal(
      opener(text, () => key),
      opened,
    );
    const again = openSealingKey(5, secret, 'staging', club);
    assert.equal(opener(text, () => again)?.key, again);
  });

  test('holds no refused text', () => {
    const opener = rememberingOpener(1);
    const [text = ''] = texts;
    const opened = opener(text, () => key);
    assert.equal(
      opener(`${text.slice(0, -1)}A`, () => key),
      undefined,
    );
    assert.equal(
      opener(text, () => key),
      opened,
    );
  });
});
