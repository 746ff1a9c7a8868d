// Owns faults in an operator's files: their place, and their text.

/** A place in a file; line and column count from 1, columns in UTF-16 units as editors do. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What a fault is about, where more can be told of it by those who know the file. */
export type FaultCode = 'missing_key' | 'unknown_key' | 'unfit_value' | 'too_large';

/** One mistake for an operator to mend. */
export interface Fault {
  readonly severity: 'error' | 'warning';
  readonly code?: FaultCode;
  /** Of a warning: its stable name in snake_case, by which a file can accept it. */
  readonly name?: string;
  readonly at: Position;
  /** Dotted key path, `''` for the whole file. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** Keys and list indexes that lead from the root of a document to a node. */
export type Path = readonly (string | number)[];

/** A fault of severity error. */
export function errorAt(at: Position, path: Path, message: string, hint?: string): Fault {
  const fault = { severity: 'error', at, path: path.join('.'), message } as const;
  return hint === undefined ? fault : { ...fault, hint };
}

/** A fault of severity warning. */
export function warningAt(
  name: string,
  at: Position,
  path: Path,
  message: string,
  hint?: string,
): Fault {
  return { ...errorAt(at, path, message, hint), severity: 'warning', name };
}

/** `file:line:column`, which editors and terminals make clickable. */
export function formatPosition({ file, line, column }: Position): string {
  return spellOut(`${file}:${line}:${column}`);
}

/** `file:line:column: error: message (hint)`; a warning ends with its `[name]`. */
export function formatFault({ severity, name, at, message, hint }: Fault): string {
  const more = hint === undefined ? '' : ` (${hint})`;
  const called = name === undefined ? '' : ` [${name}]`;
  return spellOut(`${formatPosition(at)}: ${severity}: ${message}${more}${called}`);
}

/** Sorts faults into reading order: by file, then by place in it. */
export function byPosition(one: Fault, other: Fault): number {
  if (one.at.file !== other.at.file) return one.at.file < other.at.file ? -1 : 1;
  return one.at.line - other.at.line || one.at.column - other.at.column;
}

const longestQuote = 60;

/** Characters that a terminal would act on or not show: control, format and separator characters. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** The text on one line, with unprintable characters spelled out (HOSTILE 66). */
export function spellOut(text: string): string {
  return text.replace(unprintable, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The text in double quotes, shortened and spelled out, so that a fault cannot mislead. */
export function quote(text: string): string {
  const shown = text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
  return spellOut(JSON.stringify(shown));
}

/** A value as JSON in which unprintable characters are escaped. */
export function legibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent)
    .split('\n')
    .map((line) =>
      line.replace(unprintable, (char) =>
        [...Array(char.length).keys()]
          .map((unit) => `\\u${char.charCodeAt(unit).toString(16).padStart(4, '0')}`)
          .join(''),
      ),
    )
    .join('\n');
}

/** Thrown where the file cannot be used; carries all its faults. */
export class FaultsError extends Error {
  override readonly name = 'FaultsError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faults.map(formatFault).join('\n'));
    this.faults = faults;
  }
}

/** What `read` returns; where it throws a FaultsError, its faults are added to `faults`. */
export function orFaults<Value>(faults: Fault[], read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FaultsError)) throw error;
    faults.push(...error.faults);
    return undefined;
  }
}

/** Removes characters that move a terminal's cursor, which file names may contain (HOSTILE 66). */
export function legible(text: string): string {
  return text.split('\n').map(spellOut).join('\n');
}
