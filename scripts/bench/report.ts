// Owns the report: medians over the rounds, ratios within each round, and the table.

import { statfsSync } from 'node:fs';
import { cpus } from 'node:os';

import type { Measurement } from './measure.ts';
import { type Plan, type ServerName, serverNames } from './plan.ts';
import { median } from './quantiles.ts';

/** Medians over the rounds of one workload on one server. */
export interface Row {
  readonly workload: string;
  readonly server: ServerName;
  readonly requestsPerSecond: number;
  /** Medians of the ratios within each round; 1 is as fast as the other server. */
  readonly ofBare: number;
  readonly ofMemory: number;
  /** Microseconds of the server's CPU for each request. */
  readonly cpuPerRequest: number;
  readonly cpuOfBare: number;
  /** The system's part of `cpuPerRequest`: connections and the disk. */
  readonly systemPerRequest: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly commitsPerSecond: number;
  readonly requestsPerCommit: number;
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
    rows: plan.workloads.flatMap(({ name }) =>
      serverNames.map((server) => rowOf(measurements, name, server)),
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

function rowOf(measurements: readonly Measurement[], workload: string, server: ServerName): Row {
  const all = measurements.filter((candidate) => candidate.workload === workload);
  const own = all.filter((candidate) => candidate.server === server);
  const over = (read: (measurement: Measurement) => number): number => median(own.map(read));
  const beside = (other: ServerName, read: (measurement: Measurement) => number): number =>
    over((measurement) => {
      const rival = all.find((one) => one.server === other && one.round === measurement.round);
      return rival === undefined ? Number.NaN : read(measurement) / read(rival);
    });
  return {
    workload,
    server,
    requestsPerSecond: over(rate),
    ofBare: beside('bare', rate),
    ofMemory: beside('memory', rate),
    cpuPerRequest: over(cpuPerRequest),
    cpuOfBare: beside('bare', cpuPerRequest),
    systemPerRequest: over(({ system, load }) => system / load.requests),
    p50: over(({ load }) => load.p50),
    p99: over(({ load }) => load.p99),
    commitsPerSecond: over(({ commits, load }) => commits / load.seconds),
    requestsPerCommit: over(({ commits, load }) => (commits === 0 ? 0 : load.requests / commits)),
    generatorBusy: over(({ load }) => load.cpu / 1e6 / load.seconds),
  };
}

function rate({ load }: Measurement): number {
  return load.requests / load.seconds;
}

function cpuPerRequest({ cpu, load }: Measurement): number {
  return cpu / load.requests;
}

const columns: readonly (readonly [title: string, write: (row: Row) => string])[] = [
  ['workload', (row) => row.workload],
  ['server', (row) => row.server],
  ['req/s', (row) => row.requestsPerSecond.toFixed(0)],
  ['of bare', (row) => row.ofBare.toFixed(2)],
  ['of memory', (row) => (row.server === 'bare' ? '' : row.ofMemory.toFixed(2))],
  ['CPU µs/req', (row) => row.cpuPerRequest.toFixed(0)],
  ['× bare', (row) => row.cpuOfBare.toFixed(1)],
  ['system', (row) => row.systemPerRequest.toFixed(0)],
  ['p50 ms', (row) => row.p50.toFixed(2)],
  ['p99 ms', (row) => row.p99.toFixed(2)],
  ['commits/s', (row) => (row.commitsPerSecond === 0 ? '' : row.commitsPerSecond.toFixed(0))],
  ['req/commit', (row) => (row.requestsPerCommit === 0 ? '' : row.requestsPerCommit.toFixed(1))],
  ['generator', (row) => `${(row.generatorBusy * 100).toFixed(0)} %`],
];

const leftAligned = 2;

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
