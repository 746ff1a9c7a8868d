// Tests of reading credentials out of an Authorization header (HOSTILE 38, 39, 88).

import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { describe, test } from 'node:test';

import {
  type BasicCharset,
  credentialsFault,
  decodeCredentials,
  decodeSecret,
  nearReadings,
  tokenAfter,
} from '../../src/oauth/basic.ts';
import { anyText, fc } from '../support/property.ts';

function base64(text: string | Uint8Array): string {
  return Buffer.from(text).toString('base64');
}

/** What an identifier or secret can be: text without control characters (RFC 7617 2). */
const text = anyText().filter((value) => !/\p{Cc}/u.test(value));
const identifier = text.filter((value) => value !== '' && !value.includes(':'));

describe('tokenAfter', () => {
  const basicToken = tokenAfter(['Basic']);

  test('is what follows the scheme, which may be in any case', () => {
    for (const header of ['Basic YTpi', 'basic YTpi', 'BASIC   YTpi']) {
      assert.equal(basicToken(header), 'YTpi');
    }
  });

  test('is undefined for another scheme, none, or more than one token', () => {
    const others = ['', 'Basic', 'Basic ', 'BasicYTpi', 'Bearer YTpi', 'YTpi', 'Basic\tYTpi'];
    const more = ['Basic a b', ' Basic YTpi', 'Basic YTpi ', 'X Basic YTpi'];
    for (const header of [...others, ...more]) assert.equal(basicToken(header), undefined, header);
  });
});

describe('decodeSecret', () => {
  test('takes the half that holds the secret, whatever the other one is', () => {
    for (const [pair, first, second, either] of [
      ['a:', ['a'], [], ['a']],
      [':a', [], ['a'], ['a']],
      ['a:a', ['a'], ['a'], ['a']],
      ['a:b', ['a'], ['b'], []],
      [':a:b', [], ['a:b'], ['a:b']],
      [':', [], [], []],
      ['a', [], [], []],
    ] as const) {
      const token = base64(pair);
      assert.deepEqual(decodeSecret(token, 'raw', 'first'), first, pair);
      assert.deepEqual(decodeSecret(token, 'raw', 'second'), second, pair);
      assert.deepEqual(decodeSecret(token, 'raw', 'either'), either, pair);
    }
  });

  test('decodes it as credentials are decoded', () => {
    assert.deepEqual(decodeSecret(base64(':a%2Bb'), 'either', 'second'), ['a%2Bb', 'a+b']);
    assert.deepEqual(decodeSecret(base64(`${base64('a:b')}:x`), 'base64', 'first'), ['a:b']);
    assert.deepEqual(decodeSecret('YT!pi', 'raw', 'either'), []);
    assert.deepEqual(decodeSecret(base64(':a\nb'), 'raw', 'either'), []);
  });
});

describe('decodeCredentials', () => {
  test('raw: whatever was encoded comes back, padded or not', () => {
    fc.assert(
      fc.property(identifier, text, fc.boolean(), (id, secret, padded) => {
        const token = base64(`${id}:${secret}`);
        const sent = padded ? token : token.replaceAll('=', '');
        assert.deepEqual(decodeCredentials(sent, 'raw'), { id, secrets: [secret] });
      }),
    );
  });

  test('form: whatever a form encoder wrote comes back', () => {
    fc.assert(
      fc.property(identifier, text, (id, secret) => {
        const [name = '', value = ''] = new URLSearchParams([[id, secret]]).toString().split('=');
        const decoded = decodeCredentials(base64(`${name}:${value}`), 'form');
        assert.deepEqual(decoded, { id, secrets: [secret] });
      }),
    );
  });

  test('either: both ways to write a secret are read, whichever was sent', () => {
    const plain = identifier.filter((id) => !/[%+ ]/.test(id));
    fc.assert(
      fc.property(plain, text, (id, secret) => {
        const raw = decodeCredentials(base64(`${id}:${secret}`), 'either');
        assert.equal(raw?.id, id);
        assert.ok(raw.secrets.includes(secret));
        const [name = '', value = ''] = new URLSearchParams([[id, secret]]).toString().split('=');
        const form = decodeCredentials(base64(`${name}:${value}`), 'either');
        assert.equal(form?.id, id);
        assert.ok(form.secrets.includes(secret));
        assert.ok(raw.secrets.length <= 2 && form.secrets.length <= 2);
      }),
    );
    const both = (secret: string): unknown => decodeCredentials(base64(`a:${secret}`), 'either');
    assert.deepEqual(both('b'), { id: 'a', secrets: ['b'] });
    assert.deepEqual(both('b+c%41'), { id: 'a', secrets: ['b+c%41', 'b cA'] });
    assert.deepEqual(both('100%'), { id: 'a', secrets: ['100%'] });
    // What a decoding would make a control character of is good as it is.
    assert.deepEqual(both('b%00'), { id: 'a', secrets: ['b%00'] });
  });

  test('HOSTILE 88: bytes are ISO-8859-1 only where the file says so and they are no UTF-8', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const bytes = fc.array(byte, { maxLength: 8 }).map((tail) => Buffer.from([97, 58, ...tail]));
    fc.assert(
      fc.property(bytes, fc.constantFrom('raw', 'form', 'either'), (sent, encoding) => {
        const token = base64(sent);
        const read = (charset: BasicCharset) => decodeCredentials(token, encoding, charset);
        const either = read('utf-8_or_iso-8859-1');
        if (isUtf8(sent)) return assert.deepEqual(either, read('utf-8'));
        assert.equal(read('utf-8'), undefined);
        const latin = sent.toString('latin1');
        const expected = /\p{Cc}/u.test(latin) ? undefined : { id: 'a', secrets: [latin.slice(2)] };
        assert.deepEqual(either, expected);
      }),
      { numRuns: 1000 },
    );
    const half = base64(Buffer.from(':é%41', 'latin1'));
    assert.deepEqual(decodeSecret(half, 'either', 'second', 'utf-8_or_iso-8859-1'), ['é%41']);
    assert.deepEqual(decodeSecret(half, 'either', 'second'), []);
  });

  test('any: no text that is not base64 is decoded, and none throws', () => {
    const token = fc.string({
      unit: fc.constantFrom(...Array.from('YTpi+/=-_! \n')),
      maxLength: 24,
    });
    fc.assert(
      fc.property(token, fc.constantFrom('raw', 'form', 'either'), (sent, encoding) => {
        const decoded = decodeCredentials(sent, encoding);
        if (decoded === undefined) return;
        assert.match(sent, /^[A-Za-z0-9+/]+={0,2}$/);
        if (encoding !== 'raw') return;
        const again = base64(`${decoded.id}:${decoded.secrets[0]}`);
        assert.equal(Buffer.from(sent, 'base64').toString('base64'), again);
      }),
      { numRuns: 500 },
    );
  });

  test('the first colon splits', () => {
    assert.deepEqual(decodeCredentials(base64('a:b:c'), 'raw'), { id: 'a', secrets: ['b:c'] });
    assert.deepEqual(decodeCredentials(base64('a::'), 'raw'), { id: 'a', secrets: [':'] });
    assert.deepEqual(decodeCredentials(base64('a:'), 'raw'), { id: 'a', secrets: [''] });
    assert.deepEqual(decodeCredentials(base64('a%3Ab:c'), 'form'), { id: 'a:b', secrets: ['c'] });
  });

  test('form decodes plus and percent once, raw leaves them', () => {
    const token = base64('a+b:c%2525+%2B');
    assert.deepEqual(decodeCredentials(token, 'raw'), { id: 'a+b', secrets: ['c%2525+%2B'] });
    assert.deepEqual(decodeCredentials(token, 'form'), { id: 'a b', secrets: ['c%25 +'] });
  });

  test('what cannot be decoded is undefined', () => {
    const malformed = '= ==== A YTpi= YTpiYw= YTpiYw=== YTp=i YT!pi YT-_'.split(' ');
    const decoded = ['no colon', ':secret', 'a\u0000:b', 'a:b\u007f', 'a:b\n'].map(base64);
    const bytes = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80]].map((tail) =>
      base64(Uint8Array.of(0x61, 0x3a, ...tail)),
    );
    const bad = ['', 'YT pi', 'YTpi\n', ...malformed, ...decoded, ...bytes];
    for (const token of bad) assert.equal(decodeCredentials(token, 'raw'), undefined, token);
    for (const pair of ['a:%zz', 'a:%', '%ff:b', 'a:%00', 'a%0A:b']) {
      assert.equal(decodeCredentials(base64(pair), 'form'), undefined, pair);
    }
  });

  test('a byte order mark is a character like any other', () => {
    const decoded = decodeCredentials(base64('\ufeffa:b'), 'raw');
    assert.deepEqual(decoded, { id: '\ufeffa', secrets: ['b'] });
  });
});

describe('credentials that are each in base64', () => {
  const decode = (pair: string) => decodeCredentials(base64(pair), 'base64');

  test('identifier and secret may hold colons', () => {
    const decoded = decode(`${base64('V1:1:A:B')}:${base64('p:w')}`);
    assert.deepEqual(decoded, { id: 'V1:1:A:B', secrets: ['p:w'] });
  });

  test('what is not base64 within base64 is no credentials', () => {
    for (const bad of ['a:b', `${base64('a')}:b!`, `${base64('a')}:`, base64('a'), ':YQ==']) {
      assert.equal(decode(bad), undefined, bad);
    }
    assert.equal(decode(`${base64('a\nb')}:${base64('c')}`), undefined);
  });
});

describe('HOSTILE 90: faults of credentials', () => {
  test('whatever is refused has a fault, and a mended one decodes', () => {
    const pair = fc.tuple(
      identifier,
      text.filter((one) => one !== ''),
    );
    fc.assert(
      fc.property(pair, ([id, secret]) => {
        const ended = base64(`${id}:${secret}\n`);
        assert.equal(decodeCredentials(ended, 'raw'), undefined);
        assert.equal(credentialsFault(ended, 'raw'), 'secret_line_end');
        const inside = base64(`${id}\r\n:${secret}`);
        assert.equal(credentialsFault(inside, 'raw'), 'line_end_inside');
        assert.equal(credentialsFault(base64(`:${id}${secret}`), 'raw'), 'identifier_empty');
      }),
    );
    const junk = fc.uint8Array({ maxLength: 12 }).map(base64);
    const any = fc.oneof(
      junk,
      fc.string({ unit: fc.constantFrom(...Array.from('YTpi+/=-_:% \n')), maxLength: 24 }),
    );
    fc.assert(
      fc.property(any, fc.constantFrom('raw', 'form', 'either', 'base64'), (sent, encoding) => {
        if (decodeCredentials(sent, encoding) !== undefined) return;
        assert.match(
          credentialsFault(sent, encoding),
          /^(?:credentials|identifier|secret_(?:empty|line)|line|control|percent|halves)_?/,
        );
      }),
      { numRuns: 500 },
    );
  });

  test('a secret is tried otherwise only where it bears the mark of a fault', () => {
    assert.deepEqual(nearReadings('a-secret.of_any~kind!'), []);
    assert.deepEqual(nearReadings('" a%41 " '), [
      ['secret_white_space', '" a%41 "'],
      ['secret_percent', '" aA " '],
    ]);
    assert.deepEqual(nearReadings("'a'"), [['secret_quoted', 'a']]);
    assert.deepEqual(nearReadings('100%'), []);
  });
});
