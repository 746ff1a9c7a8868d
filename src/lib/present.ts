// Owns leaving properties out of an object where they have no value.

/** The type of an object whose undefined properties were left out (`exactOptionalPropertyTypes`). */
type Present<Held> = {
  [Name in keyof Held as undefined extends Held[Name] ? never : Name]: Held[Name];
} & {
  [Name in keyof Held as undefined extends Held[Name] ? Name : never]?: Exclude<
    Held[Name],
    undefined
  >;
};

/** The same properties in the same order, without those that are undefined. */
export function present<const Held extends object>(properties: Held): Present<Held> {
  return Object.fromEntries(
    Object.entries(properties).filter(([, value]) => value !== undefined),
  ) as Present<Held>;
}
