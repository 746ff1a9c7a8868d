// Owns "did you mean": the nearest of the known words to one that is not known.

import { quote } from './fault.ts';

/**
 * The candidate nearest to the word, or undefined when none is near. Case, `-` and `_` do not
 * count as differences; beyond that about one slip in three letters, and never more than three.
 * Of equally near candidates the first wins.
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const plain = normalise(word);
  let limit = Math.min(3, Math.floor(plain.length / 3));
  let nearest: string | undefined;
  for (const candidate of candidates) {
    if (candidate === word) continue;
    const distance = editDistance(plain, normalise(candidate), limit);
    if (distance > limit) continue;
    nearest = candidate;
    if (distance === 0) break;
    limit = distance - 1;
  }
  return nearest;
}

function normalise(word: string): string {
  return word.toLowerCase().replace(/[-_]/g, '');
}

/**
 * Damerau-Levenshtein distance (optimal string alignment: a transposed pair counts once), or
 * anything over `limit` once that is exceeded.
 */
function editDistance(one: string, other: string, limit: number): number {
  if (one === other) return one === '' ? limit + 1 : 0;
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let beforePrevious: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = at(previous, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      let best = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, change);
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (swapped) best = Math.min(best, at(beforePrevious, j - 2) + 1);
      row.push(best);
    }
    if (Math.min(...row) > limit) return limit + 1;
    beforePrevious = previous;
    previous = row;
  }
  return at(previous, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

/** The hint for an unknown name. */
export function nameHint(name: string, known: readonly string[]): string {
  return didYouMean(name, known) ?? `expected one of ${known.join(', ')}`;
}

/** The nearest word as a question; undefined when none is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const near = suggest(word, candidates);
  return near === undefined ? undefined : `did you mean ${quote(near)}?`;
}
