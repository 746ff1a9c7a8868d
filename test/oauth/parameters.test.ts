// Tests of decoding parameters; where the text is valid, URLSearchParams and JSON.parse agree.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  MalformedParameters,
  memberPath,
  maxParameters,
  type Parameters,
  parseForm,
  parseJsonObject,
} from '../../src/oauth/parameters.ts';
import { anyText, fc } from '../support/property.ts';

/** Pairs of a form by name, as URLSearchParams reads them. */
function byStandard(text: string): Parameters {
  const found = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  return found;
}

const oddName = fc.constantFrom('', '__proto__', 'constructor', 'a[b]', 'a.b', 'é', ' ', '=');

describe('parseForm', () => {
  test('reads whatever a form encoder wrote', () => {
    const pairs = fc.array(fc.tuple(fc.oneof(anyText(), oddName), anyText()), { maxLength: 20 });
    fc.assert(
      fc.property(pairs, (sent) => {
        const body = new URLSearchParams(sent).toString();
        const found = parseForm(body);
        assert.deepEqual(found, byStandard(body));
        assert.equal([...found.values()].flat().length, sent.length);
      }),
    );
  });

  test('reads any text as URLSearchParams does, or refuses it', () => {
    const raw = fc.string({ unit: fc.constantFrom(...Array.from('ab=&+%20zC3é\u2028;?#[]"')) });
    fc.assert(
      fc.property(raw, (tail) => {
        const body = `a=1&${tail}`;
        let found: Parameters;
        try {
          found = parseForm(body);
        } catch (error) {
          assert.ok(error instanceof MalformedParameters);
          // Only what has an escape that is no UTF-8 is refused.
          assert.throws(() => decodeURIComponent(body), URIError);
          return;
        }
        assert.deepEqual(found, byStandard(body));
      }),
    );
  });

  test('keeps every value of a name, in order', () => {
    const read = (text: string) => Object.fromEntries(parseForm(text));
    assert.deepEqual(read('a=1&b=2&a=&a=3&a'), { a: ['1', '', '3', ''], b: ['2'] });
    assert.deepEqual(read('a=b=c&=x'), { a: ['b=c'], '': ['x'] });
    for (const empty of ['', '&&']) assert.deepEqual(read(empty), {});
  });

  test('refuses escapes that are no UTF-8', () => {
    for (const text of 'a=% a=%4 a=%zz a=%ff a=%C3 a=%ED%A0%80 %zz=a a=%C0%80'.split(' ')) {
      assert.throws(() => parseForm(text), MalformedParameters, text);
    }
  });

  test(`takes ${maxParameters} parameters and no more`, () => {
    const pairs = (count: number): string => Array.from({ length: count }, () => 'a=1').join('&');
    assert.equal(parseForm(pairs(maxParameters)).get('a')?.length, maxParameters);
    assert.throws(() => parseForm(pairs(maxParameters + 1)), MalformedParameters);
    assert.throws(() => parseForm('&'.repeat(maxParameters + 1)), MalformedParameters);
  });
});

/** Reads every member that stands in no list, and the members of the given objects. */
function readJson(text: string, objects: ReadonlySet<string> = new Set()): Parameters {
  return parseJsonObject(text, { values: everything, objects });
}

const everything = new (class extends Map<string, undefined> {
  override has(): boolean {
    return true;
  }
})();

describe('parseJsonObject', () => {
  const scalar = fc.oneof(anyText(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null));

  test('reads text, whole numbers, booleans and null of any object', () => {
    const objects = fc.dictionary(fc.oneof(anyText(), oddName), scalar, { maxKeys: 20 });
    fc.assert(
      fc.property(objects, fc.constantFrom(undefined, 1), (object, indent) => {
        const expected = Object.entries(object).map(
          ([name, value]) => [name, [value === null ? '' : String(value)]] as const,
        );
        assert.deepEqual(readJson(JSON.stringify(object, null, indent)), new Map(expected));
      }),
    );
  });

  test('sees a member that is there twice, which JSON.parse does not', () => {
    const twice = readJson('{"code":"a","x":"y","code":"b"}');
    assert.equal(twice.get('code')?.length, 2);
    assert.equal(readJson('{"code":"a","\\u0063ode":"b"}').get('code')?.length, 2);
    assert.equal(readJson('{"__proto__":"a","__proto__":"b"}').get('__proto__')?.length, 2);
    // A name inside a text is none.
    const named = readJson('{"a":"\\",\\"a\\":{\\"a\\":1","b":"}"}');
    assert.deepEqual(Object.fromEntries(named), { a: ['","a":{"a":1'], b: ['}'] });
  });

  test('refuses what is not an object of plain values', () => {
    const bad = `x [] null "a" 1 { {"a":1,} {'a':1} {"a":{}} {"a":[]} {"a":["b"]} {"a":1.5}
      {"a":9007199254740993} {"a":1e400}`.split(/\s+/);
    for (const text of [...bad, '', '{"a":"b"} x', '\ufeff{}']) {
      assert.throws(() => readJson(text), MalformedParameters, text);
    }
    const many = Array.from({ length: maxParameters + 1 }, (_, index) => `"a${index}":1`);
    assert.throws(() => readJson(`{${many.join(',')}}`), MalformedParameters);
    assert.throws(() => readJson(`{"a":${'['.repeat(20_000)}`), MalformedParameters);
    const deep = `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    assert.throws(() => readJson(deep), MalformedParameters);
  });

  test('tells only the name of a member that is not read, whatever its type', () => {
    const paths = { values: new Map([['code', undefined]]), objects: new Set<string>() };
    const text =
      '{"code":"a","list":["b",{"code":1}],"map":{"code":"c","d":{}},"part":1.5,"big":1e400}';
    assert.deepEqual(
      [...parseJsonObject(text, paths)],
      [
        ['code', ['a']],
        ['list', ['']],
        ['map', ['']],
        ['part', ['']],
        ['big', ['']],
      ],
    );
    assert.deepEqual(parseJsonObject('{"x":[1],"x":{}}', paths).get('x'), ['', '']);
    assert.throws(() => parseJsonObject('{"code":["a"],"x":[]}', paths), {
      message: 'code is neither text, a whole number, true nor false',
    });
  });

  test('joins a list of texts where a member can be one', () => {
    const paths = { values: new Map([['scope', ',']]), objects: new Set<string>() };
    const read = (text: string) => parseJsonObject(text, paths).get('scope');
    assert.deepEqual(read('{"scope":["a","b"]}'), ['a,b']);
    assert.deepEqual(read('{"scope":["a"],"more":["b"]}'), ['a']);
    assert.deepEqual(read('{"scope":[]}'), ['']);
    assert.deepEqual(read('{"scope":"a"}'), ['a']);
    for (const bad of ['[1]', '["a",null]', '[["a"]]', '{}', '1.5']) {
      assert.throws(() => read(`{"scope":${bad}}`), MalformedParameters, bad);
    }
  });

  test('refuses a nested member though a plain one of its name stands beside it', () => {
    assert.throws(() => readJson('{"a":"b","a":{"c":1}}'), MalformedParameters);
    assert.equal(readJson('{"a":{"a":"x"},"a":"b"}').get('a')?.length, 2);
  });
});

describe('objects in a JSON body', () => {
  const objects = new Set([memberPath(['a']), memberPath(['a', 'b'])]);
  const read = (text: string): [string, readonly string[]][] => [...readJson(text, objects)];

  test('members of those that are read stand under their paths', () => {
    assert.deepEqual(read('{"a":{"b":{"c":"1"},"d":2},"c":"3"}'), [
      ['a', ['']],
      [memberPath(['a', 'b']), ['']],
      [memberPath(['a', 'b', 'c']), ['1']],
      [memberPath(['a', 'd']), ['2']],
      ['c', ['3']],
    ]);
  });

  test('a member or an object that is there twice is seen twice, at any depth (HOSTILE 43)', () => {
    const twice = (text: string): string[] =>
      read(text).flatMap(([path, values]) => (values.length > 1 ? [path] : []));
    assert.deepEqual(twice('{"a":{"b":{"c":"1","c":"2"}}}'), [memberPath(['a', 'b', 'c'])]);
    assert.deepEqual(twice('{"a":{},"a":{"d":"1"}}'), ['a']);
    assert.deepEqual(twice('{"a":{"d":":{"},"d":"a"}'), []);
  });

  test('what is nested elsewhere, and a text where an object is meant, is refused (HOSTILE 46)', () => {
    const bad = '{"a":"x"} {"a":[]} {"a":null} {"a":{"e":{}}} {"e":{}} {"a":{"b":[{}]}}';
    for (const text of bad.split(' ')) assert.throws(() => read(text), MalformedParameters, text);
    assert.deepEqual(read('{"__proto__":"1","a":{"__proto__":"2"}}').length, 3);
  });
});
