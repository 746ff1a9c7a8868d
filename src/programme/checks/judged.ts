// Owns checking a definition whose file has faults: only complaints that rest on sound keys are told.

import type { Path } from '../../lib/fault.ts';
import type { Complaint } from '../../schema/complaint.ts';

/**
 * The complaints that a check makes before it first reads a key at fault. Those after may follow
 * from the fault, and would be told of a file that is right but for it.
 *
 * @param faulty keys at fault, for which the definition has the values of the variant, or none
 */
export function* judged<Definition extends object>(
  check: (definition: Definition) => Iterable<Complaint>,
  definition: Definition,
  faulty: readonly Path[],
): Iterable<Complaint> {
  let isDoubtful = false;
  const told = check(
    watched(definition, faulty, () => {
      isDoubtful = true;
    }),
  );
  for (const complaint of told) {
    if (isDoubtful) return;
    yield complaint;
  }
}

/** The value; `onRead` is called when one of the paths in it is read, or a map that could list it. */
function watched<Value>(value: Value, paths: readonly Path[], onRead: () => void): Value {
  if (paths.length === 0) return value;
  const isWalked = Array.isArray(value) || isPlainMap(value);
  if (!isWalked || paths.some(({ length }) => length === 0)) {
    onRead();
    return value;
  }
  const below = (step: string | symbol): readonly Path[] =>
    paths.filter(([first]) => String(first) === step).map(([, ...rest]) => rest);
  const looked = (step: string | symbol): void => {
    if (below(step).some(({ length }) => length === 0)) onRead();
  };
  return new Proxy(value, {
    get: (target, step): unknown => watched(Reflect.get(target, step), below(step), onRead),
    has: (target, step) => {
      looked(step);
      return Reflect.has(target, step);
    },
    getOwnPropertyDescriptor: (target, step) => {
      looked(step);
      return Reflect.getOwnPropertyDescriptor(target, step);
    },
    ownKeys: (target) => {
      if (paths.some(({ length }) => length === 1)) onRead();
      return Reflect.ownKeys(target);
    },
  });
}

function isPlainMap(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
