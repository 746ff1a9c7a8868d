// Owns the cause of a refusal, for operators and partners: the rule, what it expects and what came.
// What was sent is described, never repeated, apart from names.

import { type ProofFault, proofFaults } from './proofs/proof_faults.ts';

/** A rule of the programme's document; of an endpoint's keys those after `atEndpoint`. */
export type RulePath = readonly string[];

/** Stands for the path of the endpoint that was asked. */
export const atEndpoint = '@endpoint';

/** The path of an endpoint's key. */
export function endpointRule(...keys: readonly string[]): RulePath {
  return [atEndpoint, ...keys];
}

/** A rule that no key of a programme changes. */
export const ownRule: RulePath = [];

export interface Cause {
  /** The key that decided it, or the nearest one above it. */
  readonly rule: RulePath;
  readonly expected: string;
  readonly came: string;
  /** Wire name of the parameter or header at fault, where the dialect declares it. */
  readonly parameter?: string;
  /** Tells nothing but of the partner's own request: the partner may read it. */
  readonly isOwn?: true;
  /** Which fault of the proof it is, where it is one. */
  readonly fault?: ProofFault;
}

/** A cause that the partner may read. */
export function ownCause(
  rule: RulePath,
  expected: string,
  came: string,
  parameter?: string,
): Cause {
  return { rule, expected, came, isOwn: true, ...(parameter === undefined ? {} : { parameter }) };
}

/** The cause with its fault, of which the table has the words unless they hold a value. */
export function faulty(cause: Cause, fault: ProofFault, came?: string): Cause {
  return { ...cause, fault, came: came ?? proofFaults[fault].came ?? cause.came };
}

const looked = 4096;

const kinds: readonly (readonly [name: string, test: RegExp])[] = [
  ['small letters', /[a-z]/],
  ['capitals', /[A-Z]/],
  ['digits', /[0-9]/],
  ['signs', /[!-/:-@[-`{-~]/],
  ['spaces', / /],
  ['control characters', /\p{Cc}/u],
  ['characters outside ASCII', /[^\0-\x7F]/],
];

const habits: readonly (readonly [words: string, test: RegExp])[] = [
  ['with white space around it', /^\s|\s$/],
  ['in quotes', /^(["']).*\1$/s],
  ['with percent escapes, as if encoded twice', /%[0-9A-Fa-f]{2}/],
];

/** Length and kinds of characters of a text that may be secret. */
export function describeText(text: string): string {
  if (text === '') return 'an empty value';
  const start = text.slice(0, looked);
  const found = kinds.filter(([, test]) => test.test(start)).map(([name]) => name);
  const noted = habits.filter(([, test]) => test.test(start)).map(([words]) => words);
  return [`${countOf(text.length, 'character')} (${found.join(', ')})`, ...noted].join(', ');
}

export function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** A word, as names of parameters and scopes are; secrets, codes and tokens are not like that. */
const nameForm = /^(?=.{1,40}$)[A-Za-z]+(?:[_.:-][A-Za-z]+)*(?:[_.:-]?\d{1,2})?$/;

/** A name of a request in quotes, or its description where it could be something else. */
export function describeName(name: string): string {
  return nameForm.test(name) ? `"${name}"` : `a name of ${describeText(name)}`;
}

const mostSegments = 8;

/** A path of a request in which whatever is no word is left out. */
export function describePath(path: string): string {
  const segments = path.split('/', mostSegments + 1);
  return segments
    .map((one, index) => {
      if (index === mostSegments) return '…';
      return one === '' || nameForm.test(one) ? one : '…';
    })
    .join('/');
}

/** How a value differs from the one it must equal. */
export function describeDifference(sent: string, right: string): string {
  if (sent.toLowerCase() === right.toLowerCase()) return 'the same in other letter case';
  if (sent.trim() === right) return 'the same with white space around it';
  return `another value of ${describeText(sent)}`;
}

/** Time that has passed, in the largest unit of which there are two. */
export function describeAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const units = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const;
  const [name, length] = units.find(([, one]) => seconds >= 2 * one) ?? (['second', 1] as const);
  return `${countOf(Math.floor(seconds / length), name)} ago`;
}
