// HOSTILE 21: where a request came from, whatever it says of itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { callerAddress } from '../../src/http/read_request.ts';
import { networkTest } from '../../src/lib/ip_address.ts';
import { fc } from '../support/property.ts';

const isProxy = networkTest(['10.0.0.0/8', 'fd00::/8']);
const from = (peer: string, ...forwarded: string[]): string =>
  callerAddress(peer, () => forwarded, isProxy);

test('HOSTILE 21: from who is no trusted proxy, X-Forwarded-For is not even read', () => {
  const unread = (): never => assert.fail('it was read');
  assert.equal(callerAddress('192.0.2.7', unread, isProxy), '192.0.2.7');
  assert.equal(callerAddress('::ffff:192.0.2.7', unread, isProxy), '192.0.2.7');
  assert.equal(callerAddress('', unread, isProxy), '');
});

test('HOSTILE 21: behind trusted proxies it is the rightmost hop that is none of them', () => {
  assert.equal(from('10.0.0.1', '198.51.100.1'), '198.51.100.1');
  assert.equal(from('::ffff:10.0.0.1', '203.0.113.9, 198.51.100.1'), '198.51.100.1');
  assert.equal(from('10.0.0.1', '203.0.113.9, 198.51.100.1, 10.0.0.2 ,fd00::2'), '198.51.100.1');
  assert.equal(from('10.0.0.1', '203.0.113.9', '198.51.100.1', '10.0.0.2'), '198.51.100.1');
  assert.equal(from('fd00::1', '2001:DB8:0::5'), '2001:db8::5');
  assert.equal(from('10.0.0.1', '::ffff:198.51.100.1'), '198.51.100.1');
});

test('HOSTILE 21: ports and brackets, as some proxies write them, are no part of a hop', () => {
  assert.equal(from('10.0.0.1', '198.51.100.1:4711'), '198.51.100.1');
  assert.equal(from('10.0.0.1', '[2001:db8::5]:4711'), '2001:db8::5');
  assert.equal(from('10.0.0.1', '[2001:db8::5]'), '2001:db8::5');
});

test('HOSTILE 21: where the chain is broken off, or all of it trusted, the last that is known', () => {
  assert.equal(from('10.0.0.1'), '10.0.0.1');
  assert.equal(from('10.0.0.1', ''), '10.0.0.1');
  for (const garbage of ['unknown', 'fe80::1%eth0', '_hidden', '1.2.3.4.5', 'a.example:80', ',']) {
    assert.equal(from('10.0.0.1', `198.51.100.1, ${garbage}`), '10.0.0.1', garbage);
    assert.equal(from('10.0.0.1', `198.51.100.1, ${garbage}, 10.0.0.2`), '10.0.0.2', garbage);
  }
  assert.equal(from('10.0.0.1', '10.0.0.3, 10.0.0.2'), '10.0.0.3');
});

test('HOSTILE 21: what stands left of the hop a trusted proxy wrote changes nothing', () => {
  const outside = fc.ipV4().filter((address) => !address.startsWith('10.'));
  const proxies = fc.array(
    fc.integer({ min: 0, max: 255 }).map((last) => `10.0.0.${last}`),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(fc.string(), outside, proxies, (claimed, caller, hops) => {
      assert.equal(from('10.0.0.1', claimed, [caller, ...hops].join(', ')), caller);
    }),
  );
});
