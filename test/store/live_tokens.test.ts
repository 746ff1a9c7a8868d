// Live tokens: which tokens a mark has ended, whatever wrote it. What changes a mark is in the contract.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isEndedBy, type LiveMark, markText, readMark } from '../../src/store/live_tokens.ts';
import { at, placeAt } from './fixtures.ts';

const mark: LiveMark = { tokenId: 'live', expiresAt: at(60), upTo: at(10), until: at(600) };

test('HOSTILE 74: a mark ends the other tokens of its owner up to the time of its own', () => {
  for (const live of ['one', 'any'] as const) {
    const ends = (tokenId: string, issued: number, by: LiveMark | undefined = mark): boolean =>
      isEndedBy(by, { tokenId, issuedAt: at(issued) }, live, at(20));
    assert.equal(ends('live', 3), false);
    assert.deepEqual([ends('a', 9), ends('a', 10), ends('a', 10.001)], [true, true, false]);
    assert.equal(isEndedBy(undefined, { tokenId: 'a', issuedAt: at(1) }, live, at(20)), false);
    // A clock that was ahead has told a wrong time.
    const other = { ...mark, upTo: at(81) };
    assert.equal(ends('live', 15, other), false);
    assert.equal(ends('a', 15, other), live === 'one');
    // A clock that is ahead by no more than clocks may be apart.
    assert.equal(ends('a', 15, { ...mark, upTo: at(80) }), true);
  }
});

test('a mark is read as it was written', () => {
  for (const one of [mark, { ...mark, login: placeAt(3) }]) {
    assert.deepEqual(readMark(markText(one)), one);
  }
});
