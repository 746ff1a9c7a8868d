// Owns waiting on the way of requests: giving way between steps of long work, and not waiting for what is known.

/** Resolves once everything that has arrived meanwhile was handled: requests are answered in between. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * A value that may be known at once, or the promise of one; `await` takes both. What a process remembers is not
 * waited for: each promise costs a request more than many look-ups.
 */
export type Soon<Value> = Value | Promise<Value>;

/** Goes on with the value: at once where it is known. */
export function soon<Value, Next>(
  value: Soon<Value>,
  use: (value: Value) => Soon<Next>,
): Soon<Next> {
  if (!(value instanceof Promise)) return use(value);
  return value.then(use);
}
