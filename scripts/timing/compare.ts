// Owns comparing the times of answers that nobody may tell apart: samples one at a time, the kinds in
// turn, and medians beside each other.

import { randomInt } from 'node:crypto';

import { median } from '../figures.ts';
import type { Sender } from '../load/connection.ts';
import type { RawRequest } from '../load/requests.ts';

/** One kind of request among those that must be answered alike. */
export interface Kind {
  readonly name: string;
  /** The request with that number, and what its answer is when all that may differ is masked. */
  readonly request: (index: number) => {
    readonly text: RawRequest;
    readonly mask: (body: string) => string;
  };
}

/** Kinds that are told the same; the first is what the others are held against. */
export interface Comparison {
  readonly name: string;
  readonly kinds: readonly Kind[];
  /** Samples of each kind in a round. */
  readonly count: number;
}

export interface Row {
  readonly comparison: string;
  readonly kind: string;
  readonly samples: number;
  /** Milliseconds. */
  readonly median: number;
  /** Of the median of the first kind. */
  readonly ratio: number;
}

/** An answer that differs from the others in more than its time. */
class Told extends Error {}

/**
 * Takes rounds until every median is within the limit of the first kind's, or as many as there may be:
 * what disturbs a machine for a while is outvoted by what is measured later, a real difference stays.
 *
 * @param limit share of the first median that another may differ by
 */
export async function compare(
  sender: Sender,
  comparison: Comparison,
  { limit, rounds }: { readonly limit: number; readonly rounds: number },
): Promise<readonly Row[]> {
  const spent = comparison.kinds.map((): number[] => []);
  let rows: readonly Row[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await takeRound(sender, comparison, round, spent);
    rows = rowsOf(comparison, spent);
    if (rows.every((row) => isWithin(row, limit))) break;
  }
  return rows;
}

export function isWithin({ ratio }: Row, limit: number): boolean {
  return Math.abs(ratio - 1) <= limit;
}

async function takeRound(
  sender: Sender,
  { name, kinds, count }: Comparison,
  round: number,
  spent: readonly number[][],
): Promise<void> {
  let expected: string | undefined;
  for (let index = round * count; index < (round + 1) * count; index += 1) {
    // In another order each time, so that none of them always comes after the same.
    for (const place of shuffled(kinds.length)) {
      const kind = kinds[place];
      if (kind === undefined) continue;
      const { text, mask } = kind.request(index);
      const told = await sender.send(text);
      spent[place]?.push(told.spent);
      const masked = mask(`${told.status} ${told.body}`);
      expected ??= masked;
      if (masked !== expected) {
        throw new Told(`${name}: ${kind.name} is answered ${masked}\n\nand not ${expected}`);
      }
    }
  }
}

function shuffled(length: number): readonly number[] {
  const places = Array.from({ length }, (_, index) => index);
  for (let last = length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [places[last], places[other]] = [places[other] ?? 0, places[last] ?? 0];
  }
  return places;
}

function rowsOf({ name, kinds }: Comparison, spent: readonly number[][]): readonly Row[] {
  const medians = spent.map(median);
  return kinds.map((kind, index) => ({
    comparison: name,
    kind: kind.name,
    samples: spent[index]?.length ?? 0,
    median: medians[index] ?? 0,
    ratio: (medians[index] ?? 0) / (medians[0] ?? 0),
  }));
}
