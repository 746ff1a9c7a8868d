// Tests of what several processes tell as one server.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Health, Parts } from '../../../src/http/admin.ts';
import { instant } from '../../../src/lib/clock.ts';
import type { ProgrammeId } from '../../../src/oauth/client.ts';
import { isComplete, type ReloadReport } from '../../../src/server/reload/report.ts';
import { mergeFamilies } from '../../../src/server/workers/merged_metrics.ts';
import { mergeParts, mergeReports, mergeWhy } from '../../../src/server/workers/merged_views.ts';
import type { PlainFamily } from '../../../src/server/workers/messages.ts';

const ready: Health = { status: 'ready', reasons: [] };
const away: Health = { status: 'unready', reasons: ['the database does not answer'] };
const late: Health = { status: 'degraded', reasons: ['a key is due'] };

function partsOf(...stores: readonly Health[]): Map<number, Parts> {
  return new Map(stores.map((store, index) => [index + 1, { store }]));
}

test('a part names its workers where they differ, and is unready once most cannot do it', () => {
  assert.deepEqual(mergeParts(partsOf(ready, ready), 2), { workers: ready, store: ready });
  assert.deepEqual(mergeParts(partsOf(late, late), 2), { workers: ready, store: late });
  assert.deepEqual(mergeParts(partsOf(ready, away, late, ready), 4)['store'], {
    status: 'degraded',
    reasons: ['worker 2: the database does not answer', 'worker 3: a key is due'],
  });
  assert.deepEqual(mergeParts(partsOf(away, away, ready, away), 4)['store'], {
    status: 'unready',
    reasons: ['worker 1, 2, 4: the database does not answer'],
  });
  assert.deepEqual(mergeParts(partsOf(away, away), 2)['store'], away);
});

test('a server is degraded without some workers, and unready with fewer than half', () => {
  const without = (...missing: readonly number[]): Health | undefined =>
    mergeParts(
      new Map([...partsOf(ready, ready, ready)].filter(([worker]) => !missing.includes(worker))),
      3,
    )['workers'];
  const reasons = (...workers: readonly number[]): readonly string[] =>
    workers.map((worker) => `worker ${worker} does not answer requests`);
  assert.deepEqual(without(2), { status: 'degraded', reasons: reasons(2) });
  assert.deepEqual(without(1, 3), { status: 'unready', reasons: reasons(1, 3) });
  assert.deepEqual(without(1, 2, 3), { status: 'unready', reasons: reasons(1, 2, 3) });
});

test('counters and histograms are added up, gauges as they say', () => {
  const family = (
    name: string,
    type: PlainFamily['type'],
    value: number,
    across?: 'sum' | 'min',
  ): PlainFamily => ({
    name,
    help: '',
    type,
    labels: ['kind'],
    ...(across && { across }),
    series: [{ labels: { kind: 'a' }, value }],
  });
  const processes = [1, 3].map((value) => [
    family('count', 'counter', value),
    family('time', 'histogram', value),
    family('open', 'gauge', value, 'sum'),
    family('begun', 'gauge', value, 'min'),
    family('lag', 'gauge', value),
  ]);
  const merged = mergeFamilies([...processes, [family('own', 'counter', 7)]]);
  assert.deepEqual(
    merged.map(({ name, series }) => [name, series]),
    Object.entries({ count: 4, time: 4, open: 4, begun: 1, lag: 3, own: 7 }).map(
      ([name, value]) => [name, [{ labels: { kind: 'a' }, value }]],
    ),
  );
});

test('what one worker remembers, the server does', () => {
  const none = { remembered: 2, since: '2026-11-23T10:00:00Z' };
  assert.deepEqual(mergeWhy([none, { remembered: 0, since: null }]), none);
});

test('FAULTS 16: a reload is what the first worker reports, and names what others did not take up', () => {
  const at = instant(Date.UTC(2026, 10, 28));
  const one = { programme: 'club' as ProgrammeId, isServed: true, faults: [] };
  const changed: ReloadReport = {
    at,
    programmes: [{ ...one, outcome: 'changed' }],
    settings: [{ key: 'log', outcome: 'changed' }],
    faults: [],
  };
  const unchanged: ReloadReport = { ...changed, programmes: [{ ...one, outcome: 'unchanged' }] };
  const refused: ReloadReport = {
    ...changed,
    programmes: [{ ...one, outcome: 'refused', message: 'it wants the path of other' }],
  };
  const named = (number: number, report: ReloadReport): { name: string; report: ReloadReport } => ({
    name: `worker ${number}`,
    report,
  });
  // One that was started meanwhile has read the file already.
  const all = mergeReports([named(1, changed), named(2, unchanged)], undefined);
  assert.deepEqual(all, { ...changed, differences: [] });
  assert.equal(isComplete(all), true);
  const most = mergeReports(
    [named(1, changed), named(2, refused), 'worker 3 has ended'],
    'no disk',
  );
  assert.deepEqual(most.differences, [
    'worker 3 has ended',
    'worker 2: club is not taken up: it wants the path of other',
  ]);
  assert.deepEqual(most.settings, [{ key: 'log', outcome: 'refused', message: 'no disk' }]);
  assert.equal(isComplete(most), false);
  // What all refuse is said once.
  assert.deepEqual(mergeReports([named(1, refused), named(2, refused)], undefined).differences, []);
  assert.throws(
    () => mergeReports(['worker 1: away', 'worker 2: away'], undefined),
    /worker 1: away/,
  );
});
