// Owns the figures of each programme, for the status and the metrics of a running server.

import { pause } from '../lib/pause.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { wholeProgramme } from '../oauth/maintenance.ts';
import type { HealthSources } from './health.ts';
import { keyLines, type ListedKey, listedKeys } from './keys/lines.ts';
import type { Served } from './programmes/programmes.ts';

export interface ProgrammeFigures {
  readonly programme: ProgrammeId;
  readonly isServed: boolean;
  readonly isUpToDate: boolean;
  /** Undefined where its directory cannot be left alone. */
  readonly isDirectoryLeftAlone?: boolean | undefined;
  /** Absent where the store cannot tell, and for a programme that is not served. */
  readonly stored?: StoredFigures | undefined;
}

interface StoredFigures {
  readonly isInMaintenance: boolean;
  readonly locked: number;
  readonly keys: readonly ListedKey[];
}

/** Requests are answered between the programmes. */
export async function programmeFigures(parts: HealthSources): Promise<readonly ProgrammeFigures[]> {
  const { programmes, reloader } = parts;
  const stale = new Set<string>();
  for (const { programme, outcome } of reloader.last.programmes) {
    if (outcome === 'refused' || outcome === 'kept') stale.add(programme);
  }
  const all: ProgrammeFigures[] = [];
  for (const [programme, served] of programmes.served) {
    const { directory } = served.site.service;
    all.push({
      programme,
      isServed: true,
      isUpToDate: !stale.delete(programme),
      isDirectoryLeftAlone: directory.isCircuitOpen?.(),
      // An outage is told by the health of the store.
      stored: await figuresOf(parts, served).catch(() => undefined),
    });
    await pause();
  }
  const unserved = { isServed: false, isUpToDate: false };
  return [...all, ...[...stale].map((id) => ({ programme: id as ProgrammeId, ...unserved }))];
}

/** What the store knows of a served programme. @throws Unavailable where it cannot be asked */
export async function figuresOf(
  { store, clock }: Pick<HealthSources, 'store' | 'clock'>,
  { programme }: Pick<Served, 'programme'>,
): Promise<StoredFigures> {
  const now = clock.now();
  const [closed, locked, keys] = await Promise.all([
    store.find('maintenance', programme.id, wholeProgramme),
    store.countLocked(programme.id, now),
    listedKeys(store, keyLines(programme), now),
  ]);
  return { isInMaintenance: closed !== undefined, locked, keys };
}
