// Tests of reading credentials out of an Authorization header (HOSTILE 38, 39).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { basicToken, decodeCredentials } from '../../src/oauth/basic.ts';
import { anyText } from '../support/any_text.ts';
import { fc } from '../support/property.ts';

function base64(text: string | Uint8Array): string {
  return Buffer.from(text).toString('base64');
}

/** What an identifier or secret can be: text without control characters (RFC 7617 2). */
const text = anyText().filter((value) => !/\p{Cc}/u.test(value));
const identifier = text.filter((value) => value !== '' && !value.includes(':'));

describe('basicToken', () => {
  test('is what follows the scheme, which may be in any case', () => {
    for (const header of ['Basic YTpi', 'basic YTpi', 'BASIC   YTpi']) {
      assert.equal(basicToken(header), 'YTpi');
    }
  });

  test('is undefined for another scheme, none, or more than one token', () => {
    for (const header of [
      '',
      'Basic',
      'Basic ',
      'BasicYTpi',
      'Bearer YTpi',
      'YTpi',
      'Basic\tYTpi',
    ]) {
      assert.equal(basicToken(header), undefined, header);
    }
    for (const header of ['Basic a b', ' Basic YTpi', 'Basic YTpi ', 'X Basic YTpi']) {
      assert.equal(basicToken(header), undefined, header);
    }
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
        assert.deepEqual(decodeCredentials(base64(`${name}:${value}`), 'form'), {
          id,
          secrets: [secret],
        });
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
    const bad: readonly string[] = [
      '',
      '=',
      '====',
      'A',
      'YTpi=',
      'YTpiYw=',
      'YTpiYw===',
      'YTp=i',
      'YT!pi',
      'YT pi',
      'YTpi\n',
      'YT-_',
      base64('no colon'),
      base64(':secret'),
      base64('a\u0000:b'),
      base64('a:b\u007f'),
      base64('a:b\n'),
      base64(Uint8Array.of(0x61, 0x3a, 0xff)),
      base64(Uint8Array.of(0x61, 0x3a, 0xc0, 0x80)),
      base64(Uint8Array.of(0x61, 0x3a, 0xed, 0xa0, 0x80)),
    ];
    for (const token of bad) assert.equal(decodeCredentials(token, 'raw'), undefined, token);
    for (const pair of ['a:%zz', 'a:%', '%ff:b', 'a:%00', 'a%0A:b']) {
      assert.equal(decodeCredentials(base64(pair), 'form'), undefined, pair);
    }
  });

  test('a byte order mark is a character like any other', () => {
    assert.deepEqual(decodeCredentials(base64('\ufeffa:b'), 'raw'), {
      id: '\ufeffa',
      secrets: ['b'],
    });
  });
});

describe('credentials that are each in base64', () => {
  const encode = (plain: string): string => Buffer.from(plain).toString('base64');
  const decode = (pair: string) => decodeCredentials(encode(pair), 'base64');

  test('identifier and secret may hold colons', () => {
    assert.deepEqual(decode(`${encode('V1:1:A:B')}:${encode('p:w')}`), {
      id: 'V1:1:A:B',
      secrets: ['p:w'],
    });
  });

  test('what is not base64 within base64 is no credentials', () => {
    for (const bad of ['a:b', `${encode('a')}:b!`, `${encode('a')}:`, encode('a'), ':YQ==']) {
      assert.equal(decode(bad), undefined, bad);
    }
    assert.equal(decode(`${encode('a\nb')}:${encode('c')}`), undefined);
  });
});
