// Owns building nodes with positions from the parser's nodes, and refusing what YAML has and a file
// may not: aliases, anchors, tags, duplicate keys, keys that are no text.

import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Node, Scalar, YAMLMap } from 'yaml';

import { type Fault, type Path, quote } from '../fault.ts';
import { narrow } from '../heap/flat_text.ts';
import type { MapEntry, MapNode, ScalarNode, YamlNode } from './node.ts';
import { errorAtOffset, foreignCharacterIn, positionOf, type YamlSource } from './source.ts';

/** What building finds besides the nodes. */
export interface Reading {
  readonly source: YamlSource;
  /** Whether any character of it needs two bytes. */
  readonly isWide: boolean;
  /** Of aliases, anchors, tags and open quotes: certain even on a line that is broken. */
  readonly refusals: Fault[];
  readonly faults: Fault[];
  /** Where `[ ]` and `{ }` start, by where they end; of several that end there, the outermost. */
  readonly brackets: Map<number, number>;
  /** From an alias or an open quote on the content is a guess. */
  guessedFrom: number;
}

/** The root of a document; undefined where the document is empty. */
export function buildRoot(reading: Reading, contents: Node | null): YamlNode | undefined {
  if (contents === null) return undefined;
  const root = buildNode(reading, contents, 0, []);
  return isScalar(contents) && isPlain(contents) && contents.source === '' ? undefined : root;
}

/** `from` is the offset behind which the node's anchor and tag can stand. */
function buildNode(reading: Reading, node: unknown, from: number, path: Path): YamlNode {
  const { source } = reading;
  const offset = startOf(reading, node, from, path);
  const at = positionOf(source, offset);
  const refuse = (message: string): void => {
    reading.faults.push(errorAtOffset(source, offset, path, message));
  };
  if (isMap(node)) return { kind: 'map', at, entries: buildEntries(reading, node, path) };
  if (isSeq(node)) {
    let end = offset;
    const items = node.items.map((item, index) => {
      const built = buildNode(reading, item, end, [...path, index]);
      end = endOf(item) ?? end;
      return built;
    });
    return { kind: 'list', at, items };
  }
  if (!isScalar(node)) return { kind: 'scalar', at, value: null, source: '' };
  const value = own(reading, node.value as ScalarNode['value']);
  const { source: written = '' } = node;
  const plain = isPlain(node) ? { source: written } : {};
  if (typeof value === 'number' && !Number.isFinite(value)) {
    refuse(`${quote(written)} is not a number that can be used`);
    return { kind: 'scalar', at, value: null, ...plain };
  }
  const foreign = typeof value === 'string' ? foreignCharacterIn(value) : undefined;
  if (foreign !== undefined) refuse(`this text holds ${foreign}, which is not allowed`);
  return { kind: 'scalar', at, value, ...plain };
}

const closedQuote = /^(?:'(?:[^']|'')*'|"(?:[^"\\]|\\[^])*")$/;

/** Where a node starts; refuses an alias, an open quote, and anchors and tags after `from`. */
function startOf(reading: Reading, node: unknown, from: number, path: Path): number {
  const [start, end] = (node as Node | null)?.range ?? [from, from];
  const { text } = reading.source;
  const refuse = (offset: number, message: string, hint?: string): void => {
    reading.refusals.push(errorAtOffset(reading.source, offset, path, message, hint));
  };
  const quoting = 'if this is text, put it in quotes';
  for (const { 0: found, index } of text.slice(from, start).matchAll(/#[^\n]*|[&!]\S*/g)) {
    if (found.startsWith('&')) refuse(from + index, 'anchors (&name) are not read', quoting);
    if (found.startsWith('!')) refuse(from + index, 'tags (!name) are not read', quoting);
  }
  const opening = text.slice(start, start + 1);
  if (isAlias(node)) {
    reading.guessedFrom = Math.min(reading.guessedFrom, start);
    const hint = 'write the value out, or quote it if it is text';
    refuse(start, 'aliases (*name) are not read', hint);
  } else if (isScalar(node) && isQuoted(node) && !closedQuote.test(text.slice(start, end))) {
    // The parser takes an escaped quote at the end of a file for the closing one.
    reading.guessedFrom = Math.min(reading.guessedFrom, start);
    refuse(start, `the quote opened here with ${opening} is not closed`);
  } else if (/[[{]/.test(opening) && !reading.brackets.has(end)) reading.brackets.set(end, start);
  return start;
}

function isQuoted({ type }: Scalar): boolean {
  return type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE';
}

function endOf(node: unknown): number | undefined {
  return (node as Node | null)?.range?.[1];
}

function buildEntries(reading: Reading, map: YAMLMap, path: Path): MapNode['entries'] {
  const entries = new Map<string, MapEntry>();
  let from = map.range?.[0] ?? 0;
  for (const { key, value } of map.items) {
    const start = startOf(reading, key, from, path);
    const end = endOf(key) ?? from;
    from = endOf(value) ?? end;
    if (isMap(key) || isSeq(key)) buildNode(reading, key, start, path);
    const refuse: Refuse = (name, message, hint) => {
      const at = name === undefined ? path : [...path, name];
      reading.faults.push(errorAtOffset(reading.source, start, at, message, hint));
    };
    const name = nameOf(reading, key, refuse);
    const node = buildNode(reading, value, end, name === undefined ? path : [...path, name]);
    if (name === undefined) continue;
    const earlier = entries.get(name);
    if (earlier === undefined) {
      entries.set(name, { keyAt: positionOf(reading.source, start), node });
    } else refuse(name, `the key ${quote(name)} is already given at line ${earlier.keyAt.line}`);
  }
  return entries;
}

/** A text that goes into answers, and into lines of the log, is no part of a file with long characters. */
function own<Value>({ isWide }: Reading, value: Value): Value | string {
  return isWide && typeof value === 'string' ? narrow(value) : value;
}

function isPlain(node: Scalar): boolean {
  return node.type === 'PLAIN';
}

// Keys that are not data to JavaScript (HOSTILE 46, 54).
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

type Refuse = (name: string | undefined, message: string, hint?: string) => undefined;

/** The name under which an entry is kept; undefined leaves the entry out. */
function nameOf(reading: Reading, key: unknown, refuse: Refuse): string | undefined {
  if (!isScalar(key)) {
    const message = 'a key must be text, not a map or list';
    return refuse(undefined, message, 'quote it if it is text');
  }
  const value = own(reading, key.value);
  const { source = '' } = key;
  if (value === '<<') return refuse(undefined, 'merge keys are not read', 'write the keys out');
  if (typeof value === 'string') {
    if (forbiddenKeys.has(value)) {
      return refuse(undefined, `the key ${quote(value)} is not allowed`);
    }
    const foreign = foreignCharacterIn(value);
    if (foreign !== undefined) refuse(value, `this key holds ${foreign}, which is not allowed`);
    return value;
  }
  if (source === '') return refuse(undefined, 'the key is missing before ":"');
  const kinds: Readonly<Record<string, string>> = { number: 'a number', object: 'nothing' };
  const kind = kinds[typeof value] ?? String(value);
  const hint = `put it in quotes: ${quote(source)}`;
  refuse(source, `the key ${source} is read as ${kind}, not as text`, hint);
  return source;
}
