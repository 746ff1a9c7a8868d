// Owns what sample programs of several languages have in common: maps of texts, a member a line.

import type { JsonMembers } from '../../requests/sample_body.ts';

/** Writes a text, which may have variables in it, as an expression. */
export type TextWriter = (value: string) => string;

/** A header of an answer that is printed before its body: the one that holds the token. */
export interface Printed {
  readonly header?: string | undefined;
}

type Members = readonly (readonly [string, string | JsonMembers])[];

/**
 * Writes maps with `step` as the indentation of each level; `first` are members whose values are
 * expressions already.
 */
export function mapWriter(
  text: TextWriter,
  step: string,
): (members: Members, indent: string, first?: readonly (readonly [string, string])[]) => string {
  const write = (
    members: Members,
    indent: string,
    first: readonly (readonly [string, string])[] = [],
  ): string => {
    const inner = indent + step;
    const written = members.map(([name, value]) => {
      const expression =
        typeof value === 'string' ? text(value) : write(Object.entries(value), inner);
      return [name, expression] as const;
    });
    const lines = [...first, ...written].map(
      ([name, expression]) => `${inner}${JSON.stringify(name)}: ${expression},`,
    );
    return lines.length === 0 ? '{}' : ['{', ...lines, `${indent}}`].join('\n');
  };
  return write;
}
