// Owns what the names in braces of a transcript stand for: bound at first sight, the same ever after.

/** What the names of a transcript stand for so far. */
export class Bindings {
  readonly #values: Map<string, string>;

  constructor(known: Readonly<Record<string, string>>) {
    this.#values = new Map(Object.entries(known));
  }

  get values(): ReadonlyMap<string, string> {
    return this.#values;
  }

  /** The same names so far; what it learns is its own. */
  copy(): Bindings {
    return new Bindings(Object.fromEntries(this.#values));
  }

  /** The text with every name replaced; throws on one that stands for nothing yet. */
  fill(text: string): string {
    return text.replaceAll(name, (_, key: string) => {
      const value = this.#values.get(key);
      if (value === undefined) throw new Error(`nothing is known of {${key}} yet`);
      return value;
    });
  }

  /**
   * The expected text with names replaced. Unused names take what stands in their place in the
   * actual text, which must be new: no two tokens of a transcript are the same. `{any}` takes whatever
   * stands there, each time.
   */
  match(expected: string, actual: string): string {
    const unknown: string[] = [];
    const parts = expected.split(name).map((part, index) => {
      if (index % 2 === 0) return RegExp.escape(part);
      const known = this.#values.get(part);
      if (known !== undefined) return RegExp.escape(known);
      if (!isEach(part) && unknown.includes(part)) return `(?:\\${unknown.indexOf(part) + 1})`;
      unknown.push(part);
      return part === 'any' ? '([^"\\n]*?)' : '([\\w.~-]+)';
    });
    const found = new RegExp(`^${parts.join('')}$`, 's').exec(actual)?.slice(1);
    if (found === undefined)
      return expected.replaceAll(name, (all, key) => this.#values.get(key as string) ?? all);
    const each: string[] = [];
    for (const [index, key] of unknown.entries()) {
      const value = found[index] ?? '';
      if (isEach(key)) each.push(value);
      if (key === 'any') continue;
      if ([...this.#values.values()].includes(value)) throw new Error(`${key} is not new`);
      // A `{new}` is known by its value, so that the name stays unused.
      this.#values.set(key === 'new' ? `new ${value}` : key, value);
    }
    return expected.replaceAll(name, (all, key: string) =>
      isEach(key) ? (each.shift() ?? all) : (this.#values.get(key) ?? all),
    );
  }
}

/** Whether the name stands for something else each time. */
const isEach = (key: string): boolean => key === 'new' || key === 'any';

const name = /\{([a-z][a-z0-9_.]*)\}/g;
