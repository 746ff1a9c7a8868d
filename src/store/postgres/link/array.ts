// Owns the binary form of PostgreSQL's arrays as parameters: as text, a server spends more on reading
// bytes in hexadecimal digits than on finding the rows that they are of.

import type { Value } from '../../sql/table.ts';

export type ArrayType = 'text' | 'bigint' | 'bytea';

interface Element {
  /** The type's number in `pg_type`, which never changes. */
  readonly oid: number;
  /** Bytes of a value. */
  readonly length: (value: NonNullable<Value>) => number;
  readonly write: (into: Buffer, at: number, value: NonNullable<Value>) => void;
}

const two32 = 2 ** 32;

const elements: Readonly<Record<ArrayType, Element>> = {
  bytea: {
    oid: 17,
    length: (value) => (value as Uint8Array).length,
    write: (into, at, value) => into.set(value as Uint8Array, at),
  },
  bigint: {
    oid: 20,
    length: () => 8,
    write: (into, at, value) => {
      // 53 bits: a BigInt for each would cost more.
      const high = Math.floor((value as number) / two32);
      into.writeInt32BE(high, at);
      into.writeUInt32BE((value as number) - high * two32, at + 4);
    },
  },
  text: {
    oid: 25,
    length: (value) => Buffer.byteLength(value as string),
    write: (into, at, value) => void into.write(value as string, at),
  },
};

const headLength = 20;
const lengthOfNull = -1;

/** An array of one dimension, in the form that `array_recv` reads. */
export function binaryArray(type: ArrayType, values: readonly (Value | undefined)[]): Uint8Array {
  const { oid, length, write } = elements[type];
  const lengths = values.map((value) =>
    value === null || value === undefined ? lengthOfNull : length(value),
  );
  const size = lengths.reduce((sum, one) => sum + 4 + Math.max(0, one), headLength);
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(lengths.includes(lengthOfNull) ? 1 : 0, 4);
  array.writeInt32BE(oid, 8);
  array.writeInt32BE(values.length, 12);
  // The first element has number 1.
  array.writeInt32BE(1, 16);
  let at = headLength;
  for (const [index, value] of values.entries()) {
    const bytes = lengths[index] ?? 0;
    array.writeInt32BE(bytes, at);
    at += 4;
    if (bytes === lengthOfNull) continue;
    write(array, at, value ?? '');
    at += bytes;
  }
  return array;
}
