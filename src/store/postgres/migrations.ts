// Owns how the tables of an older PostgreSQL store become those of this Jetway, while both versions serve:
// expand, run both, contract (docs/decisions/043).

/** The step from one schema to the next. */
export interface Migration {
  /**
   * SQL that an older Jetway does not notice: tables, columns that are nullable and outside the row's sum,
   * indices. Run by the first server of the new version, or by `store migrate`.
   */
  readonly expand: readonly string[];
  /** SQL that takes away what only older versions need. Run by `store migrate --contract`. */
  readonly contract: readonly string[];
}

/** From schema 1 on; the last one leads to the tables of this Jetway. */
export const migrations: readonly Migration[] = [];

/** The schema of this Jetway. */
export const schemaVersion: number = 1 + migrations.length;
