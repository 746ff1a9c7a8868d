// Owns the promises of strict JSON: one meaning or none, and no word of what was refused.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parseStrictJson } from '../../src/lib/strict_json.ts';
import { fc } from '../support/property.ts';

const read = (text: string): unknown => parseStrictJson(Buffer.from(text));

describe('strict JSON', () => {
  test('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(read(JSON.stringify(value)), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  const repeated = [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"b":{"a":1,"c":[{"a":2}],"a":3}}',
    '[{"a":"\\"","a":2}]',
    '{"__proto__":1,"__proto__":2}',
  ];
  for (const text of repeated) {
    test(`refuses a member named twice: ${text}`, () => {
      assert.throws(() => read(text), { message: 'a member is named twice' });
    });
  }

  test('the same name in two objects is none named twice', () => {
    assert.deepEqual(read('{"a":{"a":1},"b":[{"a":1},{"a":2}]}'), {
      a: { a: 1 },
      b: [{ a: 1 }, { a: 2 }],
    });
  });

  test('HOSTILE 77: a text that is not well-formed Unicode is refused', () => {
    const message = 'a text in it is not well-formed Unicode';
    for (const text of [
      String.raw`"\ud800"`,
      String.raw`{"\uDC00":1}`,
      String.raw`[{"a":["\udbff\u0061"]}]`,
    ]) {
      assert.throws(() => read(text), { message });
    }
    assert.equal(read(String.raw`"\ud83d\ude00"`), '😀');
  });

  test('HOSTILE 89: one byte order mark before the value is no part of it (RFC 8259 8.1)', () => {
    assert.deepEqual(parseStrictJson(Buffer.from('\u{feff}{"a":"\u{feff}"}\r\n')), {
      a: '\u{feff}',
    });
  });

  test('what is no JSON, or no UTF-8, is refused without being quoted', () => {
    for (const bytes of [
      Buffer.from('{"password":"hunter2"'),
      Buffer.from(''),
      Buffer.from('\u{feff}\u{feff}{}'),
      Buffer.from('{"a":\u{feff}1}'),
      Buffer.from('\u{feff}{}', 'utf16le'),
      Buffer.from([0x22, 0xff, 0x22]),
    ]) {
      assert.throws(() => parseStrictJson(bytes), { message: 'not JSON in UTF-8' });
    }
  });
});
