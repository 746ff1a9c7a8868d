// The memory of refusals is bounded, and a flood pushes out its own refusals first.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Instant } from '../../../src/lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../../src/oauth/client.ts';
import { noEndpoint, RequestRecord } from '../../../src/oauth/request_record.ts';
import { RecentRefusals } from '../../../src/server/requests/recent_refusals.ts';

interface Asked {
  readonly client?: string;
  readonly claimed?: string;
  readonly reason?: string;
  readonly programme?: string;
}

function refuse(
  memory: RecentRefusals,
  { client, claimed, reason = 'invalid_code', programme = 'club' }: Asked,
): string {
  const record = new RequestRecord('POST', memory);
  record.endpoint = { ...noEndpoint, kind: 'token', programme: programme as ProgrammeId };
  record.client = client as ClientId | undefined;
  record.claimedClient = claimed;
  record.failure = { reason, facts: {} };
  record.answered(400);
  return record.id;
}

const memoryOf = (most: number): RecentRefusals => new RecentRefusals(() => 0 as Instant, most);

test('a request that was not refused, or whose caller hung up, is not remembered', () => {
  const memory = memoryOf(10);
  new RequestRecord('GET', memory).answered(200);
  refuse(memory, { reason: 'hung_up' });
  assert.deepEqual(memory.reach(), { count: 0, since: undefined });
});

test('the oldest is forgotten first where all are of one origin', () => {
  const memory = memoryOf(3);
  const ids = [1, 2, 3, 4, 5].map(() => refuse(memory, { client: 'a' }));
  const known = ids.map((id) => memory.find(id) !== undefined);
  assert.deepEqual(known, [false, false, true, true, true]);
  assert.deepEqual(memory.reach(), { count: 3, since: '1970-01-01T00:00:00.000Z' });
});

test('a flood of one origin leaves those of all others', () => {
  const memory = memoryOf(100);
  const others = [
    refuse(memory, { client: 'quiet' }),
    refuse(memory, { client: 'loud', reason: 'throttled' }),
    refuse(memory, { client: 'loud', programme: 'other' }),
    refuse(memory, { claimed: 'partnerapi-99999' }),
  ];
  for (let count = 0; count < 1000; count += 1) refuse(memory, { client: 'loud' });
  for (let count = 0; count < 1000; count += 1) refuse(memory, {});
  assert.deepEqual(
    others.map((id) => memory.find(id)?.refusal.request_id),
    others,
  );
  assert.equal(memory.reach().count, 100);
});

test('any number of claimed identifiers leaves those of a client that has proved itself', () => {
  const memory = memoryOf(100);
  const own = [1, 2].map(() => refuse(memory, { client: 'quiet', reason: 'throttled' }));
  for (let count = 0; count < 2000; count += 1) refuse(memory, { claimed: `partnerapi-${count}` });
  for (const id of own) assert.ok(memory.find(id));
});

test('texts are cut: ten thousand refusals take some 10 MB at most', () => {
  const memory = memoryOf(2);
  const record = new RequestRecord('POST', memory);
  const long = 'x'.repeat(100_000);
  const cause = { rule: ['code'], expected: long, came: long };
  record.failure = { reason: 'invalid_code', facts: { cause } };
  record.answered(400);
  const { refusal } = memory.find(record.id) ?? {};
  assert.equal(refusal?.came, `${'x'.repeat(500)}…`);
  assert.equal(refusal.expected, refusal.came);
});
