// Owns patterns of paths: which paths overlap, and which pattern a request's path has.

/** The end of a pattern that matches every path below. No path in a file may contain a star. */
const everyPathBelow = '*';

/** What stands for a value: `{tenant}`. It is a whole segment. */
const valueForm = /^\{(.+)\}$/;

/** A value is one segment of unreserved characters, `:` and `@`, as it was sent: nothing decoded (HOSTILE 49). */
const pathValueForm = /^(?!\.{1,2}$)[A-Za-z0-9_.~:@-]{1,200}$/;

export function isPathValue(text: string): boolean {
  return pathValueForm.test(text);
}

/** Whether some of the path's segments stand for values. */
export function hasValues(path: string): boolean {
  return path.includes('{');
}

/** The names of the values in a path, in their order. */
export function valueNames(path: string): readonly string[] {
  return path.split('/').flatMap((segment) => valueForm.exec(segment)?.[1] ?? []);
}

/** The place of a value, counted from the path's end; undefined where the path does not have it. */
export function valuePlace(path: string, name: string): number | undefined {
  const segments = path.split('/');
  const index = segments.indexOf(`{${name}}`);
  return index < 0 ? undefined : index - segments.length;
}

/** The path with its values; a value that is not known stays a name in braces. */
export function withPathValues(
  path: string,
  valueOf: (name: string) => string | undefined,
): string {
  const filled = path.split('/').map((segment) => {
    const name = valueForm.exec(segment)?.[1];
    return name === undefined ? segment : (valueOf(name) ?? segment);
  });
  return filled.join('/');
}

/** The paths that begin with the same segments. */
interface Branch {
  readonly segments: Map<string, Branch>;
  value?: Branch;
  /** The path that ends here. */
  path?: string;
  /** The pattern of every path below. */
  below?: string;
}

/** Added paths, found in steps that do not grow with their number: two hundred programmes have 2,000. */
export class PathIndex {
  readonly #root: Branch = { segments: new Map() };
  /** Segments of the longest path, with the empty one before its first slash. */
  #most = 0;

  add(path: string): void {
    let branch = this.#root;
    const segments = segmentsOf(path);
    this.#most = Math.max(this.#most, segments.length + 1);
    for (const segment of segments) {
      if (segment === everyPathBelow) {
        branch.below = path;
        return;
      }
      branch = valueForm.test(segment)
        ? (branch.value ??= { segments: new Map() })
        : branchAt(branch, segment);
    }
    branch.path = path;
  }

  /** Whether one request path could match both: an equal path, a pattern that it has, a path below it. */
  overlapping(path: string): readonly string[] {
    return [...overlaps(this.#root, segmentsOf(path))];
  }

  /** The added path that a request's path is, with values where it has any. */
  match(path: string): string | undefined {
    // With one segment more than any of them it is none of them, however many more it has (HOSTILE 84).
    return matched(this.#root, path.split('/', this.#most + 1), 1);
  }
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').slice(1);
}

function branchAt({ segments }: Branch, segment: string): Branch {
  const known = segments.get(segment);
  if (known !== undefined) return known;
  const made: Branch = { segments: new Map() };
  segments.set(segment, made);
  return made;
}

function* overlaps(branch: Branch, [segment, ...rest]: readonly string[]): Iterable<string> {
  if (segment === undefined) {
    if (branch.path !== undefined) yield branch.path;
    return;
  }
  if (branch.below !== undefined) yield branch.below;
  if (segment === everyPathBelow) {
    for (const next of nextOf(branch)) yield* everything(next);
  } else if (valueForm.test(segment)) {
    for (const [constant, next] of branch.segments) {
      if (isPathValue(constant)) yield* overlaps(next, rest);
    }
    if (branch.value !== undefined) yield* overlaps(branch.value, rest);
  } else {
    const next = branch.segments.get(segment);
    if (next !== undefined) yield* overlaps(next, rest);
    if (branch.value !== undefined && isPathValue(segment)) yield* overlaps(branch.value, rest);
  }
}

function nextOf({ segments, value }: Branch): readonly Branch[] {
  return [...segments.values(), ...(value === undefined ? [] : [value])];
}

function* everything(branch: Branch): Iterable<string> {
  if (branch.path !== undefined) yield branch.path;
  if (branch.below !== undefined) yield branch.below;
  for (const next of nextOf(branch)) yield* everything(next);
}

/** Of paths that do not overlap, at most one matches. */
function matched(branch: Branch, segments: readonly string[], at: number): string | undefined {
  const segment = segments[at];
  if (segment === undefined) return branch.path;
  const next = branch.segments.get(segment);
  const found = next && matched(next, segments, at + 1);
  if (found !== undefined || branch.value === undefined || !isPathValue(segment)) return found;
  return matched(branch.value, segments, at + 1);
}
