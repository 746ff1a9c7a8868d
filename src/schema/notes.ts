// Owns the notes in a schema: texts of keys, names of types, and JSON Schema for checks in code.
// The reference page, the JSON Schema for editors and `jetway help key` are generated from them.

import * as v from 'valibot';

import type { Path } from '../lib/fault.ts';

/** Where a key stands in a file. */
export interface Surroundings {
  readonly path: Path;
  /** The value of another key; undefined if the file has none. */
  readonly get: (...path: Path) => unknown;
}

/** A departure from an RFC that the value of one key makes. */
export interface KeyDeparture<Value> {
  /** The stable name of its warning. */
  readonly name: string;
  readonly when: (value: Value, at: Surroundings) => boolean;
  /** The file says so in plain words, and no risk comes of it: it is listed, and not warned of. */
  readonly isQuiet?: true;
  /** What departs, with the section of the RFC. */
  readonly message: string;
  /** What limits the risk, or how to mend it. */
  readonly hint: string | ((value: Value, at: Surroundings) => string);
}

/** What partners are told of the value of one key. */
export interface KeyTelling<Value> {
  /** The title of a row, by which two versions of a programme are compared. */
  readonly row?: string;
  /** Its words; the value itself if left out. */
  readonly words?: (value: Value, at: Surroundings) => string;
  /** The value is a time, and a shorter one breaks partners. */
  readonly isSpan?: true;
  /** Whether the value refuses some requests: then to begin with it breaks partners. */
  readonly isStrict?: (value: Value) => boolean;
  /** A paragraph of their page, as Markdown. */
  readonly page?: (value: Value, at: Surroundings) => string | undefined;
}

/** The help for one key of a file. */
export interface KeyText<Value = never> {
  /** What the key does, in a sentence or two. Links lead to headings of the reference page. */
  readonly text: string;
  /** A value in YAML, on one line. Only the keys of a closed list (`listed`) have none. */
  readonly example?: string;
  /** What applies where the key is left out, if the schema has no default to show. */
  readonly otherwise?: string;
  /** What departs by this key alone. What departs by several keys stands in rules/departures/. */
  readonly departs?: readonly KeyDeparture<Value>[];
  /** What partners are told by this key alone. What follows from several stands in contract/. */
  readonly tells?: KeyTelling<Value>;
  /** When another value counts in a running server; only keys of the configuration have it. */
  readonly counts?: string;
}

export function key<Entry extends v.GenericSchema>(
  entry: Entry,
  docs: KeyText<v.InferOutput<Entry>> & { readonly example: string },
): Entry {
  return { ...entry, docs };
}

/** One entry for each name of a closed list, with the text of its row. */
export function listed<Name extends string, Entry extends v.GenericSchema>(
  rows: Readonly<Record<Name, { readonly text: string }>>,
  entryOf: (name: Name) => Entry,
): Record<Name, Entry> {
  const entries = Object.entries<{ readonly text: string }>(rows).map(([name, { text }]) => [
    name,
    { ...entryOf(name as Name), docs: { text } },
  ]);
  return Object.fromEntries(entries) as Record<Name, Entry>;
}

export interface SchemaNotes extends Record<string, unknown> {
  /** Names the schema as a type, which the reference describes in one section. */
  readonly title?: string;
  /** Describes a type without keys. */
  readonly text?: string;
  /** All schemas between which a lazy schema chooses. */
  readonly alternatives?: () => readonly v.GenericSchema[];
  /** The JSON Schema to publish where the schema checks in code. */
  readonly json?: Readonly<Record<string, unknown>>;
}

/** A pipe action that carries notes and checks nothing. */
export function note<Input>(notes: SchemaNotes): v.MetadataAction<Input, SchemaNotes> {
  return v.metadata(notes);
}

/** A pipe action that names the schema as a type; `text` describes a type without keys. */
export function named<Input>(title: string, text?: string): v.MetadataAction<Input, SchemaNotes> {
  return note({ title, ...(text === undefined ? {} : { text }) });
}

/** A schema's output type, readonly at every depth. */
export type Output<S extends v.GenericSchema> = Deep<v.InferOutput<S>>;

type Deep<T> = T extends string | number | boolean | null | undefined | ReadonlyMap<string, unknown>
  ? T
  : { readonly [Name in keyof T]: Deep<T[Name]> };
