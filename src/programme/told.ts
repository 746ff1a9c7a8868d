// Owns what partners are told by single keys of a programme file, as the entries of the schema say it.

import { type Definition, definitionSchema } from '../language/definition.ts';
import { type Milliseconds, milliseconds } from '../lib/clock.ts';
import { formatDuration } from '../lib/duration.ts';
import { keyValues } from '../schema/keys.ts';

/** What partners are told of one key. */
export interface Told {
  /** `tokens.refresh.grace`. */
  readonly key: string;
  /** Its row in a comparison of two versions; undefined where there is none. */
  readonly row: string | undefined;
  readonly words: string;
  /** Of a time, which must not become shorter. */
  readonly span: Milliseconds | undefined;
  /** Of what refuses some requests, or does not. */
  readonly isStrict: boolean | undefined;
  /** A paragraph of the page for partners. */
  readonly page: string | undefined;
}

/** In the order of the schema. */
export function compileTold(definition: Definition): readonly Told[] {
  return Array.from(keyValues(definition, definitionSchema)).flatMap(({ entry, value, at }) => {
    const { tells } = entry.docs ?? {};
    if (tells === undefined) return [];
    const span = tells.isSpan === true ? milliseconds(value) : undefined;
    const usual = (): string => (span === undefined ? String(value) : formatDuration(span));
    return [
      {
        key: at.path.join('.'),
        row: tells.row,
        words: tells.words?.(value, at) ?? usual(),
        span,
        isStrict: tells.isStrict?.(value),
        page: tells.page?.(value, at),
      },
    ];
  });
}
