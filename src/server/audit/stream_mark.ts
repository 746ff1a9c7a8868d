// Owns the mark that a store has of an audit stream: its newest line when that was last noted. A stream that
// was removed, or cut while nobody wrote to it, shows by it.

import { hostname } from 'node:os';

import type { Entry, Mark } from '../../audit/chain.ts';
import type { Config } from '../../config/config.ts';
import { instant } from '../../lib/clock.ts';
import { digest } from '../../lib/digest.ts';
import { Unavailable } from '../../oauth/failure.ts';
import { type AuditMark, ofNoProgramme } from '../../store/audit_mark.ts';
import type { Store } from '../../store/contract.ts';
import { DamagedItem } from '../../store/unusable.ts';

export interface StreamMark {
  /** Undefined where the store knows of no line. */
  readonly known: Entry | undefined;
  /** Notes a line, if it is newer. Never rejects because of the store: the next one is noted then. */
  readonly note: (newest: Entry | undefined) => Promise<void>;
}

/** @throws Unavailable where the store cannot be asked */
export async function streamMarkOf(store: Store, config: Config): Promise<StreamMark> {
  const stream = streamName(config);
  const finding = Promise.resolve(store.find('audit_stream', ofNoProgramme, stream));
  const found = await finding.catch(orNoneIfDamaged);
  let last = found?.seq ?? 0;
  return {
    known: found && { seq: found.seq, mark: found.mac as Mark },
    note: async (newest) => {
      if (newest === undefined || newest.seq <= last) return;
      const { seq, mark: mac } = newest;
      const createdAt = instant(Date.now());
      try {
        await put(store, { programme: ofNoProgramme, stream, createdAt, seq, mac });
        last = seq;
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
      }
    },
  };
}

async function put(store: Store, mark: AuditMark): Promise<void> {
  const { stream } = mark;
  const newer = (one: AuditMark): AuditMark => (one.seq > mark.seq ? one : mark);
  const change = store.change('audit_stream', ofNoProgramme, stream, newer);
  const changed = await change.catch(async (error: unknown) => {
    orNoneIfDamaged(error);
    await store.remove('audit_stream', ofNoProgramme, stream, mark.createdAt);
  });
  if (changed === undefined) await store.add('audit_stream', [mark]);
}

/** A damaged mark tells nothing: the next one takes its place. */
function orNoneIfDamaged(error: unknown): undefined {
  if (!(error instanceof DamagedItem)) throw error;
  return undefined;
}

/** Machines that share a store may have streams of one path. */
function streamName({ audit, store }: Config): string {
  const machine = store.kind === 'file' ? '' : hostname();
  return digest(`${machine} ${audit?.file ?? ''}`);
}
