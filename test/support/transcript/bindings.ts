// Owns what the names in braces of a transcript stand for: bound at first sight, the same ever after.

/** What the names of a transcript stand for so far. */
export class Bindings {
  readonly #values: Map<string, string>;
  readonly #looks: Readonly<Record<string, string>>;

  /** `looks` says what a name, or all that begin with it and `_`, take at first sight. */
  constructor(
    known: Readonly<Record<string, string>>,
    looks: Readonly<Record<string, string>> = {},
  ) {
    this.#values = new Map(Object.entries(known));
    this.#looks = looks;
  }

  get values(): ReadonlyMap<string, string> {
    return this.#values;
  }

  /** The same names so far; what it learns is its own. */
  copy(): Bindings {
    return new Bindings(Object.fromEntries(this.#values), this.#looks);
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
   * actual text, which must be new: no two tokens of a transcript are the same. `{new}` is something new
   * each time, `{any}` whatever stands there, `{rest}` that with quotes, `{time}` a time; `{time_made}` is bound, and need not be new.
   */
  match(expected: string, actual: string): string {
    const unknown: string[] = [];
    const parts = expected.split(name).map((part, index) => {
      if (index % 2 === 0) return RegExp.escape(part);
      const known = this.#values.get(part);
      if (known !== undefined) return RegExp.escape(known);
      if (!(part in each) && unknown.includes(part)) return `(?:\\${unknown.indexOf(part) + 1})`;
      unknown.push(part);
      const look = this.#looks[part] ?? this.#looks[part.replace(/_.*$/, '')];
      return `(${look ?? each[part.replace(/^time_.*$/, 'time')] ?? usual})`;
    });
    const found = new RegExp(`^${parts.join('')}$`).exec(actual)?.slice(1);
    const seen: string[] = [];
    for (const [index, value] of (found ?? []).entries()) {
      const key = unknown[index] ?? '';
      if (key in each) seen.push(value);
      if (key in each && key !== 'new') continue;
      const isKnown = [...this.#values.values()].includes(value);
      if (isKnown && !key.startsWith('time_')) throw new Error(`${key} is not new`);
      // A `{new}` is known by its value, so that the name stays unused.
      this.#values.set(key === 'new' ? `new ${value}` : key, value);
    }
    return expected.replaceAll(name, (all, key: string) =>
      key in each ? (seen.shift() ?? all) : (this.#values.get(key) ?? all),
    );
  }

  /** Has a name like the given one, not used yet, stand for the value; the name. */
  add(like: string, value: string): string {
    let key = like;
    for (let count = 2; this.#values.has(key); count += 1) key = `${like}_${count}`;
    this.#values.set(key, value);
    return key;
  }
}

/** What a name takes at first sight. */
const usual = '[\\w.~-]+';

/** Names that stand for something else each time, and what they take. */
const each: Readonly<Record<string, string>> = {
  new: usual,
  any: '[^"\\n]*?',
  rest: '[^\\n]*',
  time: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z',
};

const name = /\{([a-z][a-z0-9_.]*)\}/g;
