// Owns exit codes, and the errors that carry them.

import { StoreUnwritable } from '../store/care.ts';

/** The exit codes of every verb (DESIGN, "Command line"). */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  configuration: 3,
  store: 4,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitMeanings: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'failed',
  2: 'wrong usage',
  3: 'invalid configuration or programme',
  4: 'store unusable',
};

/** Ends a command with a message and an exit code; the message is empty where all is printed already. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function failed(message: string): CommandError {
  return new CommandError(exitCodes.failed, message);
}

export function misconfigured(message: string): CommandError {
  return new CommandError(exitCodes.configuration, message);
}

export function storeUnusable(message: string): CommandError {
  return new CommandError(exitCodes.store, message);
}

export function wrongUsage(message: string): CommandError {
  return new CommandError(exitCodes.usage, message);
}

/** Ends the command as wrong usage if there are faults. */
export function refuseUsage(faults: readonly string[]): void {
  if (faults.length > 0) throw wrongUsage(faults.join('\n'));
}

/** Ends the command as wrong usage unless `--yes` was given. */
export function expectYes({ yes = false }: { readonly yes?: boolean }, loss: string): void {
  if (!yes) throw wrongUsage(`${loss}: add --yes if you mean it`);
}

/** An error of the system: permissions, missing files, full disks. Its message names the path. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/**
 * The error for a file that could not be written: `what` and the system's reason, without the path
 * of the temporary file. Any other error is returned unchanged.
 */
export function unwritable(error: unknown, exitCode: number, what: string): unknown {
  if (!(error instanceof StoreUnwritable) && !isSystemError(error)) return error;
  const [reason = ''] = error.message.split(', ');
  const advice = 'look at its folder, its permissions and the space left on the disk';
  return new CommandError(exitCode, `${what} (${reason}): ${advice}`);
}
