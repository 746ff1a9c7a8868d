// Owns the report of the bench: medians over the rounds, beside the bare server's of the same rounds.

import { median, tableOf } from '../figures.ts';
import { type Format, formats, type ServerName, serverNames } from './contestants.ts';
import { type Measurement, type Path, paths } from './measure.ts';

/** Medians over the rounds of one path on one server. */
interface Row {
  readonly path: Path;
  readonly format: Format;
  readonly server: ServerName;
  readonly requestsPerSecond: number;
  /** Median of the ratios within each round; 1 is as fast as the bare server. */
  readonly ofBare: number;
  /** Microseconds of the server's processor time for each request. */
  readonly cpu: number;
  readonly cpuOfBare: number;
  readonly databaseCpu: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export function rowsOf(all: readonly Measurement[]): readonly Row[] {
  const kinds = paths.flatMap((path) =>
    formats.flatMap((format) => serverNames.map((server) => ({ path, format, server }))),
  );
  return kinds.flatMap((kind) => {
    const some = all.filter(({ path, format }) => path === kind.path && format === kind.format);
    const own = some.filter(({ server }) => server === kind.server);
    if (own.length === 0) return [];
    const rate = ({ requests, seconds }: Measurement): number => requests / seconds;
    const over = (read: (one: Measurement) => number): number => median(own.map(read));
    const beside = (read: (one: Measurement) => number): number =>
      over((one) => {
        const bare = some.find(({ server, round }) => server === 'bare' && round === one.round);
        return bare === undefined ? Number.NaN : read(one) / read(bare);
      });
    return [
      {
        ...kind,
        requestsPerSecond: over(rate),
        ofBare: beside(rate),
        cpu: over((one) => one.cpu),
        cpuOfBare: beside((one) => one.cpu),
        databaseCpu: over((one) => one.databaseCpu),
        p50: over((one) => one.p50),
        p99: over((one) => one.p99),
      },
    ];
  });
}

export function formatRows(rows: readonly Row[]): string {
  const head = [
    'path',
    'tokens',
    'server',
    'req/s',
    'of bare',
    'CPU µs/req',
    '× bare',
    'database',
    'p50 ms',
    'p99 ms',
  ];
  const lines = rows.map((row) => [
    row.path,
    row.format,
    row.server,
    row.requestsPerSecond.toFixed(0),
    row.ofBare.toFixed(3),
    row.cpu.toFixed(0),
    row.cpuOfBare.toFixed(1),
    row.databaseCpu.toFixed(0),
    row.p50.toFixed(2),
    row.p99.toFixed(2),
  ]);
  return tableOf([head, ...lines], 7);
}
