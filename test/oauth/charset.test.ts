// Tests of charsets: ASCII passes in each that holds it, other bytes are what the charset says (G-9).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { charsetOf } from '../../src/oauth/charset.ts';
import { MalformedParameters } from '../../src/oauth/parameters.ts';

const plain = 'grant_type=refresh_token&refresh_token=0a.B-_~&x=%26%3D%2b+%0a';
const read = new Map([
  ['grant_type', ['refresh_token']],
  ['refresh_token', ['0a.B-_~']],
  ['x', ['&=+ \n']],
]);

test('G-9: a form of ASCII is the same in every charset that holds ASCII', () => {
  const labels = `utf-8 utf8 us-ascii ascii iso-8859-1 latin1 iso-8859-15 cp1252 windows-1252
    windows-1251 koi8-r macintosh ibm866 gbk gb18030 big5 shift_jis iso-2022-jp euc-jp euc-kr
    iso8859_1 8859_1 iso8859_15 euc_jp euc_kr iso646-us ibm437 cp850 ibm858 x-macroman`;
  for (const label of labels.split(/\s+/)) {
    assert.deepEqual(charsetOf(label)?.form(Buffer.from(plain)), read, label);
  }
});

test('HOSTILE 44: a charset in which ASCII is something else, or that nobody knows, is none', () => {
  const labels = `utf-16 utf-16le utf-16be ucs-2 unicode utf-32 utf-32le utf-7 iso-2022-kr
    hz-gb-2312 replacement ebcdic x utf-8,x cp037 ibm1047 utf_16 iso8859_99`;
  for (const label of ['', ...labels.split(/\s+/)]) {
    assert.equal(charsetOf(label), undefined, label);
  }
});

test('G-9: other bytes are what the charset says, percent-encoded or not', () => {
  for (const [label, bytes, text] of [
    ['iso-8859-1', 'e9', 'é'],
    ['iso-8859-1', 'c3a9', 'Ã©'],
    ['iso-8859-1', '80', '€'],
    ['iso-8859-15', 'a4', '€'],
    ['iso8859_15', 'a4', '€'],
    ['windows-1251', 'e9', 'й'],
    ['shift_jis', '835c', 'ソ'],
    ['gb18030', '81308130', '\u0080'],
    ['utf-8', 'c3a9', 'é'],
  ] as const) {
    const sent = [`%${bytes.match(/../g)?.join('%')}`, Buffer.from(bytes, 'hex')] as const;
    for (const value of sent) {
      const body = Buffer.concat([
        Buffer.from('a=1&b='),
        Buffer.from(value),
        Buffer.from('&c=%20'),
      ]);
      const expected = new Map(Object.entries({ a: ['1'], b: [text], c: [' '] }));
      assert.deepEqual(charsetOf(label)?.form(body), expected, `${label} ${bytes}`);
    }
  }
});

test('G-9: bytes that no text of the charset has cannot be decoded', () => {
  for (const [label, body] of [
    ['shift_jis', 'a=%ff'],
    ['euc-jp', 'a=%8e'],
    ['iso-8859-1', 'a=%zz'],
    ['iso-8859-1', 'a=%4'],
    ['utf-8', 'a=%e9'],
    ['cp850', 'a=%82'],
    ['cp850', 'a=é'],
  ] as const) {
    assert.throws(() => charsetOf(label)?.form(Buffer.from(body)), MalformedParameters, label);
  }
});
