// Owns an option of a verb as a row: how it is written, what its value means, and which other
// options it goes with. The type of what a verb is given is inferred from its rows.

import type { Entry, Mark } from '../../audit/chain.ts';
import type { Milliseconds } from '../../lib/clock.ts';
import { parseDuration } from '../../lib/duration.ts';
import { quote } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import { refuseUsage } from '../../server/exit.ts';
import type { OutputOptions, VerbOptions } from '../output.ts';

/** How the text of an option is read. */
interface Meaning<Value> {
  /** Undefined for a text that is refused. */
  readonly read: (text: string) => Value | undefined;
  /** Why it is refused, as it stands behind `--name`. */
  readonly fault: (text: string) => string;
}

/** Options and operands by commander's names, what is told of them, and the one value this is true of. */
export type Bond = readonly [names: readonly string[], told: string, at?: string];

/** `<file>`, `[file]` if optional, `[files...]` for several; its description; and what it is refused beside. */
export type Operand = readonly [name: string, description: string, excludes?: Bond];

export interface OptionSpec {
  /** In commander's form: `--name <name>`, `--uri <uri...>`, `--no-name`. */
  readonly flags: string;
  readonly description: string;
  readonly required?: true;
  readonly default?: string;
  readonly choices?: readonly string[];
  /** An environment variable that overrides the default. */
  readonly variable?: string;
  /** If left out, the value is the text. */
  readonly value?: Meaning<unknown>;
  /** It is refused without any of these. */
  readonly needs?: Bond;
  /** It is refused beside each of these. */
  readonly excludes?: Bond;
}

type More = Omit<OptionSpec, 'flags' | 'description'>;

export function option<const Flags extends string, const M extends More = object>(
  flags: Flags,
  description: string,
  more?: M,
): { readonly flags: Flags; readonly description: string } & M {
  return { flags, description, ...(more ?? ({} as M)) };
}

/** @param advice the end of the refusal, with what joins it */
function mustBe(expected: string, advice = ''): Meaning<unknown>['fault'] {
  return (text) => ` must be ${expected}, not ${quote(text)}${advice}`;
}

/** A duration between two bounds, both included. */
export function duration(
  bounds: { readonly least?: Milliseconds; readonly most: Milliseconds },
  expected: string,
  advice?: string,
): Meaning<Milliseconds> {
  const { least = 0, most } = bounds;
  const read = (text: string): Milliseconds | undefined => {
    const span = parseDuration(text);
    return span !== undefined && span >= least && span <= most ? span : undefined;
  };
  return { read, fault: mustBe(expected, advice) };
}

/** A whole number from 1, of at most so many digits. */
export function count(digits: number, expected: string): Meaning<number> {
  const form = new RegExp(`^[1-9]\\d{0,${digits - 1}}$`);
  return {
    read: (text) => (form.test(text) ? Number(text) : undefined),
    fault: mustBe(expected),
  };
}

/** A date, a time, or a duration before now: in milliseconds since the epoch. */
export const pastTime: Meaning<number> = {
  read: (text) => {
    const ago = parseDuration(text);
    if (ago !== undefined) return Date.now() - ago;
    const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text);
    const time = isTime ? Date.parse(text) : Number.NaN;
    return Number.isNaN(time) ? undefined : time;
  },
  fault: mustBe('a time such as 2026-11-23 or 2026-11-23T09:30:00Z, or a duration such as 2h'),
};

/** A line of the audit stream, as operators note it elsewhere. */
export const streamLine: Meaning<Entry> = {
  read: (text) => {
    const [, seq, mark] = /^(\d{1,15}):([\w-]{22})$/.exec(text) ?? [];
    return seq === undefined ? undefined : { seq: Number(seq), mark: mark as Mark };
  },
  fault: (text) => ` takes what audit verify names as the newest line, not ${quote(text)}`,
};

type Camel<Words> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Words;

type NameOf<Flags> = Flags extends `--${infer Words} <${string}`
  ? Camel<Words>
  : Flags extends `--${infer Words}`
    ? Camel<Words>
    : never;

type ValueOf<Row extends OptionSpec> =
  Row extends Readonly<Record<'value', Meaning<infer Value>>>
    ? Value
    : Row extends Readonly<Record<'choices', readonly (infer Choice)[]>>
      ? Choice
      : Row['flags'] extends `${string} <${string}`
        ? string
        : boolean;

type AlwaysThere = Readonly<Record<'required', true>> | Readonly<Record<'default', string>>;

/** What a verb of these rows is given, beside what `--config` and `--json` give. */
export type Values<Rows extends readonly OptionSpec[]> = {
  readonly [Row in Extract<Rows[number], AlwaysThere> as NameOf<Row['flags']>]: ValueOf<Row>;
} & {
  readonly [Row in Exclude<Rows[number], AlwaysThere> as NameOf<Row['flags']>]?: ValueOf<Row>;
};

/** The options of a verb that reads no configuration. */
export type Given<Rows extends readonly OptionSpec[]> = OutputOptions & Values<Rows>;

/** The options of a verb that reads the configuration. An interface itself would be no map of texts. */
export type GivenWithConfig<Rows extends readonly OptionSpec[]> = Pick<
  VerbOptions,
  keyof VerbOptions
> &
  Values<Rows>;

/** The options and operands of a verb, and of which of them one must be given. */
interface Taken {
  /** By commander's names. */
  readonly options: readonly (readonly [name: string, row: OptionSpec])[];
  readonly operands?: readonly Operand[];
  readonly asks?: Bond | undefined;
}

type Ties = Pick<OptionSpec, 'needs' | 'excludes'>;
type Texts = Readonly<Record<string, unknown>>;

/**
 * The values of options, by commander's names. Tells everything that is wrong with them at once:
 * first what does not go together, then values.
 * @param words the operands that were given
 */
export function readOptions(
  { options, operands = [], asks }: Taken,
  texts: Texts,
  words: readonly unknown[] = [],
): Texts {
  // `[file]` is `file`, as the rows of options call it.
  const named = operands.map(([name, , excludes]): readonly [string, Ties] => [
    name.replaceAll(/[^\w-]/g, ''),
    present({ excludes }),
  ]);
  const given = {
    ...texts,
    ...Object.fromEntries(named.map(([name], index) => [name, words[index]])),
  };
  const isAnyGiven = ([names]: Bond): boolean => names.some((name) => given[name] !== undefined);
  const binds = (name: string, bond: Bond | undefined): bond is Bond =>
    bond !== undefined && given[name] !== undefined && (bond[2] ?? given[name]) === given[name];
  const faults = new Set(asks === undefined || isAnyGiven(asks) ? [] : [asks[1]]);
  for (const [name, { needs, excludes }] of [...named, ...options]) {
    if (binds(name, needs) && !isAnyGiven(needs)) faults.add(needs[1]);
    if (binds(name, excludes) && isAnyGiven(excludes)) faults.add(excludes[1]);
  }
  const read: Record<string, unknown> = { ...texts };
  for (const [name, { flags, value: meaning }] of options) {
    const text = texts[name];
    if (meaning === undefined || typeof text !== 'string') continue;
    read[name] = meaning.read(text);
    if (read[name] === undefined) faults.add(flags.replace(/ .*/, '') + meaning.fault(text));
  }
  refuseUsage([...faults]);
  return read;
}
