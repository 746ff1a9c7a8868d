// Owns what a row of the configuration is: a key's schema, its text, what its value means, and when
// a running server takes up another value.

import type * as v from 'valibot';

import { key, type KeyText } from '../schema/notes.ts';
import type { StoreLocation } from '../store/open.ts';
import type { AdminPlace } from './address.ts';

/** Makes a path relative to the folder of the configuration absolute; one that is left out stays so. */
export type Local = <Name extends string | undefined>(
  name: Name,
) => string | Extract<Name, undefined>;

/** What the meaning of a value depends on besides the value. */
export interface Surroundings {
  readonly local: Local;
  readonly store: StoreLocation;
  readonly admin: AdminPlace | undefined;
}

/**
 * `reload`: a running server takes up another value at a reload; `restart`: it counts after a restart. With
 * `unless` it is taken up, unless the key that this names is only in one of the two configurations.
 */
export type TakenUp = 'reload' | 'restart' | { readonly unless: string };

interface RowText extends KeyText<unknown> {
  readonly example: string;
  /** Whether `config.example.yaml` sets the key; otherwise the key stands there as a comment. */
  readonly isSet?: true;
  readonly taken?: TakenUp;
}

/** What is read of a key; undefined if the file may leave it out without a default. */
type Read<Entry extends v.GenericSchema> =
  | v.InferOutput<Entry>
  | (Entry extends { readonly type: 'exact_optional' } ? undefined : never);

export interface Row<Entry extends v.GenericSchema = v.GenericSchema, Value = unknown> {
  readonly entry: Entry;
  /** What the server goes by. */
  value(read: Read<Entry>, around: Surroundings): Value;
  readonly taken: TakenUp;
  readonly isSet: boolean;
}

/** A key whose value means what the file says. */
export function row<Entry extends v.GenericSchema>(
  entry: Entry,
  text: RowText,
): Row<Entry, Read<Entry>>;
/** @param value makes of what was read what the server goes by */
export function row<Entry extends v.GenericSchema, Value>(
  entry: Entry,
  text: RowText,
  value: (read: Read<Entry>, around: Surroundings) => Value,
): Row<Entry, Value>;
export function row(
  entry: v.GenericSchema,
  { isSet, taken = 'restart', ...docs }: RowText,
  value: Row['value'] = (read) => read,
): Row {
  const counts = countsWords(taken);
  return { entry: key(entry, { ...docs, counts }), value, taken, isSet: isSet ?? false };
}

function countsWords(taken: TakenUp): string {
  if (taken === 'restart') return 'after a restart';
  if (taken === 'reload') return 'at a reload';
  return `at a reload; after a restart if ${taken.unless} is new or gone`;
}

/** The value of a key that names a file or folder. */
export function asPath<Name extends string | undefined>(
  name: Name,
  { local }: Surroundings,
): string | Extract<Name, undefined> {
  return local(name);
}
