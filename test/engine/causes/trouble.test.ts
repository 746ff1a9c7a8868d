// What `why` tells of outages and errors of the service itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Unavailable } from '../../../src/oauth/failure.ts';
import { askTokens, openClub, programme } from '../../support/club.ts';
import { failingStore } from '../../support/failing_store.ts';
import { shippedProgramme } from '../../support/jetway.ts';
import { assertTold, explained, partner, type Told } from './scene.ts';

test('outages, errors and maintenance are explained, and the log names the request', async (t) => {
  const failing = failingStore();
  const club = await openClub(t, { store: failing.store });
  const told = (came: RegExp): Told => ({
    reason: 'temporarily_unavailable',
    step: 'client',
    expected: 'store and directory that answer in time',
    came,
  });
  const text = shippedProgramme(programme);
  failing.fail('find client', new Unavailable('the disk is gone'));
  await askTokens(club, partner());
  assertTold(
    explained(club, programme, text),
    told(/^the disk is gone/),
    { programme, yaml: text },
    [],
  );
  assert.equal(club.events.at(-1)?.facts['request_id'], club.records.at(-1)?.id);
  failing.fail('find client', new Error('hush'));
  await askTokens(club, partner());
  const crashed = explained(club, programme, text);
  assert.equal(crashed.reason, 'server_error');
  assert.ok(!JSON.stringify(crashed).includes('hush'));
  assert.equal(club.events.at(-1)?.facts['request_id'], crashed.request_id);
});
