// Owns freezing plain records, which several callers share.

/** Freezes a record of plain objects, arrays and scalars, with all its parts; returns it. */
export function frozen<T>(record: T): T {
  if (typeof record !== 'object' || record === null) return record;
  for (const part of Object.values(record)) frozen(part);
  return Object.freeze(record);
}

/** A deep copy that cannot be changed. `structuredClone` costs ten times as much for a token's row. */
export function frozenCopy<T>(record: T): T {
  if (typeof record !== 'object' || record === null) return record;
  if (Array.isArray(record)) return Object.freeze(record.map(frozenCopy)) as T;
  // Spreading defines properties, whatever they are called: it calls no setter of `__proto__`.
  const copy = { ...record } as Record<string, unknown>;
  for (const name of Object.keys(copy)) {
    const part = copy[name];
    if (typeof part === 'object') copy[name] = frozenCopy(part);
  }
  return Object.freeze(copy) as T;
}
