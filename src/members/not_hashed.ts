// Owns the error for a password that was not hashed because the system had not what that takes.

import { Unavailable } from '../oauth/failure.ts';

/** What can be done where there is no memory, as far as anybody can tell. */
const memoryHint = 'see to the memory that is free (a hash takes 19 MiB)';

/** No fault of the password's, nor of the store's. Its message names no password. */
export class NotHashed extends Unavailable {
  /** What an operator can do about it. */
  readonly hint: string;

  constructor(what: string, hint: string = memoryHint, options?: ErrorOptions) {
    super(what, options);
    this.hint = hint;
  }
}

export function threadNotStarted(cause: unknown): NotHashed {
  const hint =
    'see to the memory that is free and to the limits of threads (ulimit -u, TasksMax of a systemd unit)';
  return new NotHashed(`a hashing thread cannot start${codeIn(cause)}`, hint, { cause });
}

export function threadEnded(cause?: unknown): NotHashed {
  return new NotHashed(`a hashing thread has ended${codeIn(cause)}`, memoryHint, { cause });
}

/** What node says of a thread: that it cannot start it says in words that are a code of the system's. */
function codeIn(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const isOfSystem = /^E[A-Z]+$/.test(cause.message);
  const code = 'code' in cause ? String(cause.code) : cause.name;
  return ` (${isOfSystem ? cause.message : code})`;
}
