// Owns what a store knows of its backups: when the newest was made, wherever it lies. A note stands in the
// store, since that is all that the machines of a PostgreSQL store share. A restored store has no backup yet.

import { after, allowedDrift, type Instant, milliseconds } from '../lib/clock.ts';
import { digest } from '../lib/digest.ts';
import { ofNoProgramme } from './audit_mark.ts';
import type { TextVerbs } from './grants.ts';

const newest = digest('newest');
/** A kept text has an end: a hundred years. */
const kept = milliseconds(100 * 365 * 86_400_000);

/** @param now when the backup, which is whole, was made. @throws Unavailable */
export async function noteBackup(store: TextVerbs, now: Instant): Promise<void> {
  const name = { programme: ofNoProgramme, use: 'backup', key: newest } as const;
  await store.keepText({ ...name, text: String(now), until: after(now, kept) }, now);
}

/** Undefined where none was made; one of a clock that was ahead counts for none. @throws Unavailable */
export async function newestBackup(store: TextVerbs, now: Instant): Promise<Instant | undefined> {
  const found = await store.findKept(ofNoProgramme, 'backup', newest, now);
  const at = Number(found?.text) as Instant;
  return at <= after(now, allowedDrift) ? at : undefined;
}
