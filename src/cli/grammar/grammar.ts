// Owns the description of a verb as data, and building the command line and help from it.

import { type Command, Option } from 'commander';

import { type ExitCode, exitMeanings } from '../../server/exit.ts';
import { nameCommand } from '../audit/command_audit.ts';
import {
  type Bond,
  type Given,
  type GivenWithConfig,
  type Operand,
  type OptionSpec,
  readOptions,
} from './options.ts';

export interface Verb {
  /** `client add`. */
  readonly words: string;
  /** Begins in lower case and ends without a full stop. */
  readonly summary: string;
  /** Help text after the summary. */
  readonly details?: string;
  /** What stands behind the verb, in this order. */
  readonly operands?: readonly Operand[];
  readonly options?: readonly OptionSpec[];
  /** One of these at least must be given. */
  readonly asks?: Bond;
  /** A command line to paste; begins with `jetway` unless something is piped in. */
  readonly example: string;
  /** Both add `--config`. */
  readonly reads?: 'configuration' | 'store';
  /** The verb prints no data and takes no `--json`. */
  readonly json?: false;
  /** Meanings of exit codes beyond the usual ones. */
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  /** Called with the operands, if any, and the options. */
  readonly run: (...given: never[]) => Promise<void> | void;
}

/** What a verb reads before it runs. */
type Reads = NonNullable<Verb['reads']>;

type OperandValue<Name extends string> = Name extends `${string}...]`
  ? readonly string[]
  : Name extends `[${string}`
    ? string | undefined
    : string;

/** What a verb is called with. */
type GivenTo<
  Operands extends readonly Operand[],
  Rows extends readonly OptionSpec[],
  R extends Reads | undefined,
> = [
  ...{ -readonly [Index in keyof Operands]: OperandValue<Operands[Index][0]> },
  R extends Reads ? GivenWithConfig<Rows> : Given<Rows>,
];

/** A verb whose function is checked against its operands and options. */
export function verbOf<
  const Rows extends readonly OptionSpec[] = readonly [],
  const Operands extends readonly Operand[] = readonly [],
  const R extends Reads | undefined = undefined,
>(
  row: Omit<Verb, 'options' | 'operands' | 'reads' | 'run'> & {
    readonly options?: Rows;
    readonly operands?: Operands;
    readonly reads?: R;
    readonly run: (...given: GivenTo<Operands, Rows, R>) => Promise<void> | void;
  },
): Verb;
export function verbOf(row: Pick<Verb, 'words'>): Verb {
  return row as Verb;
}

/**
 * What a verb runs, from a module that is loaded then: help and other verbs do without it.
 * @param name of the function in it
 */
export function lazy<
  Name extends string,
  Module extends Readonly<Record<Name, (...given: never[]) => Promise<void> | void>>,
>(load: () => Promise<Module>, name: Name): (...given: Parameters<Module[Name]>) => Promise<void> {
  return async (...given) => (await load())[name](...given);
}

const shared = {
  config: {
    flags: '--config <file>',
    description: 'configuration file',
    default: './config.yaml',
    variable: 'JETWAY_CONFIG',
  },
  json: { flags: '--json', description: 'print it as JSON' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** All options of a verb, in help's order. */
export function optionsOf({ reads, json, options = [] }: Verb): readonly OptionSpec[] {
  return [
    ...(reads === undefined ? [] : [shared.config]),
    ...(json === false ? [] : [shared.json]),
    ...options,
  ];
}

/** The exit codes that help lists, and their meanings. */
export function exitsOf({ reads, exits = {} }: Verb): readonly (readonly [ExitCode, string])[] {
  const last = { nothing: 2, configuration: 3, store: 4 }[reads ?? 'nothing'];
  const codes = [0, 1, 2, 3, 4] as const;
  return codes
    .filter((code) => code <= last || exits[code] !== undefined)
    .map((code) => [code, exits[code] ?? exitMeanings[code]]);
}

/** Adds a verb to the program, or to the group that its first word names. */
export function addVerb(
  program: Command,
  verb: Verb,
  groups: Readonly<Record<string, string>>,
): void {
  const [first = '', second] = verb.words.split(' ');
  const parent = second === undefined ? program : groupIn(program, first, groups[first] ?? '');
  const { summary, details, operands = [], asks, run } = verb;
  const command = parent
    .command(second ?? first)
    .summary(summary)
    .description(details === undefined ? summary : `${summary}\n\n${details}`)
    .usage(usageOf(verb));
  for (const [name, text] of operands) command.argument(name, text);
  const specs = optionsOf(verb);
  const options = specs.map((spec) => [optionOf(spec).attributeName(), spec] as const);
  const required = specs.filter((spec) => spec.required).map(optionOf);
  for (const spec of specs) command.addOption(optionOf(spec));
  command.addHelpText('after', afterHelp(verb));
  // Commander would report a missing required option before a misspelt one.
  command.hook('preAction', () => {
    const given: Readonly<Record<string, unknown>> = command.opts();
    nameCommand(verb.words, givenOptions(command));
    const missing = required.filter((one) => given[one.attributeName()] === undefined);
    if (missing.length === 0) return;
    const lines = missing.map(({ flags }) => `error: required option '${flags}' not specified`);
    command.error(lines.join('\n'), { code: 'commander.missingMandatoryOptionValue' });
  });
  const act = run as (...given: unknown[]) => Promise<void> | void;
  command.action((...given: unknown[]) => {
    const words = given.slice(0, operands.length);
    return act(...words, readOptions({ options, operands, asks }, command.opts(), words));
  });
}

/** The flags of the options that stand on the command line. */
function givenOptions(command: Command): readonly string[] {
  return command.options
    .filter((one) => command.getOptionValueSource(one.attributeName()) === 'cli')
    .map((one) => one.long ?? one.flags);
}

function groupIn(program: Command, name: string, description: string): Command {
  return (
    program.commands.find((one) => one.name() === name) ??
    program.command(name).description(description)
  );
}

/** The usage line shows required options. */
function usageOf(verb: Verb): string {
  const { operands = [] } = verb;
  const required = optionsOf(verb).filter((spec) => spec.required);
  return [operands.map(([name]) => name), required.map(({ flags }) => flags), '[options]']
    .flat(2)
    .join(' ');
}

function optionOf(spec: OptionSpec): Option {
  const { flags, description, required, choices, variable } = spec;
  const made = new Option(flags, required === true ? `${description} (required)` : description);
  if (spec.default !== undefined) made.default(spec.default);
  if (choices !== undefined) made.choices(choices);
  // An empty variable counts as unset.
  return variable === undefined || process.env[variable] === '' ? made : made.env(variable);
}

function afterHelp(verb: Verb): string {
  const exits = exitsOf(verb).map(([code, meaning]) => `  ${code}  ${meaning}`);
  return ['', 'Example:', `  ${verb.example}`, '', 'Exit codes:', ...exits].join('\n');
}
