// Owns wire transcripts as text: settings, then exchanges of a request and the answer it must get.
//
//   client = partner-1                  settings: the partner that the transcript is about
//   client.tenant = north | south       a property of it, of one value or several
//   client other = partner-2 hush       another partner, {other} and {other_basic}; at the end
//                                       `roles=member,partner` (`roles=` for none), `disabled`,
//                                       `public` (no secret counts) or `redirect=com.example.app:/cb`
//   jwks = ES256                        it has a key, with which `<jwt iss={client} exp=+60>` is signed
//   /club/token sends Accept: */*       a header of every POST that begins with that path
//
//   == refresh_token: with new tokens   an exchange, told in words
//   after 60 seconds                    the clock moves first, if it says so
//   POST /club/token                    LOGIN GET /club/login: a member's whole way through the page
//   Content-Type: application/json
//
//   {"refresh":"{refresh_token}"}       {name} stands for a setting or what an earlier answer held
//   ---
//   200
//
//   {"token":"{access_token_2}"}        in an answer, an unused name takes what stands there
//
// A request with {=a|b|c} is sent once with each, and each gets the answer; {new} in it stands for a
// value of its own each time. A header `no Accept` leaves out what the path sends.
// The lines of a body are joined, so that a long one can be read; {newline} stands for one that stays.
// So is a header with the lines after it that begin with `&`.

export interface Exchange {
  readonly title: string;
  /** Seconds that pass before it. */
  readonly pause: number;
  /** Usual headers, by lower-case name, that the request does without. */
  readonly without: readonly string[];
  readonly request: Message;
  readonly answer: Message;
}

/** A request with its method and target, or an answer with its status, in the first line. */
export interface Message {
  readonly start: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A partner beside the one that the transcript is about. */
export interface OtherClient {
  readonly name: string;
  readonly id: string;
  readonly secret: string;
  /** As after its identifier and secret: `roles=…`, `disabled`, `public`, `redirect=…`. */
  readonly marks: readonly string[];
}

export interface Transcript {
  readonly settings: Readonly<Record<string, string>>;
  readonly others: readonly OtherClient[];
  /** Headers of every POST whose target begins with the path. */
  readonly usual: readonly (readonly [path: string, name: string, value: string])[];
  readonly exchanges: readonly Exchange[];
}

/** Reads a transcript; throws on what is not one. */
export function parseTranscript(text: string): Transcript {
  const [head = '', ...rest] = text.split(/^== /m);
  const lines = head.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const sending = lines.filter((line) => line.includes(' sends '));
  const named = lines.filter((line) => !sending.includes(line)).map((line) => splitAt(line, ' = '));
  return {
    settings: Object.fromEntries(named.filter(([name]) => !name.includes(' '))),
    others: named
      .filter(([name]) => name.startsWith('client '))
      .map(([name, value]) => {
        const [id = '', secret = '', ...marks] = value.split(' ');
        return { name: name.slice('client '.length), id, secret, marks };
      }),
    usual: sending.map((line) => {
      const [path, header] = splitAt(line, ' sends ');
      const [name, value] = splitAt(header, ': ');
      return [path, name.toLowerCase(), value] as const;
    }),
    exchanges: rest.map(parseExchange),
  };
}

/** The request once with each of its `{=a|b}`; all combinations where there are several. */
export function spelledOut(message: Message): readonly Message[] {
  const text = JSON.stringify(message);
  const [all, choices] = /\{=((?:[^{}]|\{[^{}]*\})*)\}/.exec(text) ?? [];
  if (all === undefined || choices === undefined) return [message];
  return choices
    .split('|')
    .flatMap((choice) => spelledOut(JSON.parse(text.replace(all, () => choice)) as Message));
}

function parseExchange(text: string): Exchange {
  const lines = text.trimEnd().split('\n');
  const [title = '', next = ''] = lines;
  const pause = /^after ([\d.]+) seconds$/.exec(next)?.[1];
  const divider = lines.indexOf('---');
  if (divider < 0) throw new Error(`no answer follows: ${title}`);
  const asked = lines.slice(pause === undefined ? 1 : 2, divider);
  const without = asked.filter((line) => /^no [A-Z][\w-]+$/.test(line));
  return {
    title,
    pause: Number(pause ?? 0),
    without: without.map((line) => line.slice('no '.length).toLowerCase()),
    request: parseMessage(asked.filter((line) => !without.includes(line))),
    answer: parseMessage(lines.slice(divider + 1)),
  };
}

function parseMessage(lines: readonly string[]): Message {
  const [start = '', ...rest] = lines;
  const blank = rest.indexOf('');
  const unfolded = blank < 0 ? rest : rest.slice(0, blank);
  const headers = unfolded
    .join('\n')
    .replaceAll('\n&', '&')
    .split('\n')
    .filter((line) => line !== '');
  const named = headers.map((line) => splitAt(line, ': '));
  return {
    start,
    headers: Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), value])),
    body: blank < 0 ? '' : rest.slice(blank + 1).join(''),
  };
}

function splitAt(line: string, separator: string): readonly [string, string] {
  const at = line.indexOf(separator);
  if (at < 0) throw new Error(`expected "${separator}" in: ${line}`);
  return [line.slice(0, at), line.slice(at + separator.length)];
}

/** What the names of a transcript stand for so far. */
export class Bindings {
  readonly #values: Map<string, string>;

  constructor(known: Readonly<Record<string, string>>) {
    this.#values = new Map(Object.entries(known));
  }

  get values(): ReadonlyMap<string, string> {
    return this.#values;
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
   * actual text, which must be new: no two tokens of a transcript are the same.
   */
  match(expected: string, actual: string): string {
    const unused: string[] = [];
    const fresh: string[] = [];
    const parts = expected.split(name).map((part, index) => {
      if (index % 2 === 0) return RegExp.escape(part);
      const known = this.#values.get(part);
      if (known !== undefined) return RegExp.escape(known);
      if (part !== 'new' && unused.includes(part)) return `(?:\\${unused.indexOf(part) + 1})`;
      unused.push(part);
      return '([\\w.~-]+)';
    });
    const found = new RegExp(`^${parts.join('')}$`).exec(actual)?.slice(1) ?? [];
    unused.forEach((key, index) => {
      const value = found[index] ?? `{${key}}`;
      if ([...this.#values.values()].includes(value)) throw new Error(`${key} is not new`);
      // A `{new}` is known by its value, so that the name stays unused.
      this.#values.set(key === 'new' ? `new ${value}` : key, value);
      if (key === 'new') fresh.push(value);
    });
    return expected.replaceAll(name, (all, key: string) =>
      key === 'new' ? (fresh.shift() ?? all) : (this.#values.get(key) ?? all),
    );
  }
}

const name = /\{([a-z][a-z0-9_.]*)\}/g;
