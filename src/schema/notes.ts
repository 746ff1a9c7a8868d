// Owns what a schema tells its readers beside what it accepts: the texts of its keys, the names of
// its types, and what cannot be seen from outside. The reference page, the JSON Schema for editors
// and `jetway help key` are made of it.

import * as v from 'valibot';

/** What operators are told of one key of a file. */
export interface KeyText {
  /** What the key does, in a sentence or two. Links lead to headings of the reference page. */
  readonly text: string;
  /** A value in YAML, on one line. Only the keys of a closed list (`listed`) have none. */
  readonly example?: string;
  /** What holds where the key is left out; the default of the schema where there is one. */
  readonly otherwise?: string;
}

/** An entry of an object's schema, with its text. */
export function key<Entry extends v.GenericSchema>(
  entry: Entry,
  told: KeyText & { readonly example: string },
): Entry {
  return { ...entry, told };
}

/** One entry for each name of a closed list, with the text of that name. */
export function listed<Name extends string, Entry extends v.GenericSchema>(
  texts: Readonly<Record<Name, string>>,
  entry: Entry,
): Record<Name, Entry> {
  const entries = Object.entries<string>(texts).map(([name, text]) => [
    name,
    { ...entry, told: { text } },
  ]);
  return Object.fromEntries(entries) as Record<Name, Entry>;
}

export interface SchemaNotes extends Record<string, unknown> {
  /** Names the schema as a type: the reference tells of it, or of its keys, in one place. */
  readonly title?: string;
  /** What a type without keys is. */
  readonly text?: string;
  /** All that a lazy schema chooses from by looking at its input. */
  readonly alternatives?: () => readonly v.GenericSchema[];
  /** JSON Schema to stand for this one, where a check says in code what it accepts. */
  readonly json?: Readonly<Record<string, unknown>>;
}

/** An action for pipes that tells and does nothing. */
export function note<Input>(notes: SchemaNotes): v.MetadataAction<Input, SchemaNotes> {
  return v.metadata(notes);
}

/** An action for pipes that makes a schema a type; `text` says what it is, where no keys do. */
export function named<Input>(title: string, text?: string): v.MetadataAction<Input, SchemaNotes> {
  return note({ title, ...(text === undefined ? {} : { text }) });
}

/** What a schema makes of a file, readonly throughout. */
export type Output<S extends v.GenericSchema> = Deep<v.InferOutput<S>>;

type Deep<T> = T extends string | number | boolean | null | undefined | ReadonlyMap<string, unknown>
  ? T
  : { readonly [Name in keyof T]: Deep<T[Name]> };
