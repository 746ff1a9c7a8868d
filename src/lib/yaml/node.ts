// Owns what a YAML text becomes: nodes that know their place.

import type { Position } from '../fault.ts';

/** Text, number, boolean or null. */
export interface ScalarNode {
  readonly kind: 'scalar';
  readonly at: Position;
  readonly value: string | number | boolean | null;
  /** As written, where it was written without quotes: `00123` of the number 123. */
  readonly source?: string;
}

/** A map; `at` is its first key, or its brace. */
export interface MapNode {
  readonly kind: 'map';
  readonly at: Position;
  readonly entries: ReadonlyMap<string, MapEntry>;
}

/** The value under a key, and the place of the key itself. */
export interface MapEntry {
  readonly keyAt: Position;
  readonly node: YamlNode;
}

/** A list; `at` is its first dash, or its bracket. */
export interface ListNode {
  readonly kind: 'list';
  readonly at: Position;
  readonly items: readonly YamlNode[];
}

/** A value with its place. */
export type YamlNode = ScalarNode | MapNode | ListNode;
