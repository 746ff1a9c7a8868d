// Owns the description of a verb as data, and building the command line and its help from descriptions.
// The other grammar files hold the verbs.

import { type Command, Option } from 'commander';

import { type ExitCode, exitMeanings } from '../exit.ts';

/** An option of a verb. */
export interface OptionSpec {
  /** As commander has them: `--name <name>`, `--uri <uri...>`, `--no-name`. */
  readonly flags: string;
  readonly description: string;
  readonly required?: true;
  readonly default?: string;
  readonly choices?: readonly string[];
  /** A variable of the environment that goes before the default. */
  readonly variable?: string;
}

/** An option by its flags and description. */
export function option(
  flags: string,
  description: string,
  more: Omit<OptionSpec, 'flags' | 'description'> = {},
): OptionSpec {
  return { flags, description, ...more };
}

/** A verb: what can be typed, what it does, and how it ends. */
export interface Verb {
  /** As it is typed: `client add`. */
  readonly words: string;
  /** Begins in lower case and ends without a full stop. */
  readonly summary: string;
  /** What its help says after the summary. */
  readonly details?: string;
  /** Its argument: `<file>`, `[file]` where it may be left out, `[files...]` for several. */
  readonly argument?: readonly [name: string, description: string];
  readonly options?: readonly OptionSpec[];
  /** A command line that can be pasted; begins with `jetway` unless something is piped in. */
  readonly example: string;
  /** What it reads besides its own options: both come with `--config`. */
  readonly reads?: 'configuration' | 'store';
  /** Whether it prints data, and so takes `--json`. */
  readonly json?: true;
  /** What an exit code means for this verb, where that is more than the usual meaning. */
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  /** Called with the argument, if there is one, and the options. */
  readonly run: (...given: never[]) => Promise<void> | void;
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

/** All options of a verb, in the order of its help. */
function optionsOf({ reads, json, options = [] }: Verb): readonly OptionSpec[] {
  return [
    ...(reads === undefined ? [] : [shared.config]),
    ...(json === undefined ? [] : [shared.json]),
    ...options,
  ];
}

/** How a verb can end, with what that means. */
function exitsOf({ reads, exits = {} }: Verb): readonly (readonly [ExitCode, string])[] {
  const last = { nothing: 2, configuration: 3, store: 4 }[reads ?? 'nothing'];
  const codes = [0, 1, 2, 3, 4] as const;
  return codes
    .filter((code) => code <= last || exits[code] !== undefined)
    .map((code) => [code, exits[code] ?? exitMeanings[code]]);
}

/** Adds a verb to the program, below the group that its first word may be. */
export function addVerb(
  program: Command,
  verb: Verb,
  groups: Readonly<Record<string, string>>,
): void {
  const [first = '', second] = verb.words.split(' ');
  const parent = second === undefined ? program : groupIn(program, first, groups[first] ?? '');
  const { summary, details, argument, run } = verb;
  const command = parent
    .command(second ?? first)
    .summary(summary)
    .description(details === undefined ? summary : `${summary}\n\n${details}`)
    .usage(usageOf(verb));
  if (argument !== undefined) command.argument(...argument);
  const specs = optionsOf(verb);
  const required = specs.filter((spec) => spec.required).map(optionOf);
  for (const spec of specs) command.addOption(optionOf(spec));
  command.addHelpText('after', afterHelp(verb));
  // Commander would ask for these before it tells of an option that is spelled wrong.
  command.hook('preAction', () => {
    const given: Readonly<Record<string, unknown>> = command.opts();
    const missing = required.filter((one) => given[one.attributeName()] === undefined);
    if (missing.length === 0) return;
    const lines = missing.map(({ flags }) => `error: required option '${flags}' not specified`);
    command.error(lines.join('\n'), { code: 'commander.missingMandatoryOptionValue' });
  });
  command.action(run as (...given: unknown[]) => Promise<void> | void);
}

function groupIn(program: Command, name: string, description: string): Command {
  return (
    program.commands.find((one) => one.name() === name) ??
    program.command(name).description(description)
  );
}

/** What must be given stands in the line that shows how to use a verb. */
function usageOf(verb: Verb): string {
  const { argument } = verb;
  const required = optionsOf(verb).filter((spec) => spec.required);
  return [argument?.[0] ?? [], required.map(({ flags }) => flags), '[options]'].flat(2).join(' ');
}

function optionOf(spec: OptionSpec): Option {
  const { flags, description, required, choices, variable } = spec;
  const made = new Option(flags, required === true ? `${description} (required)` : description);
  if (spec.default !== undefined) made.default(spec.default);
  if (choices !== undefined) made.choices(choices);
  // An empty variable is one that is not set.
  return variable === undefined || process.env[variable] === '' ? made : made.env(variable);
}

function afterHelp(verb: Verb): string {
  const exits = exitsOf(verb).map(([code, meaning]) => `  ${code}  ${meaning}`);
  return ['', 'Example:', `  ${verb.example}`, '', 'Exit codes:', ...exits].join('\n');
}
