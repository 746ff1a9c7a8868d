// Owns how a running server reads a programme's keys from its store and changes them, those of each kind
// alike.

import type { ProgrammeId } from '../oauth/client.ts';
import { Unavailable } from '../oauth/failure.ts';
import type { KeyRecord } from '../oauth/signing_key.ts';
import type { KeyKind } from './key_rules.ts';

/** The verbs of a store for keys of a kind. */
export interface KeyRecords<Kind extends KeyKind, Key extends KeyRecord> {
  list(kind: Kind, programme: ProgrammeId): Promise<readonly Key[]>;
  changeAll(
    kind: Kind,
    selection: { readonly programme: ProgrammeId },
    change: (keys: readonly Key[]) => readonly Key[],
  ): Promise<readonly Key[]>;
}

/** Applies a change to the stored keys unless it changes nothing of what was read; returns all keys. */
export function changed<Kind extends KeyKind, Key extends KeyRecord>(
  records: KeyRecords<Kind, Key>,
  kind: Kind,
  programme: ProgrammeId,
  read: readonly Key[],
  change: (keys: readonly Key[]) => readonly Key[],
): readonly Key[] | Promise<readonly Key[]> {
  const isSame = change(read).every((key) => read.includes(key));
  return isSame ? read : records.changeAll(kind, { programme }, change);
}

export interface LastRead<Read> {
  /** @throws Unavailable while the keys could not be read since the start */
  readonly get: () => Read;
  /** Reads again; where that rejects, what was read before stays. */
  readonly again: () => Promise<void>;
}

/**
 * Reads for the first time. Where the store cannot tell, that does not reject: a server starts, and
 * answers for this programme that it is unavailable, until the damaged key is removed or the outage is
 * over (FAULTS 36).
 * @param read maps what was read before to what is stored now
 */
export async function lastRead<Read extends object>(
  read: (former: Read | undefined) => Promise<Read>,
): Promise<LastRead<Read>> {
  let value: Read | undefined;
  let trouble: Unavailable | undefined;
  const again = async (): Promise<void> => {
    value = await read(value);
  };
  try {
    await again();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    trouble = error;
  }
  return {
    get: () => {
      if (value === undefined) throw trouble ?? new Error('nothing was read');
      return value;
    },
    again,
  };
}
