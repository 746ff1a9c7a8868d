// Owns the command line's grammar: which verbs there are and how one is run. The verbs below
// `client`, `gateway`, `member`, `key`, `token` and `store` are in files of their own.

import { Command } from 'commander';

import { check } from './check.ts';
import { dev } from './dev.ts';
import { exitCodes } from './exit.ts';
import { explain } from './explain.ts';
import { configured } from './grammar.ts';
import { addClientVerbs } from './grammar_client.ts';
import { addGatewayVerbs } from './grammar_gateway.ts';
import { addKeyVerbs, addTokenVerbs } from './grammar_key.ts';
import { addMemberVerbs } from './grammar_member.ts';
import { addStoreVerbs } from './grammar_store.ts';
import { help } from './help.ts';
import { tolerateClosedPipes } from './output.ts';
import { serve } from './serve.ts';
import { show } from './show.ts';
import { version, versionLine } from './version.ts';

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
    .exitOverride()
    .showHelpAfterError('(jetway help VERB tells more)')
    .helpCommand(false);
  addServerVerbs(program);
  addClientVerbs(program);
  addGatewayVerbs(program);
  addMemberVerbs(program);
  addKeyVerbs(program);
  addTokenVerbs(program);
  addStoreVerbs(program);
  addInformation(program);
  return program;
}

function addServerVerbs(program: Command): void {
  configured(program.command('serve'))
    .description('run the server')
    .option(
      '--accept-clock',
      'start though the store has recorded a later time: what was issued since ends',
    )
    .action(serve);
  program
    .command('dev')
    .description('try it: programmes with a demo client and member each, in memory, on loopback')
    .option('--config <file>', 'show the programmes of this configuration, not the shipped ones')
    .option('--listen <address>', 'loopback address to listen on', '127.0.0.1:8080')
    .action(dev);
  configured(program.command('check'))
    .description('validate the configuration and all programmes, or programme files alone')
    .argument('[files...]', 'programme files; without any, everything the configuration names')
    .option('--json', 'print an array of faults')
    .action(check);
  configured(program.command('show'))
    .description("print a programme's effective dialect, every default filled in, as YAML")
    .argument('<programme>', "the programme's name: its file without .yaml")
    .option('--json', 'print it as JSON')
    .action(show);
}

function addInformation(program: Command): void {
  program
    .command('version')
    .description('tell the version')
    .option('--json', 'print it as JSON')
    .action(version);
  program
    .command('help')
    .description('explain a verb')
    .argument('[verb...]', 'a verb, such as serve or client add')
    .action((names: readonly string[]) => help(program, names));
}
