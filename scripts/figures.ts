// Owns medians and quantiles of samples, and tables of figures for people.

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

/** Median and 99th percentile; 0 without samples. */
export function quantiles(samples: ArrayLike<number>): Quantiles {
  const sorted = Float64Array.from(samples).toSorted();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}

/** Columns as wide as their widest cell; the first ones to the left, `numbers` at the end to the right. */
export function tableOf(rows: readonly (readonly string[])[], numbers: number): string {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column < columns - numbers ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
