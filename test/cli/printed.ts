// Owns how a session says what a command printed: JSON and sheets in lines that are as full as they can be, and
// standard error behind its mark.

import { sheet } from '../../src/cli/table.ts';
import type { Ran } from './command.ts';

/** As a session says it. */
export function printed({ stdout, stderr }: Ran, folder: string): string {
  const lines = (text: string): readonly string[] =>
    text === '' ? [] : text.replace(/\n$/, '').split('\n');
  // How long the folder's name is must not matter.
  const short = stdout.replaceAll(folder, '{folder}');
  const filled = isPrettyJson(short) ? folded(JSON.parse(short)) : withSheets(short);
  const told = lines(filled.replaceAll('{folder}', folder));
  if (told.some((line) => /^(?:[$@<>] |2> |===)/.test(line))) {
    throw new Error(`a session cannot say what looks like one: ${stdout}`);
  }
  return [
    ...told,
    ...(stdout === '' || stdout.endsWith('\n') ? [] : ['[no end of line]']),
    ...lines(stderr).map((line) => `2> ${line}`),
  ].join('\n');
}

/** Whether it is JSON to the byte as `--json` prints it: a member a line. */
function isPrettyJson(text: string): boolean {
  try {
    return `${JSON.stringify(JSON.parse(text), undefined, 2)}\n` === text;
  } catch {
    return false;
  }
}

/** JSON in lines that are as full as they can be: an object or list is whole in one, or each member begins one. */
function folded(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const lines: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const part = folded(member, `${indent}  `);
    const text = isList ? part : `${JSON.stringify(name)}: ${part}`;
    const last = lines.at(-1);
    const longer = `${last}, ${text}`;
    if (last === undefined || longer.includes('\n') || longer.length > lineWidth) lines.push(text);
    else lines[lines.length - 1] = longer;
  }
  if (lines.length === 0) return open + close;
  return `${open} ${lines.join(`,\n${indent}  `)} ${close}`;
}

/** Whatever is random in a line is of one length. */
const lineWidth = 110;

/** The text with each sheet of at least four rows in lines that are as full as they can be. */
function withSheets(text: string): string {
  return text.replaceAll(/(?: {2}\S.*\n(?: {4,}\S.*\n)*){4,}/g, (printedSheet) => {
    const rows: [label: string, values: string[]][] = [];
    for (const line of printedSheet.trimEnd().split('\n')) {
      const [, label, value = line.trim()] = /^ {2}(\S.*?) {2,}(.*)$/.exec(line) ?? [];
      if (label === undefined) rows.at(-1)?.[1].push(value);
      else rows.push([label, [value]]);
    }
    // Only what is a sheet to the byte.
    if (`${sheet(rows)}\n` !== printedSheet) return printedSheet;
    const filled: string[] = [];
    for (const [label, values] of rows) {
      const row = `${label}  ${values.join(' & ')}`;
      const longer = `${filled.at(-1)} | ${row}`;
      if (filled.length === 0 || longer.length > lineWidth) filled.push(`  ${row}`);
      else filled[filled.length - 1] = longer;
    }
    return `${filled.join('\n')}\n`;
  });
}
