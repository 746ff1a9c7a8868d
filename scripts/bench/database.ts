// Owns the PostgreSQL server of the bench: where its stores are, and what it has spent so far.

import { readFileSync } from 'node:fs';

import { Cluster } from '../postgres/cluster.ts';

/** Running totals of the server. */
export interface DatabaseUsage {
  /** Microseconds of CPU of all its processes. */
  readonly cpu: number;
  /** Bytes written to its log. */
  readonly wal: number;
}

export interface Database {
  /** As `store:` names it. */
  readonly url: string;
  readonly usage: () => Promise<DatabaseUsage>;
  /** Bytes that the tables and indices of the store have. */
  readonly size: () => Promise<number>;
  readonly end: () => Promise<void>;
}

/** As an operator would set it: commits wait for the disk, and the hot tables fit into memory. */
const settings = {
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '30min',
  wal_compression: 'pglz',
} as const;

export async function startDatabase(): Promise<Database> {
  const cluster = await Cluster.make({ fsync: true, settings });
  await cluster.start();
  const client = await cluster.client('postgres');
  const ask = async (sql: string): Promise<number> => {
    const { rows } = await client.query<{ found: string }>(`SELECT ${sql} AS found`);
    return Number(rows[0]?.found);
  };
  return {
    url: `postgres://jetway@127.0.0.1:${cluster.port}/jetway?sslmode=disable`,
    usage: async () => ({
      wal: await ask(`pg_current_wal_lsn() - '0/0'`),
      cpu: cpuOf(cluster.processes()),
    }),
    size: () => ask(`pg_database_size('jetway')`),
    end: async () => {
      await client.end();
      await cluster.remove();
    },
  };
}

/** Of the processes and of those children of the first that have ended. */
function cpuOf(processes: readonly number[]): number {
  const [postmaster] = processes;
  const ended = postmaster === undefined ? 0 : endedChildren(postmaster);
  return processes.reduce((sum, pid) => sum + nanosecondsOf(pid) / 1000, ended);
}

/** `schedstat` counts nanoseconds; `stat` only hundredths of a second. */
function nanosecondsOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

/** Microseconds of the children that were waited for: `cutime` and `cstime`, in ticks of 10 ms. */
function endedChildren(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10_000;
}
