// Tests of the prepared HMAC against node's own.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';

import { prepareHmac } from '../../src/lib/hmac.ts';
import { fc } from '../support/property.ts';

test('a prepared HMAC is the HMAC-SHA256 of RFC 2104, for every key and message', () => {
  const keys = fc.uint8Array({ maxLength: 64 });
  const messages = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(keys, messages, (key, texts) => {
      const { message, digest } = prepareHmac(key, 300);
      for (const text of texts) {
        message.set(text);
        const expected = createHmac('sha256', key).update(text).digest();
        assert.equal(digest(text.length, 'binary'), expected.toString('latin1'));
        assert.equal(digest(text.length, 'base64url'), expected.toString('base64url'));
      }
    }),
    { numRuns: 300 },
  );
});

test('a key longer than a block, which would have to be hashed, is refused', () => {
  assert.throws(() => prepareHmac(new Uint8Array(65), 1), RangeError);
});
