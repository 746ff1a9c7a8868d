// Owns the changes between two versions of a programme as they are seen on the wire: contract against
// contract, not YAML against YAML; and these changes as lines for people.

import { listed, present } from '../../lib/present.ts';
import type { Programme } from '../../programme/programme.ts';
import { endpointsOf } from './endpoints.ts';
import { editsOf } from './lack.ts';
import type { Endpoint, Row } from './rows.ts';

/** One thing that partners, gateways or browsers can tell the two versions by. */
export interface ContractChange {
  /** `token endpoint /club/token`; where the path changes, the later one. */
  readonly endpoint: string;
  /** `parameter code`, `answer to refresh_token`, or a failure reason. */
  readonly item: string;
  /** Text of one line or several; absent where the thing is new. */
  readonly before?: string;
  /** Absent where the thing is gone. */
  readonly after?: string;
  /** Why requests that were good are refused now, or answers lack something: only what is certain. */
  readonly breaks?: string;
}

/**
 * The changes from one version of a programme to another, in the contract's order; empty if nobody
 * could tell them apart. Undefined stands for no programme. Both versions are compiled under one name,
 * which paths can hold. Reads no clock and draws nothing.
 */
export function contractChanges(
  before: Programme | undefined,
  after: Programme | undefined,
): readonly ContractChange[] {
  const [was, is] = [before, after].map((one) => one && endpointsOf(one));
  if (was !== undefined && is !== undefined) {
    const pairs = pair(was, is, [
      // Several token endpoints can have one path.
      ({ kind, path = '', name = '' }) => `${kind} ${path} ${name}`,
      ({ kind, path = '' }) => `${kind} ${path}`,
      ({ kind, name = '' }) => `${kind} ${name}`,
    ]);
    return pairs.flatMap(([one, other]) => endpointChanges(one, other));
  }
  const whole = { endpoint: 'programme', item: (before ?? after)?.name ?? '' };
  const text = (was ?? is ?? [])
    .flatMap(({ kind, path }) => (path === undefined ? [] : [`${kind} ${path}`]))
    .join('\n');
  if (is !== undefined) return [{ ...whole, after: text }];
  return was === undefined ? [] : [{ ...whole, before: text, breaks: 'it is gone' }];
}

function endpointChanges(
  before: Endpoint | undefined,
  after: Endpoint | undefined,
): readonly ContractChange[] {
  const named = after ?? before;
  if (named === undefined) return [];
  const endpoint = [named.kind, named.path ?? []].flat().join(' ');
  const place = named.path ?? named.kind;
  if (after === undefined) {
    const breaks = named.path === undefined ? undefined : 'it is gone';
    return [present({ endpoint, item: 'endpoint', before: place, breaks })];
  }
  if (before === undefined) {
    // What stands on the login page is read by people, on the page.
    const rows = named.path === undefined ? [] : rowChanges([], listed(named.rows), []);
    return [
      { endpoint, item: 'endpoint', after: place },
      ...rows.map(({ item, after: words }) => present({ endpoint, item, after: words })),
    ];
  }
  const moved = { endpoint, item: 'path', before: before.path ?? '', after: place };
  const changes = rowChanges(listed(before.rows), listed(after.rows), before.requests ?? []);
  return [
    ...(before.path === after.path ? [] : [{ ...moved, breaks: 'it is gone' }]),
    ...changes.map((change) => ({ endpoint, ...change })),
  ];
}

type RowChange = Omit<ContractChange, 'endpoint'>;

/** @param requests the kinds of request that were answered before */
function rowChanges(
  before: readonly Row[],
  after: readonly Row[],
  requests: readonly string[],
): readonly RowChange[] {
  const seen = new Set<string>();
  return pair(before, after, [
    ({ title }) => title,
    ({ otherwise, title }) => otherwise ?? title,
  ]).flatMap(([was, is]): readonly RowChange[] => {
    const row = is ?? was;
    if (row === undefined) return [];
    if (row.isFurther !== true) seen.clear();
    const isBare = was === undefined || is === undefined;
    if (isBare && (row.isFurther === true || row.isRelative === true)) return [];
    if (was === undefined || is === undefined) {
      const breaks = is === undefined ? was?.breaks?.(undefined) : is.burdens?.(requests);
      return [present({ item: row.title, before: was?.text, after: is?.text, breaks })];
    }
    const isRenamed = was.title !== is.title;
    if (!isRenamed && (was.text === is.text || was.differs?.(is) === false)) return [];
    const edits = editsOf(was.text, is.text);
    const isNew = is.isFurther !== true || edits.some((edit) => !seen.has(edit));
    for (const edit of edits) seen.add(edit);
    if (!isNew) return [];
    const words = ({ title, text }: Row): string => (isRenamed ? `${title}: ${text}` : text);
    return [
      present({ item: row.title, before: words(was), after: words(is), breaks: was.breaks?.(is) }),
    ];
  });
}

type Pair<One> = readonly [before: One | undefined, after: One | undefined];

/**
 * Pairs of the same thing, in the order of the later list; what is gone stands behind what it followed.
 *
 * @param keys names by which things are the same, the best first
 */
function pair<One>(
  before: readonly One[],
  after: readonly One[],
  keys: readonly ((one: One) => string)[],
): readonly Pair<One>[] {
  const partners = new Map<One, One>();
  const taken = new Set<One>();
  for (const key of keys) {
    const free = new Map(after.filter((one) => !taken.has(one)).map((one) => [key(one), one]));
    for (const one of before) {
      const other = partners.has(one) ? undefined : free.get(key(one));
      if (other === undefined || taken.has(other)) continue;
      partners.set(one, other);
      taken.add(other);
    }
  }
  const former = new Map([...partners].map(([one, other]) => [other, one]));
  const pairs: Pair<One>[] = after.map((one) => [former.get(one), one]);
  for (const [index, one] of before.entries()) {
    if (partners.has(one)) continue;
    const previous = before[index - 1];
    const place = pairs.findIndex(([known]) => known !== undefined && known === previous);
    pairs.splice(place + 1, 0, [one, undefined]);
  }
  return pairs;
}

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
