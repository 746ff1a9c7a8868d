// Tests of IP addresses: one spelling each, the network that limits count by, lists of networks.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { networkOf, networkTest, plainAddress } from '../../src/lib/ip_address.ts';
import { fc } from '../support/property.ts';

test('each address has one spelling, and IPv4 inside IPv6 is IPv4', () => {
  const spellings: readonly (readonly [string, string | undefined])[] = [
    ['192.0.2.7', '192.0.2.7'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['::1', '::1'],
    ['fe80::1%eth0', undefined],
    ['192.0.2.07', undefined],
    ['192.0.2', undefined],
    ['localhost', undefined],
    ['', undefined],
  ];
  for (const [text, plain] of spellings) assert.equal(plainAddress(text), plain, text);
});

test('IPv4 counts by address, IPv6 by its /64', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(networkOf('2001:db8::6'), '2001:db8:0:0::/64');
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('2001:db8:1:2::'), '2001:db8:1:2::/64');
  assert.equal(networkOf('::1.0.0.0'), '0:0:0:0::/64');
  assert.equal(networkOf('somewhere'), 'somewhere');
});

test('the /64 is one for all its addresses, however they are written, and no other', () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), (text, change) => {
      const plain = plainAddress(text);
      // Some are written with an IPv4 address at their end.
      fc.pre(plain !== undefined && !plain.includes('.'));
      const whole = wholeOf(plain ?? '');
      const sameNetwork = plainAddress(textOf(whole ^ change)) ?? '';
      const otherNetwork = plainAddress(textOf(whole ^ (change << 64n))) ?? '';
      fc.pre(!sameNetwork.includes('.') && !otherNetwork.includes('.'));
      assert.equal(networkOf(sameNetwork), networkOf(plain ?? ''));
      assert.notEqual(networkOf(otherNetwork), networkOf(plain ?? ''));
    }),
  );
});

/** The number an IPv6 address is. */
function wholeOf(address: string): bigint {
  const [left = '', right] = address.split('::');
  const groups = (text = ''): string[] => (text === '' ? [] : text.split(':'));
  const zeros = 8 - groups(left).length - groups(right).length;
  const all = [...groups(left), ...Array.from({ length: zeros }, () => '0'), ...groups(right)];
  return BigInt(`0x${all.map((group) => group.padStart(4, '0')).join('')}`);
}

function textOf(whole: bigint): string {
  const digits = whole.toString(16).padStart(32, '0');
  return (digits.match(/.{4}/g) ?? []).join(':');
}

test('a list of networks holds what is in one of them', () => {
  const isOurs = networkTest(['10.0.0.0/8', '192.0.2.7/32', 'fd00::/8']);
  for (const address of ['10.255.0.1', '192.0.2.7', 'fd12::1']) assert.ok(isOurs(address), address);
  for (const address of ['11.0.0.1', '192.0.2.8', 'fe80::1', '', 'x']) {
    assert.ok(!isOurs(address), address);
  }
  assert.ok(!networkTest([])('10.0.0.1'));
});
