// Owns comparing two promises of one kind: whether they differ, and whether the difference breaks
// partners for certain.

import { formatDuration } from '../../lib/duration.ts';
import type { ThrottleLimit } from '../../oauth/client.ts';
import { answerText } from '../contract/answers.ts';
import { alphabetOf, type ValueShape } from '../language/value_shape.ts';
import type { Input } from '../requests/inputs.ts';
import { type Check, type InputWords, limitText, type Promised } from './item.ts';

type Of<Kind extends Promised['kind']> = Extract<Promised, { readonly kind: Kind }>;

/** A promise in words. */
export function wordsOf(promise: Promised): string {
  switch (promise.kind) {
    case 'names':
      return promise.names.length === 0 ? 'none' : promise.names.join(promise.between);
    case 'span':
      return formatDuration(promise.span);
    case 'limit':
      return limitText(promise.limit);
    case 'order':
      return promise.checks.map(({ name }) => name).join(', ');
    case 'answers':
      return answerText(promise.render(new Set()));
    default:
      return promise.text;
  }
}

/** Whether partners could tell one promise from the other; answers are compared case by case. */
export function differ(before: Promised, after: Promised): boolean {
  if (before.kind === 'order' && after.kind === 'order') {
    return isReordered(before.checks, after.checks);
  }
  if (wordsOf(before) === wordsOf(after)) return false;
  return meaningOf(before) !== meaningOf(after);
}

/** What the words come to: two failure reasons with one answer are the same to partners. */
function meaningOf(promise: Promised): string {
  return promise.kind === 'input' ? promise.meaning() : wordsOf(promise);
}

/** Two checks of one request that both can fail: the first of them answers (C-8). */
function isReordered(before: readonly Check[], after: readonly Check[]): boolean {
  const places = new Map(after.map((check, place) => [check.name, { check, place }]));
  return before.some((one, index) =>
    before.slice(index + 1).some((other) => {
      const [first, second] = [places.get(one.name), places.get(other.name)];
      if (first === undefined || second === undefined || first.place < second.place) return false;
      const isTogether = first.check.requests.some((request) =>
        second.check.requests.includes(request),
      );
      return isTogether && first.check.answer() !== second.check.answer();
    }),
  );
}

/** Why the change breaks partners, where that is certain; undefined where it is not. */
export function breakOf(before: Promised, after: Promised): string | undefined {
  if (before.kind !== after.kind) return before.kind === 'offer' ? 'it has changed' : undefined;
  const judge = judges[before.kind] as
    | ((one: Promised, other: Promised) => string | undefined)
    | undefined;
  return judge?.(before, after);
}

const judges: {
  readonly [Kind in Promised['kind']]?: (before: Of<Kind>, after: Of<Kind>) => string | undefined;
} = {
  offer: () => 'it has changed',
  choice: (before, after) => (after.strict && !before.strict ? 'it is stricter' : undefined),
  names: (before, after) => {
    const gone = before.names.filter((name) => !after.names.includes(name));
    return gone.length === 0 ? undefined : `gone: ${gone.join(', ')}`;
  },
  span: (before, after) => (after.span < before.span ? 'it is shorter' : undefined),
  limit: (before, after) => (isLess(before.limit, after.limit) ? 'it is less' : undefined),
  shape: (before, after) => (isNarrower(before.shape, after.shape) ? 'it is narrower' : undefined),
  input: inputBreak,
};

/** Certain only if neither limit nor window makes up for the other. */
function isLess(before: ThrottleLimit | undefined, after: ThrottleLimit | undefined): boolean {
  if (after === undefined) return false;
  if (before === undefined) return true;
  const isMore = after.limit > before.limit || after.window < before.window;
  return !isMore && (after.limit < before.limit || after.window > before.window);
}

function inputBreak(was: InputWords, is: InputWords): string | undefined {
  const { input: before } = was;
  const { input: after } = is;
  const burdened = burdenedBy(after, was.requests);
  const neededBefore: readonly string[] = before.neededBy;
  if (burdened.some((request) => !neededBefore.includes(request))) return 'newly required';
  // No request has had it that is still answered.
  if (!before.readBy.some((request) => after.readBy.includes(request))) return undefined;
  const isNeeded = burdened.length > 0;
  if (isNeeded && before.name !== after.name) return 'it has another name';
  const places = before.places.filter((place) => !after.places.includes(place));
  // An optional header that is not read any more is ignored; a parameter can be misplaced.
  const isMissed = isNeeded || !places.includes('header');
  if (places.length > 0 && isMissed) return `no longer read in: ${places.join(', ')}`;
  if (isNeeded && before.scheme !== after.scheme) return 'it has another scheme';
  const demand = is.demands.find((one) => !was.demands.includes(one));
  if (demand !== undefined) return `new demand: ${demand}`;
  const { allowed } = after;
  const refused = before.allowed?.filter((value) => allowed?.includes(value) === false) ?? [];
  if (refused.length > 0) return `no longer allowed: ${refused.join(', ')}`;
  if (before.allowed === undefined && allowed !== undefined) return 'it is narrower';
  // Values of a list are allowed whatever the shapes are: `check` holds them to the shape.
  const isListed = before.allowed !== undefined;
  return !isListed && isNarrower(before, after) ? 'it is narrower' : undefined;
}

/** Whether some text of the first shape is none of the second. */
function isNarrower(before: ValueShape, after: ValueShape): boolean {
  const [was = '', is = ''] = [before.prefix, after.prefix];
  if (!was.startsWith(is)) return true;
  const [least, most] = lengthsOf(before);
  const [nowLeast, nowMost] = lengthsOf(after);
  if (least < nowLeast || most > nowMost) return true;
  if (after.characters === undefined) return false;
  if (before.characters === undefined) return true;
  const alphabet = new Set(alphabetOf(after.characters));
  const written = was.slice(is.length) + alphabetOf(before.characters);
  return Array.from(written).some((character) => !alphabet.has(character));
}

/** The fewest and the most characters, with the prefix. */
function lengthsOf({ prefix = '', length }: ValueShape): readonly [number, number] {
  return [prefix.length + (length?.min ?? 0), prefix.length + (length?.max ?? Infinity)];
}

/** Why the lack of a promise that was there breaks partners. */
export function lossOf(promise: Promised): string | undefined {
  if (promise.kind === 'offer') return 'it is gone';
  if (promise.kind !== 'input' || promise.input.readBy.length === 0) return undefined;
  return promise.strict ? 'refused as unknown' : undefined;
}

/**
 * Why a promise that is new breaks partners.
 *
 * @param requests the kinds of request that were answered before
 */
export function burdenOf(promise: Promised, requests: readonly string[]): string | undefined {
  if (promise.kind !== 'input') return undefined;
  return burdenedBy(promise.input, requests).length > 0 ? 'newly required' : undefined;
}

/** The requests among those of before that must have the input. */
function burdenedBy({ neededBy }: Input<unknown>, requests: readonly string[]): readonly string[] {
  return neededBy.filter((request) => requests.includes(request));
}
