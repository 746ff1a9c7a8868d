// Owns writing Markdown: text that is never taken for markup, code, tables.

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

/** Cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function codeBlock(language: string, code: string): string {
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;
}

/** The first letter in upper case. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
