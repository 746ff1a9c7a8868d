// Owns what schemas tell those who read them without running them: the reference page and the JSON
// Schema for editors are made of it (scripts/reference.ts). Names of types are plain `v.title`.

import * as v from 'valibot';

export interface SchemaNotes extends Record<string, unknown> {
  /** All that a lazy schema chooses from by looking at its input. */
  readonly alternatives?: () => readonly v.GenericSchema[];
  /** JSON Schema to stand for this one, where a check says in code what it accepts. */
  readonly json?: Readonly<Record<string, unknown>>;
}

/** An action for pipes that tells and does nothing. */
export function note<Input>(notes: SchemaNotes): v.MetadataAction<Input, SchemaNotes> {
  return v.metadata(notes);
}
