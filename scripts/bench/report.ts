// Owns the report: medians over the rounds, ratios within each round, and the table.

import { statfsSync } from 'node:fs';
import { cpus } from 'node:os';

import type { DatabaseUsage } from './database.ts';
import type { Measurement } from './measure.ts';
import { type Plan, type ServerName, serverNames, type Workload } from './plan.ts';
import { median } from './quantiles.ts';
import type { Usage } from './server.ts';

/** Medians over the rounds of one workload on one server. */
export interface Row extends Pick<Workload, 'path' | 'format'> {
  readonly server: ServerName;
  readonly requestsPerSecond: number;
  /** Median of the ratios within each round; 1 is as fast as the bare server. */
  readonly ofBare: number;
  /** Microseconds of the server's CPU for each request. */
  readonly cpuPerRequest: number;
  readonly cpuOfBare: number;
  /** The system's part of `cpuPerRequest`: connections and the disk. */
  readonly systemPerRequest: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** NaN for a server without commits. */
  readonly requestsPerCommit: number;
  readonly pagesPerCommit: number;
  /** NaN for a server without a database. */
  readonly roundsPerRequest: number;
  /** Microseconds of the database's CPU. */
  readonly databasePerRequest: number;
  /** Bytes of the database's log. */
  readonly walPerRequest: number;
  /** Megabytes after the last round: RssAnon, which leaves out what a process has of files. */
  readonly anonymous: number;
  /** The load generator's use of its core, 0 to 1: near 1, the server was faster than measured. */
  readonly generatorBusy: number;
}

export interface Summary {
  readonly node: string;
  readonly machine: string;
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warnings: readonly string[];
  readonly rows: readonly Row[];
}

/** `statfs` type of tmpfs. */
const tmpfs = 0x0102_1994;

export function summarise(
  plan: Plan,
  measurements: readonly Measurement[],
  folder: string,
  loadBefore: number,
): Summary {
  const [cpu] = cpus();
  return {
    node: process.version,
    machine: `${cpus().length} × ${cpu?.model ?? 'unknown'}`,
    connections: plan.connections,
    rounds: plan.rounds,
    seconds: plan.seconds,
    warnings: warningsOf(folder, loadBefore),
    rows: plan.workloads.flatMap((workload) =>
      serverNames.flatMap((server) => rowOf(measurements, workload, server) ?? []),
    ),
  };
}

/** Circumstances that make the numbers less reliable. */
function warningsOf(folder: string, loadBefore: number): string[] {
  const found: string[] = [];
  if (statfsSync(folder).type === tmpfs) {
    found.push(`${folder} is in memory, where fsync is free: set TMPDIR to a folder on a disk`);
  }
  if (loadBefore > 0.5) {
    // Server and generator then share a core at times, which slows the bare server most.
    found.push(`the load average was ${loadBefore.toFixed(1)} before: trust CPU µs/req alone`);
  }
  return found;
}

/** Undefined for a server that was not measured with the workload. */
function rowOf(
  measurements: readonly Measurement[],
  { path, format }: Workload,
  server: ServerName,
): Row | undefined {
  const all = measurements.filter((one) => one.path === path && one.format === format);
  const own = all.filter((one) => one.server === server);
  const last = own.at(-1);
  if (last === undefined) return undefined;
  const over = (read: (measurement: Measurement) => number): number => median(own.map(read));
  const beside = (read: (measurement: Measurement) => number): number =>
    over((measurement) => {
      const bare = all.find((one) => one.server === 'bare' && one.round === measurement.round);
      return bare === undefined ? Number.NaN : read(measurement) / read(bare);
    });
  const used = (figure: keyof Usage, { before, after }: Measurement): number =>
    after[figure] - before[figure];
  const ofDatabase = (figure: keyof DatabaseUsage): number =>
    over(({ before, after, load }) =>
      after.database === undefined || before.database === undefined
        ? Number.NaN
        : (after.database[figure] - before.database[figure]) / load.requests,
    );
  const cpuPerRequest = (one: Measurement): number => used('cpu', one) / one.load.requests;
  return {
    path,
    format,
    server,
    requestsPerSecond: over(rate),
    ofBare: beside(rate),
    cpuPerRequest: over(cpuPerRequest),
    cpuOfBare: beside(cpuPerRequest),
    systemPerRequest: over((one) => used('system', one) / one.load.requests),
    p50: over(({ load }) => load.p50),
    p99: over(({ load }) => load.p99),
    requestsPerCommit: over((one) => one.load.requests / used('commits', one)),
    pagesPerCommit: over((one) => used('pages', one) / used('commits', one)),
    roundsPerRequest: over(
      (one) => used('rounds', one) / (one.after.database === undefined ? 0 : one.load.requests),
    ),
    databasePerRequest: ofDatabase('cpu'),
    walPerRequest: ofDatabase('wal'),
    anonymous: last.after.anonymous / 1e6,
    generatorBusy: over(({ load }) => load.cpu / 1e6 / load.seconds),
  };
}

function rate({ load }: Measurement): number {
  return load.requests / load.seconds;
}

/** Empty where there is nothing to divide by. */
const orEmpty = (value: number, digits: number): string =>
  Number.isFinite(value) ? value.toFixed(digits) : '';

const columns: readonly (readonly [title: string, write: (row: Row) => string])[] = [
  ['path', (row) => row.path],
  ['tokens', (row) => row.format],
  ['server', (row) => row.server],
  ['req/s', (row) => row.requestsPerSecond.toFixed(0)],
  ['of bare', (row) => row.ofBare.toFixed(3)],
  ['CPU µs/req', (row) => row.cpuPerRequest.toFixed(0)],
  ['× bare', (row) => row.cpuOfBare.toFixed(1)],
  ['system', (row) => row.systemPerRequest.toFixed(0)],
  ['p50 ms', (row) => row.p50.toFixed(2)],
  ['p99 ms', (row) => row.p99.toFixed(2)],
  ['req/commit', (row) => orEmpty(row.requestsPerCommit, 1)],
  ['pages/commit', (row) => orEmpty(row.pagesPerCommit, 1)],
  ['rounds/req', (row) => orEmpty(row.roundsPerRequest, 2)],
  ['database µs/req', (row) => orEmpty(row.databasePerRequest, 0)],
  ['WAL B/req', (row) => orEmpty(row.walPerRequest, 0)],
  ['RssAnon MB', (row) => row.anonymous.toFixed(0)],
  ['generator', (row) => `${(row.generatorBusy * 100).toFixed(0)} %`],
];

const leftAligned = 3;

export function formatTable(summary: Summary): string {
  const { node, machine, connections, rounds, seconds, warnings, rows } = summary;
  const lines = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, write]) => write(row))),
  ];
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((cells) => cells[index]?.length ?? 0)),
  );
  const table = lines.map((cells) =>
    cells
      .map((cell, index) =>
        index < leftAligned ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
      )
      .join('  '),
  );
  return [
    `node ${node}, ${machine}, ${connections} connections, medians of ${rounds} rounds of ${seconds} s`,
    ...warnings.map((warning) => `warning: ${warning}`),
    '',
    ...table,
  ].join('\n');
}
