// Owns keeping the planner's statistics fit for tables that grow: a plan that was made when a table was
// empty reads all of an index, until the next ANALYZE makes connections plan anew (FLEET 1.3).

import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';

const find: Statement = {
  name: 'find_outgrown',
  // `relpages` is as of the last ANALYZE. A few pages are read at once whatever the plan.
  text: `SELECT relname FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND pg_has_role(relowner, 'USAGE')
      AND pg_relation_size(oid) / current_setting('block_size')::bigint > 10 * greatest(relpages, 1)
    ORDER BY relname`,
  isRead: true,
};

/** Analyzes the tables that are ten times as large as when that was last done; cheap where there are none. */
export async function analyzeOutgrown(care: Link): Promise<void> {
  for (const [table] of await care.run(find, [])) {
    // Skips one that autovacuum is at.
    const text = `ANALYZE (SKIP_LOCKED) ${String(table)}`;
    await care.run({ name: `analyze_${String(table)}`, text, isRead: false }, []);
  }
}

/** Rows written by a process after which tables are looked at, for the first time. */
const firstRows = 1000;

/**
 * Counts the rows that a process has written. After the first thousand, and each time they are ten times as
 * many, the tables are looked at: the sweep of an idle second may be far off (FLEET 1.3).
 */
export function grown(care: Link): (rows: number) => void {
  let written = 0;
  let next = firstRows;
  return (rows) => {
    written += rows;
    if (written < next) return;
    next *= 10;
    analyzeOutgrown(care).catch(() => undefined);
  };
}
