// Owns the promises of reading a hook's answers: the contract's pass, whatever else is broken.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { BrokenAnswer, readStatus, readVerification } from '../../src/members/hook.ts';
import { fc } from '../support/property.ts';

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const match = (member: unknown): unknown => ({ outcome: 'match', member });

describe('an answer to /verify', () => {
  test('each outcome of the contract', () => {
    const whole = {
      subject: 'airline-4711',
      membership_number: '1234567890123456',
      level: 'AUTHN-LEVEL-12',
      roles: ['gold', 'family head'],
      properties: { tier: 'gold', 'given.name': 'Zoë' },
    };
    assert.deepEqual(readVerification(bytes(match(whole))), {
      outcome: 'match',
      member: {
        subject: 'airline-4711',
        membershipNumber: '1234567890123456',
        level: 'AUTHN-LEVEL-12',
        properties: { tier: 'gold', 'given.name': 'Zoë' },
      },
    });
    assert.deepEqual(readVerification(bytes(match({ subject: 's' }))), match({ subject: 's' }));
    assert.deepEqual(readVerification(bytes({ outcome: 'no_match' })), { outcome: 'no_match' });
    assert.deepEqual(readVerification(bytes({ outcome: 'blocked' })), { outcome: 'blocked' });
  });

  const broken: Readonly<Record<string, unknown>> = {
    'no object': [],
    'nothing at all': null,
    'a text': 'match',
    'no outcome': {},
    'an unknown outcome': { outcome: 'maybe' },
    'an outcome in another case': { outcome: 'Match', member: { subject: 's' } },
    'a match of nobody': { outcome: 'match' },
    'a match of null': match(null),
    'a member that is no match': { outcome: 'no_match', member: { subject: 's' } },
    'a member more': { outcome: 'no_match', reason: 'unknown' },
    'a member of the prototype': { outcome: 'no_match', ['__proto__']: {} },
    'no subject': match({}),
    'an empty subject': match({ subject: '' }),
    'a number for a subject': match({ subject: 4711 }),
    'a subject with a line break': match({ subject: 'a\nb' }),
    'a subject with a space': match({ subject: 'a b' }),
    'a subject beyond ASCII': match({ subject: 'zoë' }),
    'a long subject': match({ subject: 'a'.repeat(256) }),
    'a key of the member too many': match({ subject: 's', name: 'Ann' }),
    'a membership number with letters': match({ subject: 's', membership_number: '12a' }),
    'a membership number of 25 digits': match({ subject: 's', membership_number: '1'.repeat(25) }),
    'a membership number that is a number': match({ subject: 's', membership_number: 12 }),
    'a level that is null': match({ subject: 's', level: null }),
    'an empty level': match({ subject: 's', level: '' }),
    'a long level': match({ subject: 's', level: 'a'.repeat(101) }),
    'properties that are a list': match({ subject: 's', properties: ['gold'] }),
    'a property that is a number': match({ subject: 's', properties: { tier: 1 } }),
    'a property with a line break': match({ subject: 's', properties: { tier: 'a\r\nb' } }),
    'an empty property': match({ subject: 's', properties: { tier: '' } }),
    'a long property': match({ subject: 's', properties: { tier: 'a'.repeat(1001) } }),
    'a property of the prototype': match({ subject: 's', properties: { ['__proto__']: 'a' } }),
    '33 properties': match({
      subject: 's',
      properties: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`p${n}`, 'a'])),
    }),
    'a long role': match({ subject: 's', roles: ['a'.repeat(101)] }),
    'roles that are no list': match({ subject: 's', roles: 'gold' }),
    'a role that is no text': match({ subject: 's', roles: [1] }),
    'more roles than anybody has': match({ subject: 's', roles: Array(51).fill('a') }),
  };
  for (const [name, answer] of Object.entries(broken)) {
    test(`${name} is broken`, () => {
      assert.throws(() => readVerification(bytes(answer)), BrokenAnswer);
    });
  }

  test('a member named twice is broken: two readers would see two answers', () => {
    const text = '{"outcome":"no_match","outcome":"match","member":{"subject":"s"}}';
    assert.throws(() => readVerification(Buffer.from(text)), BrokenAnswer);
  });

  test('whatever comes is an answer or broken, and what is broken is not quoted', () => {
    const secret = 'hunter2';
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.jsonValue(), (noise, value) => {
        for (const body of [noise, Buffer.from(JSON.stringify({ [secret]: value }))]) {
          assert.throws(
            () => readVerification(body),
            (error) => error instanceof BrokenAnswer && !error.message.includes(secret),
          );
        }
      }),
    );
  });
});

describe('an answer to /status', () => {
  test('active or inactive, and nothing else', () => {
    assert.equal(readStatus(bytes({ outcome: 'active' })), 'active');
    assert.equal(readStatus(bytes({ outcome: 'inactive' })), 'inactive');
    for (const answer of [
      {},
      { outcome: 'match' },
      { outcome: true },
      { outcome: 'active', member: {} },
      'active',
    ]) {
      assert.throws(() => readStatus(bytes(answer)), BrokenAnswer);
    }
  });
});
