// Owns the list of verbs, and running a command line: help, errors and exit code.

import { Command, CommanderError } from 'commander';

import { quote } from '../lib/fault.ts';
import { didYouMean } from '../lib/suggest.ts';
import { type Ending, endingOf, say } from '../server/ending.ts';
import { type CommandError, exitCodes, wrongUsage } from '../server/exit.ts';
import { versionLine } from '../server/version.ts';
import { auditing } from './audit/command_audit.ts';
import { auditVerbs } from './grammar/audit.ts';
import { clientVerbs, gatewayVerbs } from './grammar/client.ts';
import { addVerb, type Verb } from './grammar/grammar.ts';
import { keyVerbs } from './grammar/key.ts';
import { memberVerbs } from './grammar/member.ts';
import { maintenanceVerbs, serverVerbs, startingVerbs, versionVerb } from './grammar/server.ts';
import { storeVerbs } from './grammar/store.ts';
import { completionScript, shells } from './manual/completion.ts';
import { manPage } from './manual/man.ts';
import { OutputLost, print, printData, tolerateClosedPipes } from './output.ts';

const description = 'The token service of a loyalty API.';

/** Help for groups: the first word of verbs with two words. */
export const groups: Readonly<Record<string, string>> = {
  maintenance: 'take a programme out of service for a while',
  client: 'onboard partners and look after them',
  gateway: 'let gateways ask about tokens',
  member: 'look after the embedded member directory',
  key: 'rotate the keys that sign tokens',
  token: 'deal with tokens that were issued',
  store: 'back the store up, restore and verify it',
  audit: 'look into the audit stream',
};

const helpVerb: Verb = {
  words: 'help',
  summary: 'explain a verb',
  operands: [['[verb...]', 'a verb, such as serve or client add; or key and the name of a key']],
  details:
    'help key NAME explains a key of programme files, such as tokens.refresh.grace, or of the configuration, such as stop_delay.',
  example: 'jetway help client add',
  json: false,
  run: (names: readonly string[]) => help(createProgram(), names),
};

const manVerb: Verb = {
  words: 'man',
  summary: 'print the manual page jetway(1), made of these same texts',
  example: 'jetway man > jetway.1',
  json: false,
  run: () => printData(manPage(verbs, description)),
};

const completionVerb: Verb = {
  words: 'completion',
  summary: 'print the completion of verbs and options for a shell',
  operands: [['<shell>', `one of ${shells.join(', ')}`]],
  example: 'jetway completion bash > /etc/bash_completion.d/jetway',
  json: false,
  run: (name: string) => {
    const shell = shells.find((one) => one === name);
    if (shell === undefined) throw wrongUsage(`the shells are ${shells.join(', ')}`);
    return printData(completionScript(shell, verbs, groups));
  },
};

/** Every verb, in the order of help. */
export const verbs: readonly Verb[] = [
  ...serverVerbs,
  ...maintenanceVerbs,
  ...clientVerbs,
  ...gatewayVerbs,
  ...memberVerbs,
  ...keyVerbs,
  ...storeVerbs,
  ...auditVerbs,
  ...startingVerbs,
  versionVerb,
  manVerb,
  completionVerb,
  helpVerb,
];

/** Runs one command line; resolves to the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  tolerateClosedPipes();
  return auditing(async () => {
    try {
      await programFor(args).parseAsync([...args], { from: 'user' });
      return exitCodes.done;
    } catch (error) {
      return report(error);
    }
  });
}

/** A program of the verbs that a command line can mean: to make all of them is a part of each start. */
function programFor([word]: readonly string[]): Command {
  const meant = verbs.filter(({ words }) => words.split(' ')[0] === word);
  return createProgram(meant.length > 0 ? meant : verbs);
}

function createProgram(wanted = verbs): Command {
  const program = new Command('jetway')
    .description(description)
    .version(versionLine(), '--version', 'tell the version')
    .configureOutput({ writeErr: (text) => say(text.trimEnd()) })
    .exitOverride()
    .showHelpAfterError('(jetway help VERB tells more)')
    .helpCommand(false);
  for (const verb of wanted) addVerb(program, verb, groups);
  return program;
}

async function help(program: Command, names: readonly string[]): Promise<void> {
  let command = program;
  for (const name of names) {
    const next = command.commands.find((one) => one.name() === name);
    if (next === undefined && names[0] === 'key' && names.length === 2) {
      const { keyHelp } = await import('./key_help.ts');
      await print(keyHelp(name, namesOf(command)));
      return;
    }
    if (next === undefined) throw unknownVerb(command, name);
    command = next;
  }
  // Only `outputHelp` includes the text after the options.
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  await print(text.trimEnd());
}

function unknownVerb(within: Command, name: string): CommandError {
  const hint = didYouMean(name, namesOf(within)) ?? 'jetway help lists them';
  return wrongUsage(`there is no verb ${quote(name)} (${hint})`);
}

function namesOf({ commands }: Command): readonly string[] {
  return commands.map((one) => one.name());
}

/** Prints an error; returns the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  const { message, exitCode } = error instanceof OutputLost ? lostOutput(error) : endingOf(error);
  if (message !== '') say(message);
  return exitCode;
}

/** Silent: a reader may stop early, as in `jetway client list | head -1`. */
function lostOutput({ code, message }: OutputLost): Ending {
  return { message: code === 'EPIPE' ? '' : message, exitCode: exitCodes.failed };
}
