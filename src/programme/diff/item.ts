// Owns the form in which two contracts are compared: endpoints with items, each a promise of one kind.

import { type Milliseconds, milliseconds } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { Parts } from '../../lib/present.ts';
import type { ThrottleLimit } from '../../oauth/client.ts';
import type { Answers, BodyForm, Told } from '../contract/answers.ts';
import type { ValueShape } from '../language/value_shape.ts';
import type { Input } from '../requests/inputs.ts';

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
  readonly items: Items;
}

/** One thing that an endpoint promises. Items of two contracts with the same title are compared. */
export interface Item {
  readonly title: string;
  /** Compared with the item of this name if no item has the same title: a renamed input. */
  readonly otherwise?: string;
  readonly promise: Promised;
}

export type Items = Parts<Item>;

/** An input in the words of the contract. */
export interface InputWords {
  readonly text: string;
  /** The text, with the answers to its failures in place of their reasons. */
  readonly meaning: () => string;
  /** The kinds of request that the endpoint answers. */
  readonly requests: readonly string[];
  /** Further demands on the value, each by its words. */
  readonly demands: readonly string[];
  /** A request that has the input is refused where there is none. */
  readonly strict: boolean;
  readonly input: Input<unknown>;
}

/** A check that can fail, and the answer when it does. */
export interface Check {
  /** The title of its input. */
  readonly name: string;
  readonly answer: () => string;
  /** The kinds of request that are checked; checks of different kinds have no order. */
  readonly requests: readonly string[];
}

export type Promised =
  | { readonly kind: 'text'; readonly text: string }
  /** Partners rely on it as it is. */
  | { readonly kind: 'offer'; readonly text: string }
  | { readonly kind: 'choice'; readonly text: string; readonly strict: boolean }
  | { readonly kind: 'names'; readonly names: readonly string[]; readonly between: string }
  | { readonly kind: 'span'; readonly span: Milliseconds }
  | { readonly kind: 'limit'; readonly limit: ThrottleLimit | undefined }
  | { readonly kind: 'shape'; readonly text: string; readonly shape: ValueShape }
  | ({ readonly kind: 'input' } & InputWords)
  | { readonly kind: 'order'; readonly checks: readonly Check[] }
  | ({ readonly kind: 'answers' } & Answers);

export function text(title: string, words: string): Item {
  return { title, promise: { kind: 'text', text: words } };
}

export function offer(title: string, words: string): Item {
  return { title, promise: { kind: 'offer', text: words } };
}

export function span(title: string, length: Milliseconds): Item {
  return { title, promise: { kind: 'span', span: length } };
}

export function limitText(most: ThrottleLimit | undefined): string {
  if (most === undefined) return 'no limit';
  return `${most.limit} in ${formatDuration(milliseconds(most.window))}`;
}

export function limit(title: string, most: ThrottleLimit | undefined): Item {
  return { title, promise: { kind: 'limit', limit: most } };
}

export function names(title: string, list: readonly string[], between = ', '): Item {
  return { title, promise: { kind: 'names', names: list, between } };
}

/** `strict` tells that some requests are refused for it. */
export function choice(title: string, words: string, strict: boolean): Item {
  return { title, promise: { kind: 'choice', text: words, strict } };
}

export function answers(title: string, promise: Answers): Item {
  return { title, promise: { kind: 'answers', ...promise } };
}

/** An answer that depends on nothing. */
export function answer(title: string, form: BodyForm, told: Told): Item {
  return answers(title, { form, mayHold: [], render: () => told });
}
