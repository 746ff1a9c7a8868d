// Owns the form of an answer in a contract: what is told, and which of its values can be absent.

import type { EncodingName } from '../language/encoding.ts';

/** An answer; claims of a token have no status. */
export interface Told {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a body is read: as members of JSON, parameters of a form, text, or a page for people. */
export type BodyForm = 'json' | 'form' | 'text' | 'page';

export interface Answers {
  readonly form: BodyForm;
  /** Values that the answer holds if they are known: each can be absent. */
  readonly mayHold: readonly string[];
  readonly render: (absent: ReadonlySet<string>, valuing?: Valuing) => Told;
}

/**
 * Sample values: digits wherever they can be, so that a format that makes numbers of texts shows, or
 * values of the form that requests are held to, for people.
 */
export type Valuing = 'digits' | 'fitting';

export function bodyFormOf(encoding: EncodingName): BodyForm {
  return encoding === 'json' || encoding === 'form' ? encoding : 'text';
}

/** Status, headers in order of name, and body, each on lines of its own. */
export function answerText({ status, headers, body }: Told): string {
  const byName = Object.entries(headers).toSorted(([one], [other]) =>
    one.toLowerCase() < other.toLowerCase() ? -1 : 1,
  );
  return [
    ...(status === undefined ? [] : [String(status)]),
    ...byName.map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : [body]),
  ].join('\n');
}
