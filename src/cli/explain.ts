// Owns how errors become exit codes and words for people; no stack for what an operator can mend.

import { CommanderError } from 'commander';

import { MasterKeyUnusable } from '../config/master_key.ts';
import { FaultsError, spellOut } from '../lib/fault.ts';
import { NotHashed } from '../members/not_hashed.ts';
import { Unavailable } from '../oauth/failure.ts';
import { isFatal } from '../store/sqlite/commits/outage.ts';
import { StoreUnusable } from '../store/unusable.ts';
import { CommandError, exitCodes } from './exit.ts';
import { OutputLost, say } from './output.ts';

/** Tells people what went wrong; the exit code tells programs. */
export function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof CommandError) return ended(error.message, error.exitCode);
  if (error instanceof FaultsError) return ended(error.message, exitCodes.configuration);
  if (error instanceof StoreUnusable)
    return ended(`${error.message}: ${error.hint}`, exitCodes.store);
  if (error instanceof MasterKeyUnusable) return ended(error.message, exitCodes.store);
  if (error instanceof NotHashed) {
    // Verbs hash before they change anything.
    const what = `nothing was changed, as a password could not be hashed: ${error.message}`;
    return ended(`${what}; ${error.hint}, then try again`, exitCodes.failed);
  }
  if (error instanceof Unavailable && isFatal(error.cause)) {
    const todo =
      'look at the disk and the file (jetway store verify) before anything else is done with it';
    return ended(`the store can no longer be used (${error.message}): ${todo}`, exitCodes.store);
  }
  if (error instanceof Unavailable) {
    return ended(`the store does not answer (${error.message}): try again`, exitCodes.store);
  }
  // Whoever read has seen enough: `jetway client list | head -1` is nobody's mistake.
  if (error instanceof OutputLost && error.code === 'EPIPE') return exitCodes.failed;
  if (error instanceof OutputLost) return ended(error.message, exitCodes.failed);
  if (isSystemError(error)) return ended(spellOut(error.message), exitCodes.failed);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return ended(stack, exitCodes.failed);
}

/** What the system refused: permissions, missing files, full disks. Its message names the path. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

function ended(message: string, exitCode: number): number {
  if (message !== '') say(message);
  return exitCode;
}
