// Owns building nodes, with their places, of the parser's: which keys and values a file may have.

import { isMap, isScalar, isSeq } from 'yaml';
import type { Node, Scalar, YAMLMap } from 'yaml';

import { type Fault, type Path, quote } from '../fault.ts';
import type { MapEntry, MapNode, ScalarNode, YamlNode } from './node.ts';
import { errorAtOffset, foreignCharacterIn, positionOf, type YamlSource } from './source.ts';

/** A file on its way to nodes; building adds faults. */
export interface Reading {
  readonly source: YamlSource;
  readonly faults: Fault[];
}

/** The root of a document; undefined where the document is empty. */
export function buildRoot(reading: Reading, contents: Node | null): YamlNode | undefined {
  if (contents === null) return undefined;
  if (isScalar(contents) && isPlain(contents) && contents.source === '') return undefined;
  return buildNode(reading, contents, 0, []);
}

function buildNode(reading: Reading, node: unknown, fallback: number, path: Path): YamlNode {
  const offset = (node as Node | null)?.range?.[0] ?? fallback;
  const at = positionOf(reading.source, offset);
  if (isMap(node)) return { kind: 'map', at, entries: buildEntries(reading, node, path) };
  if (isSeq(node)) {
    const items = node.items.map((item, index) =>
      buildNode(reading, item, offset, [...path, index]),
    );
    return { kind: 'list', at, items };
  }
  // An alias lands here too; it has its fault and the document no root.
  if (!isScalar(node)) return { kind: 'scalar', at, value: null, source: '' };
  const value = node.value as ScalarNode['value'];
  const { source = '' } = node;
  const plain = isPlain(node) ? { source } : {};
  const refuse = (message: string): void => {
    reading.faults.push(errorAtOffset(reading.source, offset, path, message));
  };
  if (typeof value === 'number' && !Number.isFinite(value)) {
    refuse(`${quote(source)} is not a number that can be used`);
    return { kind: 'scalar', at, value: null, ...plain };
  }
  const foreign = typeof value === 'string' ? foreignCharacterIn(value) : undefined;
  if (foreign !== undefined) refuse(`this text holds ${foreign}, which is not allowed`);
  return { kind: 'scalar', at, value, ...plain };
}

function buildEntries(reading: Reading, map: YAMLMap, path: Path): MapNode['entries'] {
  const entries = new Map<string, MapEntry>();
  for (const { key, value } of map.items) {
    const [start, end] = (key as Node | null)?.range ?? map.range ?? [0, 0];
    const { name, message, hint } = judgeKey(key);
    const refuse = (words: string, advice?: string): void => {
      const at = name === undefined ? path : [...path, name];
      reading.faults.push(errorAtOffset(reading.source, start, at, words, advice));
    };
    if (message !== undefined) refuse(message, hint);
    if (name === undefined) continue;
    const node = buildNode(reading, value, end, [...path, name]);
    const earlier = entries.get(name);
    if (earlier === undefined) {
      entries.set(name, { keyAt: positionOf(reading.source, start), node });
    } else refuse(`the key ${quote(name)} is already given at line ${earlier.keyAt.line}`);
  }
  return entries;
}

function isPlain(node: Scalar): boolean {
  return node.type === 'PLAIN';
}

// Keys that are not data to JavaScript (HOSTILE 46, 54).
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** What to make of a key. */
interface KeyVerdict {
  /** The name to keep the entry under; undefined leaves the entry out. */
  readonly name: string | undefined;
  readonly message?: string;
  readonly hint?: string;
}

/** Whether a map may have the key, and under which name. */
function judgeKey(key: unknown): KeyVerdict {
  if (!isScalar(key)) {
    const message = 'a key must be text, not a map or list';
    return { name: undefined, message, hint: 'quote it if it is text' };
  }
  const { value, source = '' } = key;
  if (typeof value !== 'string') return judgeOther(value, source);
  if (value === '<<') {
    return { name: undefined, message: 'merge keys are not read', hint: 'write the keys out' };
  }
  if (forbiddenKeys.has(value)) {
    return { name: undefined, message: `the key ${quote(value)} is not allowed` };
  }
  const foreign = foreignCharacterIn(value);
  if (foreign === undefined) return { name: value };
  return { name: value, message: `this key holds ${foreign}, which is not allowed` };
}

function judgeOther(value: unknown, written: string): KeyVerdict {
  if (written === '') return { name: undefined, message: 'the key is missing before ":"' };
  let kind = value === true ? 'true' : 'false';
  if (value === null) kind = 'nothing';
  else if (typeof value === 'number') kind = 'a number';
  return {
    name: written,
    message: `the key ${written} is read as ${kind}, not as text`,
    hint: `put it in quotes: ${quote(written)}`,
  };
}
