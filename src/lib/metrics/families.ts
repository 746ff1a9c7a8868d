// Owns the metrics of this process: counters, histograms and gauges, each declared once where its fact is.

/** Values by label; a label without a value is left out of the series. */
export type Labels = Readonly<Record<string, string | undefined>>;

/** One line of an exposition. */
export interface Sample {
  /** What follows the family's name: `_bucket`. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

export interface Description {
  /** By Prometheus' conventions: base units, `_total` for counters. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** What of a gauge's values in several processes of a server is told; `max` if left out. */
  readonly across?: 'sum' | 'max' | 'min';
}

/** A metric with all its series. */
export interface Family extends Description {
  readonly samples: () => Iterable<Sample>;
}

/** A value that only grows. */
export class Counter {
  #value = 0;

  add(amount = 1): void {
    this.#value += amount;
  }

  *samples(labels: Labels): Iterable<Sample> {
    yield { labels, value: this.#value };
  }
}

/** Values counted by size, in fixed buckets. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** By bucket; the last one is of values above every bound. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  *samples(labels: Labels): Iterable<Sample> {
    let count = 0;
    for (const [bucket, own] of this.#counts.entries()) {
      count += own;
      const le = String(this.#bounds[bucket] ?? '+Inf');
      yield { suffix: '_bucket', labels: { ...labels, le }, value: count };
    }
    yield { suffix: '_sum', labels, value: this.#sum };
    yield { suffix: '_count', labels, value: count };
  }
}

/** Bounds for times from a token request's to a login's, in seconds. */
export const usualTimes: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

const declared: Family[] = [];

/** All that this process has declared. */
export function processFamilies(): readonly Family[] {
  return declared;
}

/** Finds the series of label values, or begins it. Keep what it returns: to find it costs a text. */
export type Series<Label extends string, Cell> = (
  labels?: Readonly<Partial<Record<Label, string>>>,
) => Cell;

export function counters<Label extends string = never>(
  name: string,
  help: string,
  ...labels: readonly Label[]
): Series<Label, Counter> {
  return declare({ name, help, type: 'counter', labels }, () => new Counter());
}

export function histograms<Label extends string = never>(
  name: string,
  help: string,
  bounds: readonly number[],
  ...labels: readonly Label[]
): Series<Label, Histogram> {
  return declare({ name, help, type: 'histogram', labels }, () => new Histogram(bounds));
}

/** A metric that is read when it is asked for. */
export function reading(description: Description, samples: Family['samples']): void {
  declared.push({ ...description, samples });
}

export function gauge(
  name: string,
  help: string,
  read: () => number,
  across: Description['across'] = 'max',
): void {
  reading({ name, help, type: 'gauge', labels: [], across }, () => [{ value: read() }]);
}

interface Kept<Cell> {
  readonly labels: Labels;
  readonly cell: Cell;
}

function declare<Label extends string, Cell extends Counter | Histogram>(
  description: Description,
  make: () => Cell,
): Series<Label, Cell> {
  const kept = new Map<string, Kept<Cell>>();
  declared.push({
    ...description,
    samples: () => kept.values().flatMap(({ labels, cell }) => cell.samples(labels)),
  });
  return (given) => {
    const labels: Labels = given ?? {};
    const key = description.labels.map((label) => labels[label] ?? '').join('\n');
    const known = kept.get(key);
    if (known !== undefined) return known.cell;
    const cell = make();
    kept.set(key, { labels, cell });
    return cell;
  };
}
