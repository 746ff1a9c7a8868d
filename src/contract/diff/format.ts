// Owns the changes of a contract as lines for people.

import type { ContractChange } from './changes.ts';

/** What is printed if there are no changes. */
const noChange = 'no change on the wire';

/**
 * Changes under a heading for each endpoint: `-` before a line that was, `+` before one that is; of
 * longer texts only the lines that differ. `!` marks an item that breaks partners.
 */
export function formatChanges(changes: readonly ContractChange[]): string {
  if (changes.length === 0) return noChange;
  const lines: string[] = [];
  let endpoint: string | undefined;
  for (const change of changes) {
    if (change.endpoint !== endpoint)
      lines.push(...(lines.length > 0 ? [''] : []), change.endpoint);
    ({ endpoint } = change);
    const { item, before, after, breaks } = change;
    lines.push(breaks === undefined ? `  ${item}` : `! ${item} (breaks partners: ${breaks})`);
    const [was, is] = differingLines(before, after);
    lines.push(...was.map((line) => `  - ${line}`), ...is.map((line) => `  + ${line}`));
  }
  const breaking = changes.filter(({ breaks }) => breaks !== undefined).length;
  const total = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'} on the wire`;
  return [...lines, '', `${total}, of which ${breaking} for certain break partners`].join('\n');
}

function differingLines(
  before: string | undefined,
  after: string | undefined,
): readonly [was: readonly string[], is: readonly string[]] {
  const lines = [before?.split('\n') ?? [], after?.split('\n') ?? []] as const;
  const isLong = lines.flat().some((line) => line.length > longLine);
  const [one, other] = lines.map((all) => (isLong ? all.flatMap(membersOf) : all));
  const members = [one ?? [], other ?? []] as const;
  for (const [was, is] of [members, lines]) {
    const gone = was.filter((line) => !is.includes(line));
    const added = is.filter((line) => !was.includes(line));
    if (gone.length + added.length > 0) return [gone, added];
  }
  // The same lines in another order.
  return lines;
}

/** Differences in longer lines are hard to see. */
const longLine = 100;

/** A JSON object as a line for each of its members; any other line as it is. */
function membersOf(line: string): readonly string[] {
  if (!line.startsWith('{')) return [line];
  try {
    return leaves(JSON.parse(line), '');
  } catch {
    // A text that only begins like JSON.
    return [line];
  }
}

function leaves(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [`${path}: ${JSON.stringify(value)}`];
  }
  const members = Object.entries(value);
  if (members.length === 0) return [`${path}: {}`];
  return members.flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`));
}
