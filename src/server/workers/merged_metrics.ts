// Owns making the metrics of several processes those of one server.

import type { Family, Sample } from '../../lib/metrics/families.ts';
import type { PlainFamily } from './messages.ts';

type Merge = (one: number, other: number) => number;

const merges: Readonly<Record<NonNullable<Family['across']>, Merge>> = {
  sum: (one, other) => one + other,
  max: Math.max,
  min: Math.min,
};

/** Adds counters and histograms up; of a gauge, what `across` says. */
export function mergeFamilies(processes: readonly (readonly PlainFamily[])[]): PlainFamily[] {
  const byName = new Map<string, { readonly family: PlainFamily; readonly all: PlainFamily[] }>();
  for (const family of processes.flat()) {
    const found = byName.get(family.name) ?? { family, all: [] };
    byName.set(family.name, found);
    found.all.push(family);
  }
  return [...byName.values()].map(({ family, all }) => {
    const merge = merges[family.type === 'gauge' ? (family.across ?? 'max') : 'sum'];
    return { ...family, series: mergeSeries(all, merge) };
  });
}

function mergeSeries(families: readonly PlainFamily[], merge: Merge): readonly Sample[] {
  const merged = new Map<string, Sample>();
  for (const sample of families.flatMap(({ series }) => series)) {
    const key = JSON.stringify([sample.suffix, sample.labels]);
    const known = merged.get(key);
    const value = known === undefined ? sample.value : merge(known.value, sample.value);
    merged.set(key, { ...sample, value });
  }
  return [...merged.values()];
}

/** What only grows: of a process that has ended, it counts on. */
export function growing(families: readonly PlainFamily[]): PlainFamily[] {
  return families.filter(({ type }) => type !== 'gauge');
}

export function readableFamily({ series, ...description }: PlainFamily): Family {
  return { ...description, samples: () => series };
}
