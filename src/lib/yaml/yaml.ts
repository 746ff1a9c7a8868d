// Owns YAML: text to nodes with their places, values to text.

import { Composer, Document, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml';
import type { CST } from 'yaml';

import { byPosition, type Fault, type Path, quote } from '../fault.ts';
import { buildRoot, type Reading } from './build.ts';
import type { YamlNode } from './node.ts';
import {
  characterFaults,
  errorAtOffset,
  openSource,
  positionOf,
  skipBlanks,
  type YamlSource,
} from './source.ts';
import { type Survey, surveyToken } from './survey.ts';
import { isSurveyed, type SyntaxWords, syntaxWords } from './words.ts';

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
    return refused([errorAtOffset(source, 0, [], message)]);
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
  const { tokens, tooDeepAt } = readTokens(source.text);
  const survey = surveyTokens(source, tokens);
  const reading: Reading = { source, faults: [...survey.faults] };
  if (tooDeepAt !== undefined) {
    const message = `maps and lists nest more than ${maxYamlDepth} deep from here`;
    reading.faults.push(errorAtOffset(source, tooDeepAt, [], message));
    return { root: undefined, faults: reading.faults };
  }
  const document = composeFirst(tokens, source);
  const broken = syntaxFaults(source, document, survey);
  const root = buildRoot(reading, document.contents);
  // What the walk finds on a line that is broken anyway is only the parser's guess.
  const brokenLines = new Set(broken.map((fault) => fault.at.line));
  const faults = [...broken, ...reading.faults.filter(({ at }) => !brokenLines.has(at.line))];
  if (root === undefined && faults.length === 0) {
    faults.push(errorAtOffset(source, 0, [], 'the file is empty'));
  }
  const certain = broken.length === 0 && survey.unreliableFrom === undefined;
  return { root: certain ? root : undefined, faults };
}

interface Tokens {
  readonly tokens: readonly CST.Token[];
  readonly tooDeepAt: number | undefined;
}

/** Stops as soon as the nesting is too deep: what follows in the package is recursive. */
function readTokens(text: string): Tokens {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    const top = parser.stack.at(-1);
    // The stack holds the document, the open collections and perhaps a scalar.
    if (parser.stack.length - 1 <= maxYamlDepth || top === undefined) continue;
    if ('items' in top) return { tokens, tooDeepAt: top.offset };
  }
  tokens.push(...parser.end());
  return { tokens, tooDeepAt: undefined };
}

function surveyTokens(source: YamlSource, tokens: readonly CST.Token[]): Survey {
  const survey: Survey = { source, faults: [], unreliableFrom: undefined };
  for (const token of tokens) surveyToken(survey, token);
  const second = tokens.filter((token) => token.type === 'document')[1];
  if (second !== undefined) {
    survey.unreliableFrom ??= second.offset;
    const message = 'a second document starts here; a file holds one';
    survey.faults.push(errorAtOffset(source, second.offset, [], message));
  }
  return survey;
}

function composeFirst(tokens: readonly CST.Token[], source: YamlSource): Document.Parsed {
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false, // theirs compares each key with each other: buildMap does it in one pass
    prettyErrors: false, // theirs put code frames into messages
    logLevel: 'silent',
  });
  const starts = tokens.flatMap((token, index) => (token.type === 'document' ? [index] : []));
  const first = tokens.slice(0, starts[1]);
  const [document] = withoutStacks(() => [...composer.compose(first, true, source.text.length)]);
  if (document === undefined) throw new Error('no document was composed');
  return document;
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

/** The parser's complaints in our words: one a line, since one slip often causes several. */
function syntaxFaults(source: YamlSource, document: Document.Parsed, survey: Survey): Fault[] {
  const byLine = new Map<number, { readonly start: number; readonly words: SyntaxWords }>();
  for (const { code, message: theirs, pos } of document.errors) {
    if (isSurveyed(code, theirs) && survey.faults.length > 0) continue;
    if (pos[0] >= (survey.unreliableFrom ?? Number.POSITIVE_INFINITY)) continue;
    const start = code === 'TAB_AS_INDENT' ? pos[0] : skipBlanks(source, pos[0]);
    const { line } = positionOf(source, start);
    const known = byLine.get(line);
    if (known !== undefined && known.start !== start) continue;
    const found = source.text.slice(start, Math.max(pos[1], start + 1)).split('\n', 1)[0] ?? '';
    const words = syntaxWords(code, theirs, found.trim());
    if (known === undefined || words.rank < known.words.rank) byLine.set(line, { start, words });
  }
  return [...byLine.values()].map(({ start, words }) =>
    errorAtOffset(source, start, [], words.message, words.hint),
  );
}
