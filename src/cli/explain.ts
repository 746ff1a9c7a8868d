// Owns how errors become exit codes and words for people; no stack for what an operator can mend.

import { CommanderError } from 'commander';

import { MasterKeyUnusable } from '../config/master_key.ts';
import { FaultsError } from '../lib/fault.ts';
import { NotHashed } from '../members/not_hashed.ts';
import { Unavailable } from '../oauth/failure.ts';
import { isFatal } from '../store/outage.ts';
import { StoreUnusable } from '../store/unusable.ts';
import { CommandError, exitCodes } from './exit.ts';
import { OutputLost } from './output.ts';

/** Tells people what went wrong; the exit code tells programs. */
export function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof CommandError) return say(error.message, error.exitCode);
  if (error instanceof FaultsError) return say(error.message, exitCodes.configuration);
  if (error instanceof StoreUnusable)
    return say(`${error.message}: ${error.hint}`, exitCodes.store);
  if (error instanceof MasterKeyUnusable) return say(error.message, exitCodes.store);
  if (error instanceof NotHashed) {
    // Verbs hash before they change anything.
    const what = `nothing was changed, as a password could not be hashed: ${error.message}`;
    return say(`${what}; ${error.hint}, then try again`, exitCodes.failed);
  }
  if (error instanceof Unavailable && isFatal(error.cause)) {
    const todo =
      'look at the disk and the file (jetway store verify) before anything else is done with it';
    return say(`the store can no longer be used (${error.message}): ${todo}`, exitCodes.store);
  }
  if (error instanceof Unavailable) {
    return say(`the store does not answer (${error.message}): try again`, exitCodes.store);
  }
  // Whoever read has seen enough: `jetway client list | head -1` is nobody's mistake.
  if (error instanceof OutputLost && error.code === 'EPIPE') return exitCodes.failed;
  if (error instanceof OutputLost) return say(error.message, exitCodes.failed);
  if (isSystemError(error)) return say(error.message, exitCodes.failed);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return say(stack, exitCodes.failed);
}

/** What the system refused: permissions, missing files, full disks. Its message names the path. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

function say(message: string, exitCode: number): number {
  if (message !== '') console.error(message);
  return exitCode;
}
