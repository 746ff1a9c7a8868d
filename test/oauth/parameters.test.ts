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

/** A member as a client writes it: its name and value, and how these are spelled. */
interface SentMember {
  readonly name: string;
  readonly spelledName: string;
  /** What is read, and its text; an object's members have no text of their own. */
  readonly value: { readonly told: string; readonly spelled: string } | readonly SentMember[];
  readonly space: string;
}

const nested = ['u', 'v'];
const nestedPaths: ReadonlySet<string> = new Set([
  'u',
  'v',
  ...nested.flatMap((outer) => nested.map((inner) => memberPath([outer, inner]))),
]);

/** Every spelling that JSON has for a text: some of its characters escaped, surrogates in two halves. */
function spelled(
  text: fc.Arbitrary<string>,
): fc.Arbitrary<readonly [text: string, spelled: string]> {
  return fc
    .tuple(text, fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }))
    .map(([one, escaped]) => {
      const units = one.split('').map((unit, index) => {
        const code = unit.charCodeAt(0);
        const isHalf = code >= 0xd800 && code <= 0xdfff;
        const hex = `\\u${code.toString(16).padStart(4, '0')}`;
        const isEscaped = escaped[index % escaped.length] === true;
        return isHalf || isEscaped ? hex : JSON.stringify(unit).slice(1, -1);
      });
      return [one, `"${units.join('')}"`] as const;
    });
}

function anyMembers(depth = 0): fc.Arbitrary<readonly SentMember[]> {
  const number = fc.oneof(
    fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
    fc.constantFrom('0', '-0', '9007199254740993'),
  );
  const scalar = fc.oneof(
    spelled(anyText(8)),
    fc.oneof(number, fc.constantFrom('true', 'false')).map((text) => [text, text] as const),
    fc.constant(['', 'null'] as const),
  );
  const plain = fc.record({
    name: spelled(fc.oneof(anyText(3), fc.constantFrom('a', 'a', 'b', '__proto__', 'u\0u', 'u.u'))),
    value: scalar.map(([text, written]) => ({ told: text, spelled: written })),
    space: fc.constantFrom('', ' ', '\n\t'),
  });
  const object = fc.record({
    name: spelled(fc.constantFrom(...nested)),
    value: depth < 2 ? fc.nat(0).chain(() => anyMembers(depth + 1)) : fc.constant([]),
    space: fc.constantFrom('', ' '),
  });
  const member = (depth < 2 ? fc.oneof(plain, plain, object) : plain).map(
    ({ name: [name, spelledName], ...rest }): SentMember => ({ name, spelledName, ...rest }),
  );
  return fc.array(
    member.filter(({ name, value }) => Array.isArray(value) || !nested.includes(name)),
    { maxLength: 4 },
  );
}

function sentAs(members: readonly SentMember[]): string {
  const written = members.map(({ spelledName, value, space }) => {
    const text = 'told' in value ? value.spelled : sentAs(value);
    return `${space}${spelledName}${space}:${space}${text}${space}`;
  });
  return `{${written.join(',')}}`;
}

function* told(
  members: readonly SentMember[],
  within: readonly string[],
): Iterable<readonly [path: string, value: string]> {
  for (const { name, value } of members) {
    const path = [...within, name];
    yield [memberPath(path), 'told' in value ? value.told : ''];
    if (!('told' in value)) yield* told(value, path);
  }
}

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
      {"a":9007199254740993.0} {"a":1e400}`.split(/\s+/);
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
    assert.throws(() => readJson('{"a":{"c":1},"a":"b"}'), MalformedParameters);
  });

  test('HOSTILE 77: a text that is not well-formed Unicode is refused, wherever it stands', () => {
    const bad = String.raw`{"a":"\ud800"} {"a":"x\uDC00\ud800y"} {"\udfff":1} {"b":{"c":["\ud83d"]}}`;
    for (const text of bad.split(' ')) {
      const message = 'the body is refused: a text in it is not well-formed Unicode';
      assert.throws(() => parseJsonObject(text, { values: new Map(), objects: new Set() }), {
        message,
      });
    }
    assert.deepEqual(readJson(String.raw`{"a":"\ud83d\ude00"}`), new Map([['a', ['😀']]]));
  });

  test('HOSTILE 78: a number is read by its digits, a name is never taken for a path', () => {
    const number = '123456789012345678901234';
    // Some libraries write whole numbers so.
    const odd = readJson('{"a":1000.0,"b":1e3,"c":-5}');
    assert.deepEqual([...odd.values()], [['1000'], ['1000'], ['-5']]);
    assert.deepEqual(readJson(`{"a":${number}}`), new Map([['a', [number]]]));
    assert.deepEqual(readJson('{"a":-0}'), new Map([['a', ['-0']]]));
    const paths = {
      values: new Map([[memberPath(['user', 'id']), undefined]]),
      objects: new Set(['user']),
    };
    for (const name of ['user\0id', 'user.id', 'user/id', 'user id']) {
      const found = parseJsonObject(JSON.stringify({ [name]: 'x' }), paths);
      assert.deepEqual(found, new Map([[name, ['']]]), name);
    }
  });

  test('HOSTILE 78: reads any text as its members stand in it', () => {
    fc.assert(
      fc.property(anyMembers(), (members) => {
        const expected = new Map<string, string[]>();
        for (const [path, value] of told(members, [])) {
          expected.set(path, [...(expected.get(path) ?? []), value]);
        }
        const body = sentAs(members);
        const found = parseJsonObject(body, { values: everything, objects: nestedPaths });
        assert.deepEqual([...found], [...expected], body);
      }),
      { numRuns: 500 },
    );
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
