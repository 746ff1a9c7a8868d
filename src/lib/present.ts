// Owns leaving out of objects and lists what has no value.

/** The type of an object whose undefined properties were left out (`exactOptionalPropertyTypes`). */
export type Present<Held> = {
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

/** One of a list, several of them, or nothing. */
export type Parts<One> = One | false | undefined | readonly Parts<One>[];

/** The list itself: without what is false or undefined, and with inner lists laid flat. */
export function listed<One extends string | object>(parts: Parts<One>): readonly One[] {
  if (Array.isArray(parts)) return (parts as readonly Parts<One>[]).flatMap(listed<One>);
  return parts === undefined || parts === false ? [] : [parts as One];
}
