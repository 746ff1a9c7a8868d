// Tests of what servers of one store tell of each other, and of the trust in a node number.

import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import type { ProgrammeId } from '../../src/oauth/client.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { leaseNode, type ServerNode } from '../../src/server/node.ts';
import type { Candidate } from '../../src/server/programmes/plan.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { testClock } from '../support/clock.ts';
import { failingStore } from '../support/failing_store.ts';
import { publicUrl, shippedProgramme } from '../support/jetway.ts';

const me = `${hostname()}:${process.pid}`;

/** Programmes as served by files with such digests; the club signs, unless its digest says `opaque`. */
function served(
  files: Readonly<Record<string, string>>,
): () => ReadonlyMap<ProgrammeId, Candidate> {
  const candidates = Object.entries(files).map(([id, digest]): [ProgrammeId, Candidate] => {
    const jwt = digest === 'opaque' ? '' : 'tokens: { access: { format: jwt } }';
    const { loaded } = loadProgramme(`${id}.yaml`, shippedProgramme('executive-club', jwt));
    assert.ok(loaded);
    const programme = compileProgramme(loaded.id, loaded.definition, publicUrl);
    const [file, nothing] = [
      { file: '', faults: [] },
      { path: '', fileDigest: '', digest: '' },
    ];
    const look = { id: loaded.id, file, ...nothing, servedDigest: digest, sources: [], reads: [] };
    return [loaded.id, { programme, look }];
  });
  return () => new Map(candidates);
}

test('FAULTS 24: servers that serve by other files or settings are told by name, until they agree', async (t) => {
  const store = openMemoryStore();
  const [clock, lines] = [testClock(), [] as string[]];
  const log = {
    error: (event: string, { detail = '' }) => void lines.push(`${event}: ${detail}`),
  };
  const open = (url: string): Promise<ServerNode> =>
    leaseNode({ store, clock, log, config: { publicUrl: url } }).then((node) => {
      t.after(node.end);
      return node;
    });
  const [one, other] = [await open('https://a.example'), await open('https://b.example')];
  assert.deepEqual([one.current(), other.current()], [0, 1]);
  // A server that begins tells nothing yet: it would seem to serve nothing.
  one.tell(served({ club: 'aaaaaaaaaaaaaa', third: 'c' }));
  await one.renew();
  await other.renew();
  assert.deepEqual([one.differences(), other.differences(), lines], [[], [], []]);

  other.tell(served({ club: 'opaque', second: 'b' }));
  await other.renew();
  const seen = one.changes();
  await one.renew();
  assert.notEqual(one.changes(), seen);
  // For a moment servers differ whenever their files are changed.
  assert.deepEqual([one.differences(), lines], [[], []]);
  await one.renew();
  const differences = [
    `public_url differs: https://b.example at ${me}, https://a.example here`,
    `club differs: ${me} serves it by file opaque, this server by aaaaaaaaaaaa`,
    `second is served by ${me}, and not here`,
    `third is not served by ${me}`,
  ];
  assert.deepEqual(one.differences(), differences);
  assert.deepEqual(lines.at(-1), `nodes_differ: ${differences.join('; ')}`);
  const signs = (node: ServerNode): boolean =>
    node.signsElsewhere('club' as ProgrammeId, 'signing_key');
  assert.deepEqual([signs(one), signs(other)], [false, true]);

  // Told once; and once it is over.
  const told = lines.length;
  await one.renew();
  clock.advance(121);
  await one.renew();
  await one.renew();
  assert.deepEqual(lines.slice(told), ['nodes_differ: they agree again']);
  assert.deepEqual(
    one.all().map(({ node, facts }) => [node, facts.name]),
    [[0, me]],
  );
});

test('P-7: a number that the store has not confirmed for 50 s names no token', async (t) => {
  const failing = failingStore();
  const log = { error: () => undefined };
  let passed = 0;
  t.mock.method(performance, 'now', () => passed);
  const config = { publicUrl };
  const node = await leaseNode({ store: failing.store, clock: testClock(), log, config });
  t.after(node.end);
  failing.fail('leaseNode', new Unavailable('store: away'));
  passed = 49_999;
  await assert.rejects(node.renew(), Unavailable);
  assert.equal(node.current(), 0);
  passed = 50_000;
  assert.throws(node.current, Unavailable);
  failing.heal();
  await node.renew();
  assert.equal(node.current(), 0);
});

test('the end waits for a renewal under way, which would tell of the server again after it', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const held = Promise.withResolvers<void>();
  const done: string[] = [];
  const memory = openMemoryStore();
  let isHeld = false;
  const store = {
    ...memory,
    leaseNode: async (...call: Parameters<typeof memory.leaseNode>) => {
      if (isHeld) await held.promise;
      const node = await memory.leaseNode(...call);
      done.push('renewed');
      return node;
    },
  };
  const log = { error: () => undefined };
  const node = await leaseNode({ store, clock: testClock(), log, config: { publicUrl } });
  isHeld = true;
  done.length = 0;
  t.mock.timers.tick(1000);
  const ended = node.end().then(() => done.push('ended'));
  await turn();
  assert.deepEqual(done, []);
  held.resolve();
  await ended;
  assert.deepEqual(done, ['renewed', 'ended']);
  t.mock.timers.tick(1000);
  await turn();
  assert.deepEqual(done, ['renewed', 'ended']);
});
