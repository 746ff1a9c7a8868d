// Owns the promises about addresses: what a call to the internet may reach, by name too.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { callableAddress, guardedLookup } from '../../../src/lib/calls/public_addresses.ts';
import { nameHere } from '../../support/name_here.ts';

test('public addresses may be called, special ones not, in whatever spelling', () => {
  const mayCall = callableAddress([]);
  for (const address of ['1.1.1.1', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8']) {
    assert.ok(mayCall(address), address);
  }
  const special =
    '0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.168.1.1 198.18.0.1 224.0.0.1 ' +
    '255.255.255.255 :: ::1 fe80::1 fd00::1 ff02::1 ::ffff:127.0.0.1 ::ffff:a00:1 64:ff9b::7f00:1 2002:7f00:1:: ' +
    '2001:db8::1 2001::1 fe80::1%eth0 localhost 127.1 0x7f.1';
  for (const address of special.split(' ')) assert.ok(!mayCall(address), address);
});

test('networks of the configuration may be called besides', () => {
  const mayCall = callableAddress(['10.1.0.0/16', 'fd00::/8']);
  assert.deepEqual(
    ['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1', '10.2.0.1', '127.0.0.1', '1.1.1.1'].map(mayCall),
    [true, true, true, false, false, true],
  );
});

test('a name is looked up once, and leads only to addresses that may be called', async () => {
  const found = (networks: readonly string[], all: boolean): Promise<unknown> =>
    new Promise((resolve) => {
      guardedLookup(callableAddress(networks))(
        nameHere,
        { all, family: 4 },
        (error, address, family) => resolve(error === null ? [address, family] : error.code),
      );
    });
  assert.equal(await found([], false), 'a private address');
  assert.equal(await found([], true), 'a private address');
  assert.deepEqual(await found(['127.0.0.0/8'], false), ['127.0.0.1', 4]);
  assert.deepEqual(await found(['127.0.0.0/8'], true), [
    [{ address: '127.0.0.1', family: 4 }],
    undefined,
  ]);
});
