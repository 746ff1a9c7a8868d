// Owns tests of group commit: what shares a transaction, and what a failure takes with it.

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { mock, test } from 'node:test';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

import { Unavailable } from '../../../../src/oauth/failure.ts';
import { CommitQueue } from '../../../../src/store/sqlite/commits/commit_queue.ts';
import { Transactions } from '../../../../src/store/sqlite/commits/transactions.ts';
import { until } from '../../../support/until.ts';
import { scratchFile } from '../../file_directory.ts';
import { inParallel } from '../../fixtures.ts';

interface Bench {
  readonly database: DatabaseSync;
  readonly queue: CommitQueue;
  readonly transactions: Transactions;
  /** Another connection, as another process has. */
  readonly other: DatabaseSync;
  readonly put: (text: string) => Promise<void>;
  readonly rows: () => number;
}

function withQueue(name: string, body: (bench: Bench) => Promise<void>): void {
  test(name, async () => {
    const { directory, remove } = scratchFile();
    const path = `${directory}/test.db`;
    const database = new DatabaseSync(path);
    const other = new DatabaseSync(path);
    try {
      database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (text TEXT UNIQUE) STRICT');
      const transactions = new Transactions(database, []);
      const queue = new CommitQueue(transactions);
      const insert = database.prepare('INSERT INTO t VALUES (?)');
      const count = database.prepare('SELECT count(*) AS n FROM t');
      const put = (text: string): Promise<void> => queue.write(() => void insert.run(text));
      const rows = (): number => Number(count.get()?.['n']);
      await body({ database, other, queue, transactions, put, rows });
    } finally {
      other.close();
      database.close();
      remove();
    }
  });
}

const statuses = (results: readonly PromiseSettledResult<unknown>[]): string =>
  results.map(({ status }) => (status === 'fulfilled' ? '+' : '-')).join('');

withQueue('DESIGN: verbs of one turn share one commit', async ({ transactions, put, rows }) => {
  await inParallel(100, (n) => put(`${n}`));
  assert.equal(transactions.commits, 1);
  await inParallel(600, (n) => put(`more ${n}`));
  assert.equal(transactions.commits, 4);
  assert.equal(rows(), 700);
});

withQueue(
  'DESIGN: a verb is answered after its commit, in order',
  async ({ transactions, put, rows }) => {
    const seen: string[] = [];
    const answers = ['a', 'b'].map(async (text) => {
      await put(text);
      seen.push(`${text} ${rows()} ${transactions.commits}`);
    });
    assert.equal(rows(), 0);
    await Promise.all(answers);
    assert.deepEqual(seen, ['a 2 1', 'b 2 1']);
  },
);

withQueue('DESIGN: a verb that fails leaves its neighbours alone', async ({ queue, put, rows }) => {
  const results = await Promise.allSettled([
    put('a'),
    put('a'),
    queue.write(() => {
      throw new RangeError('refused');
    }),
    put('b'),
  ]);
  assert.equal(statuses(results), '+--+');
  assert.match(String(results[1].status === 'rejected' && results[1].reason), /UNIQUE/);
  assert.ok(results[2].status === 'rejected' && results[2].reason instanceof RangeError);
  assert.equal(rows(), 2);
  await assert.rejects(put('a'), (error) => !(error instanceof Unavailable));
});

withQueue(
  'DESIGN: reads of one turn share a look; a write and another turn see more',
  async (bench) => {
    const { queue, other, put, rows } = bench;
    await put('a');
    assert.equal(await queue.read(rows), 1);
    other.exec(`INSERT INTO t VALUES ('of another')`);
    assert.equal(await queue.read(rows), 1);
    await turn();
    assert.equal(await queue.read(rows), 2);
    other.exec(`INSERT INTO t VALUES ('and another')`);
    // The write waits for nobody who reads, and whoever reads after it sees what it saw.
    const seen = queue.write(rows);
    assert.equal(await queue.read(rows), 2);
    assert.equal(await seen, 3);
    assert.equal(await queue.read(rows), 3);
    await turn();
    // Nobody looks any more: the log can be folded in whole.
    const folded = other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    assert.deepEqual({ ...folded }, { busy: 0, log: 0, checkpointed: 0 });
  },
);

withQueue('DESIGN: a read that fails leaves no look behind', async ({ database, queue, rows }) => {
  const failing = (): never => {
    throw new RangeError('refused');
  };
  await assert.rejects(queue.read(failing), RangeError);
  assert.equal(database.isTransaction, false);
  assert.equal(await queue.read(rows), 0);
});

withQueue('FAULTS 9: a lock of another process is waited for, the loop goes on', async (bench) => {
  let turns = 0;
  const waiting = new AbortController();
  const count = async (): Promise<void> => {
    while (!waiting.signal.aborted) {
      await turn();
      turns += 1;
    }
  };
  bench.other.exec('BEGIN IMMEDIATE');
  const answers = Promise.all([bench.put('a'), bench.put('b')]);
  void count();
  // Where SQLite waited itself there would be none at all, and then an outage.
  await sleep(50);
  await until(() => turns > 20);
  waiting.abort();
  // Reading is possible all the while.
  assert.equal(await bench.queue.read(bench.rows), 0);
  bench.other.exec('COMMIT');
  await answers;
  assert.equal(bench.rows(), 2);
  assert.equal(bench.transactions.commits, 1);
});

withQueue('FAULTS 13: a lock that stays is an outage within two seconds', async (bench) => {
  // As it seems to the queue, whatever the machine is doing.
  let elapsed = 0;
  const looks = mock.method(performance, 'now', () => elapsed).mock;
  try {
    bench.other.exec('BEGIN IMMEDIATE');
    const waited = { isOver: false };
    const settled = Promise.allSettled([bench.put('a'), bench.put('b')]).finally(() => {
      waited.isOver = true;
    });
    elapsed = 1000;
    const before = looks.callCount();
    await until(() => looks.callCount() > before + 5);
    assert.ok(!waited.isOver, 'it is waited for');
    elapsed = 1900;
    // By the loop that the queue's own looks go by: it looks far oftener.
    for (let turns = 0; turns < 1000 && !waited.isOver; turns += 1) await sleep(5);
    assert.ok(waited.isOver, 'it is waited for no longer');
    const results = await settled;
    assert.equal(statuses(results), '--');
    for (const result of results) {
      assert.ok(result.status === 'rejected' && result.reason instanceof Unavailable);
      assert.equal(result.reason.message, 'store: SQLITE_BUSY');
    }
    bench.other.exec('ROLLBACK');
    await bench.put('a');
    assert.equal(bench.rows(), 1);
  } finally {
    looks.restore();
  }
});

withQueue('FAULTS 23: more than can wait are refused at once', async (bench) => {
  bench.other.exec('BEGIN IMMEDIATE');
  const waiting = inParallel(10_000, (n) => bench.put(`${n}`));
  await assert.rejects(bench.put('one more'), /too many verbs wait/);
  bench.other.exec('ROLLBACK');
  await waiting;
  assert.equal(bench.rows(), 10_000);
});

withQueue('DESIGN: closing commits what is queued and refuses the rest', async (bench) => {
  const queued = inParallel(300, (n) => bench.put(`${n}`));
  bench.queue.close();
  assert.equal(bench.rows(), 300);
  await queued;
  await assert.rejects(bench.put('late'), Unavailable);
  await assert.rejects(async () => bench.queue.read(bench.rows), Unavailable);
});
