// Owns the rows of a contract: each one thing that partners, gateways or browsers can rely on, in words, with
// what a later version of it must not be.

import { describeShape, isNarrower, type ValueShape } from '../../language/value_shape.ts';
import { type Milliseconds, milliseconds } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { Parts } from '../../lib/present.ts';
import type { ThrottleLimit } from '../../oauth/client.ts';
import type { Programme } from '../../programme/programme.ts';
import { type Answers, answerText, type BodyForm } from '../answers.ts';
import { secondScope, type Told } from '../samples/answers.ts';
import { lackIn } from './lack.ts';

/** A part of the programme that partners, gateways or members meet. */
export interface Endpoint {
  /** `token endpoint`. */
  readonly kind: string;
  /** Absent for what concerns several endpoints. */
  readonly path?: string;
  /** Its name in the file: an endpoint with another path is still the same endpoint. */
  readonly name?: string;
  /** The kinds of request that it answers, where there are several: its grants. */
  readonly requests?: readonly string[];
  readonly rows: Rows;
}

/** Rows of two contracts with the same title are compared. */
export interface Row {
  readonly title: string;
  /** Compared with the row of this name if none has the same title: a renamed input. */
  readonly otherwise?: string;
  readonly text: string;
  /** Whether anybody can tell it from a later version of another text; true if left out. */
  readonly differs?: (later: Row) => boolean;
  /** The row is printed only if the other version has it too. */
  readonly isRelative?: boolean;
  /** A further case of the row before it. It is printed only if it shows another difference. */
  readonly isFurther?: boolean;
  /** What `differs` and `breaks` of another row of the kind compare. */
  readonly value?: unknown;
  /** Why a later version breaks partners, where that is certain; undefined stands for a row that is gone. */
  readonly breaks?: (later: Row | undefined) => string | undefined;
  /** Why the row breaks partners where it is new; `requests` were answered before. */
  readonly burdens?: (requests: readonly string[]) => string | undefined;
}

export type Rows = Parts<Row>;

/** A row that partners rely on in some way: `judge` compares its value with the later one. */
function judged<Value>(
  title: string,
  words: string,
  value: Value,
  judge: (later: Value) => string | undefined,
): Row {
  const breaks: Row['breaks'] = (later) =>
    later === undefined ? undefined : judge(later.value as Value);
  return { title, text: words, value, breaks };
}

export function text(title: string, words: string): Row {
  return { title, text: words };
}

/** Partners rely on it as it is. */
export function offer(title: string, words: string): Row {
  const breaks: Row['breaks'] = (later) => (later === undefined ? 'it is gone' : 'it has changed');
  return { title, text: words, breaks };
}

/** `strict` tells that some requests are refused for it. */
export function choice(title: string, words: string, strict: boolean): Row {
  return judged(title, words, strict, (later) => (later && !strict ? 'it is stricter' : undefined));
}

export function names(title: string, list: readonly string[], between = ', '): Row {
  return judged(title, list.length === 0 ? 'none' : list.join(between), list, (later) => {
    const gone = list.filter((name) => !later.includes(name));
    return gone.length === 0 ? undefined : `gone: ${gone.join(', ')}`;
  });
}

export function span(title: string, length: Milliseconds): Row {
  return judged(title, formatDuration(length), length, (later) =>
    later < length ? 'it is shorter' : undefined,
  );
}

/** The keys whose rows stand among others. */
const places = [
  'client.authentication.assertion',
  'authorize',
  'code',
  'tokens.access',
  'tokens.refresh',
] as const;

/** The rows of the keys below one, in the order of the schema; without one, those that have no other place. */
export function keyRows({ told }: Programme, under?: (typeof places)[number]): readonly Row[] {
  return told.flatMap(({ key, row, words, span: length, isStrict }) => {
    const place = places.find((one) => key.startsWith(`${one}.`));
    if (row === undefined || place !== under) return [];
    if (length !== undefined) return [span(row, length)];
    return [isStrict === undefined ? text(row, words) : choice(row, words, isStrict)];
  });
}

export function limitText(most: ThrottleLimit | undefined): string {
  if (most === undefined) return 'no limit';
  return `${most.limit} in ${formatDuration(milliseconds(most.window))}`;
}

export function limit(title: string, most: ThrottleLimit | undefined): Row {
  return judged(title, limitText(most), most, (later) =>
    isLess(most, later) ? 'it is less' : undefined,
  );
}

/** Certain only if neither limit nor window makes up for the other. */
function isLess(before: ThrottleLimit | undefined, after: ThrottleLimit | undefined): boolean {
  if (after === undefined) return false;
  if (before === undefined) return true;
  const isMore = after.limit > before.limit || after.window < before.window;
  return !isMore && (after.limit < before.limit || after.window > before.window);
}

export function shape(title: string, form: ValueShape): Row {
  return judged(title, describeShape(form), form, (later) =>
    isNarrower(form, later) ? 'it is narrower' : undefined,
  );
}

/** An answer with all of its values, with none of those that can be absent, and with several scopes. */
export function answers(title: string, told: Answers): readonly Row[] {
  const { form, mayHold, render, before = '' } = told;
  const further = (words: string, absent: readonly string[]): Row => ({
    ...answer(`${title}, ${words}`, form, render(new Set(absent)), before),
    isFurther: true,
  });
  return [
    answer(title, form, render(new Set([secondScope])), before),
    further('without optional values', [...mayHold, secondScope]),
    ...(mayHold.includes(secondScope) ? [further('with several scopes', [])] : []),
  ];
}

/** An answer that depends on nothing; its body begins with the text `before`. */
export function answer(title: string, form: BodyForm, told: Told, before = ''): Row {
  return judged(title, answerText(told), { form, told, before }, (later) => {
    if (later.before !== before) return 'another text stands before it';
    const [was, is] = [told, later.told].map((one) => ({
      ...one,
      body: one.body.slice(before.length),
    })) as [Told, Told];
    return lackIn(was, is, form === later.form ? form : 'text');
  });
}
