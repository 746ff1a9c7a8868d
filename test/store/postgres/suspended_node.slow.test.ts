// A node that goes on after a suspension of its machine, before its clock does.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { at } from '../fixtures.ts';
import { postgresScene } from './scratch.ts';

const facts = { name: 'machine:7', version: '1', programmes: {}, settings: {} };

test('FAULTS 34: a node that was suspended takes no other its number', async (t) => {
  const { open, query } = await postgresScene(t);
  const onFatal = (): void => assert.fail('the store can no longer be used');
  const [one, other] = [await open({ onFatal }), await open({ onFatal })];
  assert.equal(await one.leaseNode(at(0), 'one', facts), 0);
  // Meanwhile that lease ended, and a new server got the number.
  assert.equal(await other.leaseNode(at(3600), 'other', facts), 0);
  // Before its clock has gone on.
  assert.equal(await one.leaseNode(at(1), 'one', facts), 1);
  assert.equal(await other.leaseNode(at(3601), 'other', facts), 0);
  // Of a clock that was ahead, or of a server that has ended.
  await query('UPDATE node_lease SET beat_clock = beat_clock - 3600000');
  assert.equal(await one.leaseNode(at(2), 'new', facts), 0);
});
