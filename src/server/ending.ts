// Owns what a process says on standard error: of an error that has ended it, too, with its exit code.

import { legible, FaultsError, spellOut } from '../lib/fault.ts';
import { NotHashed } from '../members/hashing_threads.ts';
import { Unavailable } from '../oauth/failure.ts';
import { KeyTaken } from '../store/registrations.ts';
import { DamagedItem, StoreFailed, StoreUnusable, MasterKeyUnusable } from '../store/unusable.ts';
import { damageText } from './damage.ts';
import { CommandError, exitCodes, isSystemError } from './exit.ts';

export interface Ending {
  /** Empty where nothing is to be said. */
  readonly message: string;
  readonly exitCode: number;
}

export function endingOf(error: unknown): Ending {
  if (error instanceof CommandError) return ended(error.message, error.exitCode);
  if (error instanceof FaultsError) return ended(error.message, exitCodes.configuration);
  if (error instanceof StoreUnusable)
    return ended(`${error.message}: ${error.hint}`, exitCodes.store);
  if (error instanceof MasterKeyUnusable) return ended(error.message, exitCodes.store);
  if (error instanceof NotHashed) {
    // Verbs hash passwords before they change anything.
    const what = `nothing was changed, as a password could not be hashed: ${error.message}`;
    return ended(`${what}; ${error.hint}, then try again`, exitCodes.failed);
  }
  if (error instanceof StoreFailed) {
    const todo =
      'look at the disk and the file (jetway store verify) before anything else is done with it';
    return ended(`the store can no longer be used (${error.message}): ${todo}`, exitCodes.store);
  }
  if (error instanceof DamagedItem) return ended(damageText(error), exitCodes.store);
  if (error instanceof KeyTaken) return ended(error.message, exitCodes.failed);
  if (error instanceof Unavailable) {
    return ended(`the store does not answer (${error.message}): try again`, exitCodes.store);
  }
  if (isSystemError(error)) return ended(spellOut(error.message), exitCodes.failed);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return ended(stack, exitCodes.failed);
}

function ended(message: string, exitCode: number): Ending {
  return { message, exitCode };
}

export function say(text: string): void {
  console.error(legible(text));
}
