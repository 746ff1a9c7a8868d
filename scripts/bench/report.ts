// Owns the report of the bench: medians over the rounds, beside the bare server's of the same rounds.

import { median, tableOf } from '../figures.ts';
import { formats, serverNames } from './contestants.ts';
import { type Measurement, paths } from './measure.ts';

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

/** `of bare` is the median of the ratios within each round; 1 is as fast as the bare server. */
export function tableOfAll(all: readonly Measurement[]): string {
  const kinds = paths.flatMap((path) =>
    formats.flatMap((format) => serverNames.map((server) => ({ path, format, server }))),
  );
  const rows = kinds.flatMap(({ path, format, server: name }) => {
    const some = all.filter((one) => one.path === path && one.format === format);
    const own = some.filter(({ server }) => server === name);
    if (own.length === 0) return [];
    const over = (read: (one: Measurement) => number): number => median(own.map(read));
    const beside = (read: (one: Measurement) => number): number =>
      over((one) => {
        const bare = some.find(({ server, round }) => server === 'bare' && round === one.round);
        return bare === undefined ? Number.NaN : read(one) / read(bare);
      });
    const rate = ({ requests, seconds }: Measurement): number => requests / seconds;
    const cpu = (one: Measurement): number => one.cpu;
    const times = [over(({ p50 }) => p50), over(({ p99 }) => p99)].map((time) => time.toFixed(2));
    const figures = [over(rate).toFixed(0), beside(rate).toFixed(3), over(cpu).toFixed(0)];
    const database = over((one) => one.databaseCpu).toFixed(0);
    return [[path, format, name, ...figures, beside(cpu).toFixed(1), database, ...times]];
  });
  return tableOf([head, ...rows], 7);
}
