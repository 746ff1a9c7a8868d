// Owns which verbs there are, and how a command line is run. What each is stands in the grammar files.

import { Command } from 'commander';

import { exitCodes } from './exit.ts';
import { explain } from './explain.ts';
import { clientVerbs } from './grammar/client.ts';
import { gatewayVerbs } from './grammar/gateway.ts';
import { addVerb, type Verb } from './grammar/grammar.ts';
import { keyVerbs } from './grammar/key.ts';
import { memberVerbs } from './grammar/member.ts';
import { serverVerbs, startingVerbs, versionVerb } from './grammar/server.ts';
import { storeVerbs } from './grammar/store.ts';
import { help } from './help.ts';
import { say, tolerateClosedPipes } from './output.ts';
import { versionLine } from './version.ts';

/** What verbs of two words are about, by the first. */
const groups: Readonly<Record<string, string>> = {
  client: 'onboard partners and look after them',
  gateway: 'let gateways ask about tokens',
  member: 'look after the embedded member directory',
  key: 'rotate the keys that sign tokens',
  token: 'deal with tokens that were issued',
  store: 'back the store up, restore and verify it',
};

const helpVerb: Verb = {
  words: 'help',
  summary: 'explain a verb',
  argument: ['[verb...]', 'a verb, such as serve or client add'],
  example: 'jetway help client add',
  run: (names: readonly string[]) => help(createProgram(), names),
};

/** Every verb, in the order of help. */
export const verbs: readonly Verb[] = [
  ...serverVerbs,
  ...clientVerbs,
  ...gatewayVerbs,
  ...memberVerbs,
  ...keyVerbs,
  ...storeVerbs,
  ...startingVerbs,
  versionVerb,
  helpVerb,
];

/** Runs one command line; resolves to the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  tolerateClosedPipes();
  try {
    await createProgram().parseAsync([...args], { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    return explain(error);
  }
}

function createProgram(): Command {
  const program = new Command('jetway')
    .description('The token service of a loyalty API.')
    .version(versionLine(), '--version', 'tell the version')
    .configureOutput({ writeErr: (text) => say(text.trimEnd()) })
    .exitOverride()
    .showHelpAfterError('(jetway help VERB tells more)')
    .helpCommand(false);
  for (const verb of verbs) addVerb(program, verb, groups);
  return program;
}
