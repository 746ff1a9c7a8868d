// Owns values that may be known at once: what a process remembers is not waited for, since each promise on
// the way of a request costs it more than many look-ups.

/** A value, or the promise of one. `await` takes both. */
export type Soon<Value> = Value | Promise<Value>;

/** Goes on with the value: at once where it is known. */
export function soon<Value, Next>(
  value: Soon<Value>,
  next: (value: Value) => Soon<Next>,
): Soon<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
