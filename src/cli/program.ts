// Owns the command line's grammar: verbs, their options, and how errors become exit codes.

import { Command, CommanderError } from 'commander';
import { FaultsError } from '../lib/fault.ts';
import { MasterKeyUnusable } from '../config/master_key.ts';
import { StoreUnusable } from '../store/unusable.ts';
import { CommandError, exitCodes } from './exit.ts';
import { serve } from './serve.ts';

/** Runs one command line; resolves to the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
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
    .exitOverride()
    .showHelpAfterError('(jetway help VERB tells more)');
  const verb = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option('--config <file>', 'configuration file', './config.yaml');
  verb('serve', 'run the server').action(serve);
  return program;
}

/** Tells people what went wrong; the exit code tells programs. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof CommandError) return say(error.message, error.exitCode);
  if (error instanceof FaultsError) return say(error.message, exitCodes.configuration);
  if (error instanceof StoreUnusable) return say(`${error.message}: ${error.hint}`, exitCodes.store);
  if (error instanceof MasterKeyUnusable) return say(error.message, exitCodes.store);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return say(stack, exitCodes.failed);
}

function say(message: string, exitCode: number): number {
  console.error(message);
  return exitCode;
}
