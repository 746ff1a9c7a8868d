// Owns patterns of paths: which paths overlap, and whether a request's path has a pattern.

/** What stands for a value: `{tenant}`. It is a whole segment. */
const valueForm = /^\{(.+)\}$/;

const longestValue = 200;

/** A value is one segment of unreserved characters, `:` and `@`, as it was sent: nothing decoded (HOSTILE 49). */
const pathValueForm = /^(?!\.{1,2}$)[A-Za-z0-9_.~:@-]+$/;

export function isPathValue(text: string): boolean {
  return text.length <= longestValue && pathValueForm.test(text);
}

/** No longer path has the pattern. */
export function longestMatch(pattern: string): number {
  return pattern.length + valueNames(pattern).length * longestValue;
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

const value = Symbol('value');
/** A star at the end of a pattern. No path in a file may contain one. */
const everyPathBelow = Symbol('every path below');

type Segment = string | typeof value | typeof everyPathBelow;

/** Added paths: two hundred programmes have 2,000 constant ones and some patterns. */
export class PathIndex {
  readonly #constants = new Map<string, readonly Segment[]>();
  /** By their first segments. */
  readonly #patterns = new Map<Segment | undefined, Map<string, readonly Segment[]>>();

  add(path: string): void {
    const segments = segmentsOf(path);
    if (isConstant(segments)) {
      this.#constants.set(path, segments);
      return;
    }
    const alike = this.#patterns.get(segments[0]) ?? new Map<string, readonly Segment[]>();
    this.#patterns.set(segments[0], alike.set(path, segments));
  }

  /** Whether one request path could match both: an equal path, a pattern that it has, a path below it. */
  overlapping(path: string): readonly string[] {
    const sought = segmentsOf(path);
    const found: string[] = [];
    const look = (paths: ReadonlyMap<string, readonly Segment[]>): void => {
      for (const [one, segments] of paths) if (overlap(segments, sought)) found.push(one);
    };
    if (!isConstant(sought)) look(this.#constants);
    else if (this.#constants.has(path)) found.push(path);
    for (const [first, alike] of this.#patterns) if (meet(first, sought[0])) look(alike);
    return found;
  }
}

/** Tests whether a request's path is the pattern with values. */
export function patternTest(pattern: string): (path: string) => boolean {
  const segments = segmentsOf(pattern);
  return (path) => overlap(segments, path.split('/').slice(1));
}

function segmentsOf(path: string): readonly Segment[] {
  const segments = path.split('/').slice(1);
  return segments.map((segment) => {
    if (segment === '*') return everyPathBelow;
    return valueForm.test(segment) ? value : segment;
  });
}

function isConstant(segments: readonly Segment[]): boolean {
  return segments.every((segment) => typeof segment === 'string');
}

function overlap(one: readonly Segment[], other: readonly Segment[]): boolean {
  for (let index = 0; index < one.length && index < other.length; index += 1) {
    if (!meet(one[index], other[index])) return false;
    if (one[index] === everyPathBelow || other[index] === everyPathBelow) return true;
  }
  return one.length === other.length;
}

/** Whether one segment of a request's path could be both. */
function meet(one: Segment | undefined, other: Segment | undefined): boolean {
  if (one === other || one === everyPathBelow || other === everyPathBelow) return true;
  if (one === value) return typeof other === 'string' && isPathValue(other);
  return other === value && typeof one === 'string' && isPathValue(one);
}
