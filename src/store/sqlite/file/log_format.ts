// Owns the header and the checksums of SQLite's write-ahead log (sqlite.org/walformat.html).

/** Two 32-bit numbers: a checksum, or the salts that mark one run of the log. */
export type Pair = readonly [number, number];

export interface LogHeader {
  readonly pageSize: number;
  readonly salts: Pair;
  /** Of the header itself; the first frame's sum goes on from it. */
  readonly sum: Pair;
  /** Order of bytes in the words that are summed. */
  readonly bigEndian: boolean;
}

/** The header in the log's first 32 bytes; undefined when they are none, or damaged. */
export function readHeader(bytes: Buffer): LogHeader | undefined {
  if (bytes.readUInt32BE(0) >>> 1 !== 0x377f_0682 >>> 1) return undefined;
  const header = {
    bigEndian: (bytes.readUInt32BE(0) & 1) === 1,
    pageSize: bytes.readUInt32BE(8),
    salts: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
    sum: [bytes.readUInt32BE(24), bytes.readUInt32BE(28)],
  } as const;
  const [a, b] = advance([0, 0], bytes.subarray(0, 24), header);
  const isPageSize = header.pageSize >= 512 && header.pageSize <= 65_536;
  return isPageSize && a === header.sum[0] && b === header.sum[1] ? header : undefined;
}

/** Whether a frame or index with such salts belongs to this run of the log. */
export function startsLog(salts: Pair, header: LogHeader): boolean {
  return salts[0] === header.salts[0] && salts[1] === header.salts[1];
}

/** The checksum `sum` carried on over `bytes`, whose length is a multiple of 8. */
export function advance(sum: Pair, bytes: Buffer, order: Pick<LogHeader, 'bigEndian'>): Pair {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = !order.bigEndian;
  let [a, b] = sum;
  for (let at = 0; at < bytes.byteLength; at += 8) {
    a = (a + view.getUint32(at, little) + b) >>> 0;
    b = (b + view.getUint32(at + 4, little) + a) >>> 0;
  }
  return [a, b];
}
