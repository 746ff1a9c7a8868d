// Owns YAML: text to nodes with their places, values to text.

import { Document, isMap, isScalar, isSeq, Lexer, parseDocument, Parser } from 'yaml';
import type { YAMLParseError } from 'yaml';

import { byPosition, type Fault, type Path, quote } from '../fault.ts';
import { isWide } from '../heap/flat_text.ts';
import { buildRoot, type Reading } from './build.ts';
import type { YamlNode } from './node.ts';
import {
  characterFaults,
  errorAtOffset,
  openSource,
  skipBlanks,
  type YamlSource,
} from './source.ts';

export type { MapNode, YamlNode } from './node.ts';

/** A text's nodes; without `root` its content cannot be checked. */
export interface ParsedYaml {
  readonly root: YamlNode | undefined;
  readonly faults: readonly Fault[];
}

/** The longest text that is read (HOSTILE 54). */
export const maxYamlBytes: number = 64 * 1024;

/** Maps and lists may nest this deep. */
export const maxYamlDepth = 32;

// Faults that are told one by one; a broken file can hold tens of thousands.
const maxFaults = 100;

/**
 * Reads one YAML 1.2 document of the core schema; never throws. Refused with a fault at its place:
 * anything over 64 KiB or nested over 32 deep, several documents, directives, anchors, aliases,
 * tags, merge keys, duplicate keys, keys that are not text, keys JavaScript treats as its own, and
 * control characters. The root is there in spite of faults when the structure is still certain;
 * refused entries are then left out of it, so that the content can be checked in the same run.
 */
export function parseYaml(file: string, text: string): ParsedYaml {
  const size = Buffer.byteLength(text);
  const source = openSource(file, size > maxYamlBytes ? '' : text);
  const refused = (faults: readonly Fault[]): ParsedYaml => ({ root: undefined, faults });
  if (size > maxYamlBytes) {
    const message = `the file holds ${size} bytes; at most ${maxYamlBytes} are read`;
    return refused([{ ...errorAtOffset(source, 0, [], message), code: 'too_large' }]);
  }
  const foreign = characterFaults(source);
  if (foreign.length > 0) return refused(abridged(foreign));
  try {
    const { root, faults } = readDocument(source);
    return { root, faults: abridged(faults.toSorted(byPosition)) };
  } catch (error) {
    // The parser is not ours: whatever it throws at hostile text concerns this file alone.
    const message = `the file cannot be read as YAML: ${quote(String(error))}`;
    return refused([errorAtOffset(source, 0, [], message)]);
  }
}

/** The comment behind a value; undefined for none. */
export type Remark = (path: Path) => string | undefined;

/** The text of a value; texts that parseYaml would read as another value are quoted. */
export function stringifyYaml(value: unknown, remark?: Remark): string {
  // YAML 1.1 readers take `no` and `1_000` for something else: quoted, all readers agree.
  const document = new Document(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false });
  if (remark !== undefined) addRemarks(document.contents, [], remark);
  return document.toString({ lineWidth: 0 });
}

function addRemarks(node: unknown, path: Path, remark: Remark): void {
  if (isMap(node)) {
    for (const { key, value } of node.items) addRemarks(value, [...path, String(key)], remark);
  } else if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) addRemarks(item, [...path, index], remark);
  } else if (isScalar(node)) {
    const text = remark(path);
    if (text !== undefined) node.comment = ` ${text}`;
  }
}

function abridged(faults: readonly Fault[]): readonly Fault[] {
  const next = faults[maxFaults];
  if (next === undefined) return faults;
  const message = `${faults.length - maxFaults} more faults from here on`;
  return [...faults.slice(0, maxFaults), { severity: 'error', at: next.at, path: '', message }];
}

function readDocument(source: YamlSource): ParsedYaml {
  const refused = (offset: number, message: string, hint?: string): ParsedYaml => ({
    root: undefined,
    faults: [errorAtOffset(source, offset, [], message, hint)],
  });
  const deepAt = tooDeepAt(source.text);
  if (deepAt !== undefined) {
    return refused(deepAt, `maps and lists nest more than ${maxYamlDepth} deep from here`);
  }
  const directive = directiveLine.exec(source.text);
  if (directive !== null) {
    const at = directive.index + directive[0].length;
    return refused(at, 'directives (%NAME) are not read', 'remove the line');
  }
  const document = withoutStacks(() => parseDocument(source.text, options));
  const reading: Reading = {
    source,
    isWide: isWide(source.text),
    refusals: [],
    faults: [],
    brackets: new Map(),
    guessedFrom: Number.POSITIVE_INFINITY,
  };
  const root = buildRoot(reading, document.contents);
  const broken = syntaxFaults(reading, document.errors);
  // What building finds on a line that is broken anyway is only the parser's guess.
  const brokenLines = new Set(broken.map((fault) => fault.at.line));
  const others = reading.faults.filter(({ at }) => !brokenLines.has(at.line));
  const faults = [...broken, ...reading.refusals, ...others];
  if (root === undefined && faults.length === 0) return refused(0, 'the file is empty');
  const isCertain =
    document.errors.length === 0 && reading.guessedFrom === Number.POSITIVE_INFINITY;
  return { root: isCertain ? root : undefined, faults };
}

const options = {
  version: '1.2',
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false, // theirs compares each key with each other: buildEntries does it in one pass
  prettyErrors: false, // theirs put code frames into messages
} as const;

/** A line with `%` before a document: of the file, or behind the end of one. */
const directiveLine = /(?<=^|(?:^|\n)\.\.\.[^\n]*\n)(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?=%)/;

/**
 * Where nesting passes the limit. What follows in the package recurses, and V8 ends the process if a
 * stack overflows in the compiler of regular expressions: nothing could catch that.
 */
function tooDeepAt(text: string): number | undefined {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme)); // the parser works while it is read
    const top = parser.stack.at(-1);
    // The stack holds the document, the open collections and perhaps a scalar.
    if (parser.stack.length - 1 <= maxYamlDepth || top === undefined) continue;
    if ('items' in top) return top.offset;
  }
  return undefined;
}

/** The parser makes an Error of each complaint: 65,000 stack traces cost five times the parsing. */
function withoutStacks<Result>(work: () => Result): Result {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** The parser's complaints: one a line, since one slip often causes several. */
function syntaxFaults(reading: Reading, errors: readonly YAMLParseError[]): Fault[] {
  const { source, brackets, refusals } = reading;
  const refusedLines = new Set(refusals.map(({ at }) => at.line));
  let { guessedFrom } = reading;
  const located = errors.map(({ code, message, pos: [offset] }) => {
    // The parser misses a bracket where the text goes on: people look where it opens.
    const opening = message.includes(' end with a ') ? brackets.get(offset) : undefined;
    if (opening !== undefined) guessedFrom = Math.min(guessedFrom, opening);
    const start = code === 'TAB_AS_INDENT' ? offset : skipBlanks(source, offset);
    return { start: opening ?? start, isOpening: opening !== undefined, code, message };
  });
  const byLine = new Map<number, Fault>();
  for (const { start, isOpening, code, message } of located) {
    if (start > guessedFrom || (start === guessedFrom && !isOpening)) continue;
    const fault = errorAtOffset(source, start, [], ...syntaxWords(code, message));
    const { line } = fault.at;
    if (isOpening || !(byLine.has(line) || refusedLines.has(line))) byLine.set(line, fault);
  }
  return [...byLine.values()];
}

/** The parser's words, without the text that they quote: it can be long, or a secret. */
function syntaxWords(code: string, message: string): readonly [message: string, hint?: string] {
  if (code === 'TAB_AS_INDENT') return ['a tab cannot indent', 'use spaces'];
  if (code === 'MULTIPLE_DOCS') return ['a second document starts here; a file holds one'];
  const words = message.replace(/(?<=escape sequence) [^]*|(?<=\w): [^]*/, '');
  return [words.slice(0, 1).toLowerCase() + words.slice(1)];
}
