// Owns finding the paths that overlap a path, among exact paths and patterns that end with `/*`.

/** The end of a pattern that matches every path below. No path in a file may contain a star. */
const everyPathBelow = '/*';

/** Added paths, found in steps that do not grow with their number: two hundred programmes have 2,000. */
export class PathIndex {
  readonly #paths = new Set<string>();
  /** By prefix that ends with `/`: the paths and patterns below it. */
  readonly #below = new Map<string, string[]>();

  add(path: string): void {
    if (this.#paths.has(path)) return;
    this.#paths.add(path);
    for (const prefix of prefixesOf(path)) {
      const below = this.#below.get(prefix);
      if (below === undefined) this.#below.set(prefix, [path]);
      else below.push(path);
    }
  }

  /** Whether one request path could match both: an equal path, a pattern around it, a path below it. */
  overlapping(path: string): readonly string[] {
    const around = [path, ...prefixesOf(path).map((prefix) => `${prefix}*`)];
    const found = around.filter((one) => this.#paths.has(one));
    const below = path.endsWith(everyPathBelow) ? this.#below.get(path.slice(0, -1)) : undefined;
    return [...new Set([...found, ...(below ?? [])])];
  }
}

/** Every beginning of a path that ends with `/`. */
function prefixesOf(path: string): readonly string[] {
  const prefixes: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    prefixes.push(path.slice(0, at + 1));
  }
  return prefixes;
}
