// Owns what a running server last read of a programme's keys. It is one file for both kinds of keys,
// which are opened and read again alike.

import { Unavailable } from '../oauth/failure.ts';

export interface LastRead<Read> {
  /** @throws Unavailable while the keys could not be read since the start */
  readonly get: () => Read;
  /** Reads again; where that rejects, what was read before stays. */
  readonly again: () => Promise<void>;
}

/**
 * Reads for the first time. Where the store cannot tell, that does not reject: a server starts, and
 * answers for this programme that it is unavailable, until the damaged key is removed or the outage is
 * over (FAULTS 36).
 * @param read maps what was read before to what is stored now
 */
export async function lastRead<Read extends object>(
  read: (former: Read | undefined) => Promise<Read>,
): Promise<LastRead<Read>> {
  let value: Read | undefined;
  let trouble: Unavailable | undefined;
  const again = async (): Promise<void> => {
    value = await read(value);
  };
  try {
    await again();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    trouble = error;
  }
  return {
    get: () => {
      if (value === undefined) throw trouble ?? new Error('nothing was read');
      return value;
    },
    again,
  };
}
