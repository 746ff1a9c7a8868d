// Owns what is looked up of each programme for the metrics of a running server.

import type { Instant } from '../../lib/clock.ts';
import { pause } from '../../lib/pause.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { wholeProgramme } from '../../oauth/maintenance.ts';
import { lineAt } from '../../token/key_line.ts';
import type { HealthSources } from '../health.ts';
import { keyLines } from '../keys/lines.ts';
import type { Served } from '../programmes/serving.ts';

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
  readonly keys: readonly { readonly kind: string; readonly since: Instant }[];
}

/** Requests are answered between the programmes. */
export async function programmeFigures(parts: HealthSources): Promise<readonly ProgrammeFigures[]> {
  const { serving, reloader } = parts;
  const stale = new Set<string>();
  for (const { programme, outcome } of reloader.last.programmes) {
    if (outcome === 'refused' || outcome === 'kept') stale.add(programme);
  }
  const all: ProgrammeFigures[] = [];
  for (const [programme, served] of serving.served) {
    const { directory } = served.site.service;
    all.push({
      programme,
      isServed: true,
      isUpToDate: !stale.delete(programme),
      isDirectoryLeftAlone: directory.isCircuitOpen?.(),
      // An outage is told by the health of the store.
      stored: await storedFigures(parts, served).catch(() => undefined),
    });
    await pause();
  }
  const unserved = { isServed: false, isUpToDate: false };
  return [...all, ...[...stale].map((id) => ({ programme: id as ProgrammeId, ...unserved }))];
}

async function storedFigures(
  { store, clock }: HealthSources,
  { programme }: Served,
): Promise<StoredFigures> {
  const { id } = programme;
  const keys = keyLines(programme).map(async ({ rules }) => {
    const { signer } = lineAt(await store.list(rules.kind, id), rules, clock.now());
    const since = signer?.signsFrom;
    return since === undefined ? [] : [{ kind: rules.kind, since }];
  });
  return {
    isInMaintenance: (await store.find('maintenance', id, wholeProgramme)) !== undefined,
    locked: await store.countLocked(id, clock.now()),
    keys: (await Promise.all(keys)).flat(),
  };
}
