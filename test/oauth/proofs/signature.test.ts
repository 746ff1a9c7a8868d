// Tests of the recipes by which signing secrets sign, against values that openssl and other services give.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { signatureOf, signedPairs } from '../../../src/oauth/proofs/signature.ts';
import { fc } from '../../support/property.ts';

const text = 'code=0907a61c&shop=harbour.shops.example&state=1';

test('an HMAC is that of RFC 2104, a digest that of the text, in each of the hashes and encodings', () => {
  const made = (kind: 'hmac' | 'digest', hash: 'sha256' | 'sha512' | 'sha1' | 'md5'): string =>
    signatureOf({ kind, hash, encoding: 'hex' }, 'what do ya want for nothing?', 'Jefe');
  // RFC 4231 4.3, RFC 2202.
  assert.equal(
    made('hmac', 'sha256'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
  assert.equal(made('hmac', 'sha1'), 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79');
  assert.equal(made('hmac', 'md5'), '750c783e6ab0b503eaa86e310a5db738');
  assert.match(made('hmac', 'sha512'), /^164b7a7bfcf819e2e395fbe73b56e0a3[0-9a-f]{96}$/);
  assert.equal(made('digest', 'md5'), 'd03cb659cbf9192dcd066272249f8412');
  const encodings = (['hex', 'upper_hex', 'base64', 'base64url'] as const).map((encoding) =>
    signatureOf({ kind: 'digest', hash: 'sha1', encoding }, text, ''),
  );
  const [hex = '', upper, base64 = '', base64url] = encodings;
  assert.equal(upper, hex.toUpperCase());
  assert.equal(base64, Buffer.from(hex, 'hex').toString('base64'));
  assert.equal(base64url, Buffer.from(hex, 'hex').toString('base64url'));
});

test('pairs stand in the order of the file, without those that are absent', () => {
  const parameters = { state: '1', code: '0907a61c', shop: 'harbour.shops.example', more: 'x' };
  assert.equal(signedPairs(['code', 'shop', 'state'], parameters), text);
  assert.equal(signedPairs(['state', 'none', 'code'], parameters), 'state=1&code=0907a61c');
});

test('no value passes for another parameter: different parameters have different texts', () => {
  const names = ['a', 'b', 'a=b', 'a&b'];
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', '=', '&', '%', '2', '5', '6') });
  const some = fc.dictionary(fc.constantFrom(...names), texts);
  fc.assert(
    fc.property(some, some, (one, other) => {
      const [left, right] = [signedPairs(names, one), signedPairs(names, other)];
      const isSame = names.every((name) => one[name] === other[name]);
      assert.equal(left === right, isSame, left);
    }),
  );
});
