// Tests of how secrets are added and ended on a set clock (FAULTS 25).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { newApiKey, newSecret } from '../../src/cli/entities/secrets.ts';
import type { Digest } from '../../src/lib/digest.ts';
import type { StoredSecret } from '../../src/oauth/client.ts';
import { addSecret, endOlder, liveSecrets } from '../../src/oauth/secret_rotation.ts';
import { at } from '../store/fixtures.ts';

function made(seconds: number, endsIn?: number): StoredSecret {
  const secret = { digest: `made at ${seconds}` as Digest, createdAt: at(seconds) };
  return endsIn === undefined ? secret : { ...secret, expiresAt: at(seconds + endsIn) };
}

test('C-3: an API key tells its environment; both kinds of secret have 256 bits', () => {
  for (const environment of ['staging', 'live'] as const) {
    const key = newApiKey(environment);
    assert.match(key, new RegExp(`^jw_${environment}_[\\w-]{43}$`));
    assert.notEqual(key, newApiKey(environment));
  }
  assert.match(newSecret(), /^[\w-]{43}$/);
});

describe('secret rotation', () => {
  test('a secret is good until the moment it ends, the older one in front', () => {
    const [old, fresh] = [made(0, 10), made(5)];
    assert.deepEqual(liveSecrets([fresh, old], at(9)), [old, fresh]);
    assert.deepEqual(liveSecrets([fresh, old], at(10)), [fresh]);
  });

  test('a new one gives the old one an end, never a later one than it has', () => {
    assert.deepEqual(addSecret([made(0)], made(5), at(100)), { secrets: [made(0, 100), made(5)] });
    assert.deepEqual(addSecret([made(0, 50)], made(5), at(100)), {
      secrets: [made(0, 50), made(5)],
    });
    assert.deepEqual(addSecret([], made(5), at(100)), { secrets: [made(5)] });
  });

  test('a third is refused until one has ended, and those that have are forgotten', () => {
    const two = [made(0, 50), made(5)];
    assert.deepEqual(addSecret(two, made(49), at(100)), { refusal: 'two_live' });
    assert.deepEqual(addSecret(two, made(50), at(100)), { secrets: [made(5, 95), made(50)] });
  });

  test('without an overlap the new one alone is left', () => {
    assert.deepEqual(addSecret([made(0, 50), made(5)], made(6), undefined), {
      secrets: [made(6)],
    });
  });

  test('one that is good already is not added again', () => {
    const again = { ...made(0), createdAt: at(9) };
    for (const endsAt of [undefined, at(100)]) {
      assert.deepEqual(addSecret([made(0)], again, endsAt), { refusal: 'held_already' });
    }
  });

  test('ending the older takes two that are good', () => {
    assert.deepEqual(endOlder([made(5), made(0, 50)], at(9)), { secrets: [made(5)] });
    assert.deepEqual(endOlder([made(5), made(0, 50)], at(60)), { refusal: 'one_live' });
    assert.deepEqual(endOlder([made(5)], at(9)), { refusal: 'one_live' });
  });
});
