// Owns the verb `help`.

import type { Command } from 'commander';

import { quote } from '../lib/fault.ts';
import { suggest } from '../lib/suggest.ts';
import { CommandError, exitCodes } from './exit.ts';
import { print } from './output.ts';

/** `jetway help [VERB]`; a verb may be of several words, such as `client add`. */
export async function help(program: Command, names: readonly string[]): Promise<void> {
  let command = program;
  for (const name of names) {
    const next = command.commands.find((one) => one.name() === name);
    if (next === undefined) throw unknownVerb(command, name);
    command = next;
  }
  // What follows the options is in no other text of commander's.
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  await print(text.trimEnd());
}

function unknownVerb(within: Command, name: string): CommandError {
  const near = suggest(
    name,
    within.commands.map((one) => one.name()),
  );
  const hint = near === undefined ? 'jetway help lists them' : `did you mean ${quote(near)}?`;
  return new CommandError(exitCodes.usage, `there is no verb ${quote(name)} (${hint})`);
}
