// Owns writing Markdown: text that is never taken for markup, code, tables.

import type { Parts } from '../../lib/present.ts';

/** A part of a page: paragraphs, tables and code in their order. */
export type Block = Parts<string>;

/** Characters that begin markup anywhere in a line, or at its start. */
const markup = /[\\`*_[\]<>&|#~]/g;

/** Text of a programme or a partner, as text. */
export function escaped(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(markup, String.raw`\$&`);
}

/** A text in one line of code, also inside a table. */
export function inCode(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', String.raw`\|`);
  const ticks = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  if (ticks === 0) return `\`${line}\``;
  const fence = '`'.repeat(ticks + 1);
  return `${fence} ${line} ${fence}`;
}

/** The cells of a row; `false` stands for one, or a whole row, that is left out. */
export type Row = false | readonly (string | false)[];

/** Cells are Markdown already. */
export function table(head: Row, rows: readonly Row[]): string {
  const cells = [head, ...rows].flatMap((row) =>
    row === false ? [] : [row.filter((cell) => cell !== false)],
  );
  const [first = [], ...others] = cells;
  return [first, first.map(() => '---'), ...others]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

export function codeBlock(language: string, code: string): string {
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;
}

/** The first letter in upper case. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
