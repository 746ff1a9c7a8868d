// Tests of the search for secrets: what it does not find, no other test can.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { randomKey } from '../../src/lib/random.ts';
import { formsOf, Hoard } from './hoard.ts';
import { awkward } from './scene.ts';

test('the search finds a secret in every form it is said to, and nothing where there is none', () => {
  const hoard = new Hoard();
  const secret = hoard.keep('it', `${randomKey(12)}${awkward}${randomKey(12)}`);
  const token = hoard.keep('token', Buffer.from(randomKey(24)).toString('hex'));
  const basic = Buffer.from(`partnerapi-00001:${secret}`).toString('base64');
  for (const text of [
    `client_secret=${encodeURIComponent(secret)}&x`,
    `Authorization: Basic ${basic}`,
    `Authorization: Basic ${Buffer.from(`p:${encodeURIComponent(secret)}`).toString('base64')}`,
    new URLSearchParams({ password: secret }).toString(),
    JSON.stringify({ detail: JSON.stringify({ secret }) }),
    Buffer.from(`'${secret}'`).toString('hex'),
    Buffer.from(token, 'hex'),
    Buffer.from(token, 'hex').toString('base64url'),
    `Bearer ${token}`,
    `…${token.slice(-16)}`,
  ]) {
    const found = hoard.findIn(new Map([['here', Buffer.from(text)]]));
    assert.notDeepEqual(found, [], String(text));
  }
  const other = new Map([['here', Buffer.from(`${awkward} ${randomKey(64)}`)]]);
  assert.deepEqual(hoard.findIn(other), []);
  assert.ok([...formsOf(secret).values()].every(({ length }) => length >= 16));
});
