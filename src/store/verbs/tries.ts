// Owns trying again where another request or process was faster, in bounds.

import { Unavailable } from '../../oauth/failure.ts';

/** Others may be faster this often. */
const mostTries = 200;

/**
 * The result of the first try that has one.
 * @param once undefined where another was faster; what it did is read by the next try
 * @param what is done too fast by others, for the message
 * @throws Unavailable after too many tries
 */
export async function untilDone<Result>(
  what: string,
  once: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const result = await once();
    if (result !== undefined) return result;
  }
  throw new Unavailable(`store: ${what}`);
}
