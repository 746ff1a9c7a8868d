// Owns the text of one YAML file: its size, its characters and the places in it.

import { LineCounter } from 'yaml';

import { errorAt, type Fault, type Path, type Position } from '../fault.ts';

/** One file's text, without its byte order mark. */
export interface YamlSource {
  readonly file: string;
  readonly text: string;
  readonly lines: LineCounter;
}

/** The source of a text; a byte order mark at its start is dropped and not counted. */
export function openSource(file: string, text: string): YamlSource {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of plain.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return { file, text: plain, lines };
}

/** The place of an offset; offsets outside the text give its start or its end. */
export function positionOf({ file, text, lines }: YamlSource, offset: number): Position {
  const { line, col } = lines.linePos(Math.min(Math.max(offset, 0), text.length));
  return { file, line, column: col };
}

/** A fault of severity error at an offset. */
export function errorAtOffset(
  source: YamlSource,
  offset: number,
  path: Path,
  message: string,
  hint?: string,
): Fault {
  return errorAt(positionOf(source, offset), path, message, hint);
}

/** The first offset from here on that is not blank; the given one when only blanks follow. */
export function skipBlanks(source: YamlSource, offset: number): number {
  const blanks = /\s*/y;
  blanks.lastIndex = offset;
  const end = offset + (blanks.exec(source.text)?.[0].length ?? 0);
  return end < source.text.length ? end : offset;
}

// Controls but tab and line feed, halves of surrogate pairs, non-characters, stray byte order
// marks, and U+FFFD, which a decoder puts for bytes that are not UTF-8.
const foreignCharacter = /[^\P{Cc}\t\n]|[\uFEFF\uFFFD-\uFFFF]|\p{Surrogate}/gu;

/** Every character a file must not hold. */
export function characterFaults(source: YamlSource): readonly Fault[] {
  if (isWide(source.text)) {
    return [errorAtOffset(source, 0, [], 'the file is in UTF-16', 'save it as UTF-8')];
  }
  const faults: Fault[] = [];
  for (const match of source.text.matchAll(foreignCharacter)) {
    if (match[0] === '\r' && source.text[match.index + 1] === '\n') continue;
    const message = `${nameOf(match[0])} is not allowed in a file`;
    faults.push(errorAtOffset(source, match.index, [], message, adviceOn(match[0])));
  }
  return faults;
}

/** Decoded as UTF-8, a text in UTF-16 has a NUL in every other place. */
function isWide(text: string): boolean {
  return /^\uFFFD{0,2}(?:[^\0]\0){2}|^\uFFFD{0,2}(?:\0[^\0]){2}/.test(text);
}

/**
 * Name of a value's first forbidden character, such as one from an escape `"\0"`. An escaped carriage
 * return is meant: answers end their lines so.
 */
export function foreignCharacterIn(value: string): string | undefined {
  const found = value.match(foreignCharacter)?.find((character) => character !== '\r');
  return found === undefined ? undefined : nameOf(found);
}

function nameOf(character: string): string {
  const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  if (character === '\0') return 'the character NUL';
  if (character === '\r') return 'a lone carriage return';
  if (character === '\uFEFF') return 'a byte order mark (U+FEFF) inside the text';
  if (/\p{Surrogate}/u.test(character)) return `half a surrogate pair (U+${number})`;
  return `the ${/\p{Cc}/u.test(character) ? 'control ' : ''}character U+${number}`;
}

function adviceOn(character: string): string | undefined {
  if (character === '\uFFFD') return 'save the file as UTF-8';
  if (character === '\r') return 'end lines with LF or CR LF';
  return undefined;
}
