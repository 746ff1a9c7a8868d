// Owns giving way between steps of long work on the request thread.

/** Resolves once everything that has arrived meanwhile was handled: requests are answered in between. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
