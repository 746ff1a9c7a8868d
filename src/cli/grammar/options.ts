// Owns an option of a verb as a row: how it is written, what its value means, and which other
// options it goes with. The type of what a verb is given is inferred from its rows.

import type { Milliseconds } from '../../lib/clock.ts';
import { parseDuration } from '../../lib/duration.ts';
import { quote } from '../../lib/fault.ts';
import { refuseUsage } from '../../server/exit.ts';
import type { OutputOptions, VerbOptions } from '../output.ts';

/** How the text of an option is read. */
interface Meaning<Value> {
  /** Undefined for a text that is refused. */
  readonly read: (text: string) => Value | undefined;
  /** What is expected, as it stands behind `--name must be`. */
  readonly expected: string;
  /** The end of the refusal, with what joins it. */
  readonly advice?: string;
}

/** Options by commander's names, what is told of them, and the one value this is true of. */
type Bond = readonly [names: readonly string[], told: string, at?: string];

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
  return { read, expected, ...(advice === undefined ? {} : { advice }) };
}

/** A whole number from 1, of at most so many digits. */
export function count(digits: number, expected: string): Meaning<number> {
  const form = new RegExp(`^[1-9]\\d{0,${digits - 1}}$`);
  return { read: (text) => (form.test(text) ? Number(text) : undefined), expected };
}

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

/** The options of a verb that reads the configuration. */
export type GivenWithConfig<Rows extends readonly OptionSpec[]> = VerbOptions & Values<Rows>;

/** A row and the name that commander has for it. */
export type NamedOption = readonly [name: string, row: OptionSpec];

type Texts = Readonly<Record<string, unknown>>;

/**
 * The values of options, by commander's names. Tells everything that is wrong with them at once:
 * first what does not go together, then values.
 */
export function readOptions(options: readonly NamedOption[], texts: Texts): Texts {
  const read: Record<string, unknown> = { ...texts };
  const faults = new Set(options.flatMap((one) => bondFaults(one, texts)));
  for (const [name, { flags, value: meaning }] of options) {
    const text = texts[name];
    if (meaning === undefined || typeof text !== 'string') continue;
    const value = meaning.read(text);
    if (value === undefined) {
      const [words = ''] = flags.split(' ');
      const { expected, advice = '' } = meaning;
      faults.add(`${words} must be ${expected}, not ${quote(text)}${advice}`);
    }
    read[name] = value;
  }
  refuseUsage([...faults]);
  return read;
}

function bondFaults([name, { needs, excludes }]: NamedOption, texts: Texts): readonly string[] {
  const isGiven = (one: string): boolean => texts[one] !== undefined;
  const binds = (bond: Bond | undefined): bond is Bond =>
    bond !== undefined && isGiven(name) && (bond[2] === undefined || bond[2] === texts[name]);
  return [
    ...(binds(needs) && !needs[0].some(isGiven) ? [needs[1]] : []),
    ...(binds(excludes) && excludes[0].some(isGiven) ? [excludes[1]] : []),
  ];
}
