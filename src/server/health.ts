// Owns the health of a running server, part by part.

import { type Health, type Parts, readyPart } from '../http/admin.ts';
import type { SystemClock, Instant } from '../lib/clock.ts';
import { dateText } from '../lib/duration.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { type Maintenance, wholeProgramme } from '../oauth/maintenance.ts';
import type { Store } from '../store/contract.ts';
import type { StoreHealth } from '../store/keeping.ts';
import type { ServerAudit } from './audit/server_audit.ts';
import type { ServerNode } from './node.ts';
import type { Programmes } from './programmes/programmes.ts';
import type { Reloader } from './reload/reloader.ts';
import type { Settings } from './settings.ts';
import { bornExpired, clockTroubles } from './store_clock.ts';

/** What of a server its health depends on. */
export interface HealthSources {
  readonly store: Store;
  readonly clock: SystemClock;
  readonly node: ServerNode;
  readonly audit: ServerAudit | undefined;
  readonly programmes: Programmes;
  readonly settings: Settings;
  readonly reloader: Reloader;
  /** As of the last second. */
  readonly condition: StoreHealth;
  /** Why keys were not read or renewed in the last second. */
  readonly keyTroubles: readonly string[];
  /** Whether load balancers are to send requests elsewhere from now on. */
  readonly isLeaving: boolean;
}

export function healthOf(sources: HealthSources): Parts {
  const { settings, reloader, condition: stored, isLeaving } = sources;
  const { trouble: untold } = sources.audit?.stream ?? {};
  const troubles = reloader.troubles();
  return {
    server: isLeaving ? { status: 'unready', reasons: ['stopping'] } : readyPart,
    store: stored.status === 'ready' ? readyPart : { status: 'unready', reasons: [stored.detail] },
    programmes: degradedBy(troubles.programmes),
    reload: degradedBy(troubles.files),
    certificates: degradedBy(endedCertificates(settings, Date.now())),
    keys: degradedBy(sources.keyTroubles),
    audit: degradedBy(
      untold === undefined ? [] : [`the audit stream cannot be written: ${untold}`],
    ),
    nodes: degradedBy(sources.node.differences()),
    clock: clockPart(sources),
  };
}

/** The same with what only people want to know. */
export async function healthInFull(sources: HealthSources): Promise<Parts> {
  return { ...healthOf(sources), maintenance: await maintenancePart(sources) };
}

function degradedBy(reasons: readonly string[]): Health {
  return reasons.length === 0 ? readyPart : { status: 'degraded', reasons };
}

function clockPart(sources: HealthSources): Health {
  const served = [...sources.programmes.served.values()];
  const dead = bornExpired(
    sources,
    served.map(({ programme }) => programme),
  );
  const reasons = [...clockTroubles(sources), ...dead];
  return dead.length === 0 ? degradedBy(reasons) : { status: 'unready', reasons };
}

function endedCertificates(settings: Settings, now: number): readonly string[] {
  return settings
    .certificates()
    .filter(({ end }) => end <= now)
    .map(({ use, end }) => `the certificate of ${use} ended at ${dateText(end as Instant)}`);
}

/** Operators want it: no reason against the server. */
async function maintenancePart({ store, programmes }: HealthSources): Promise<Health> {
  try {
    const found = await maintained(store, programmes.served.keys());
    const reasons = found.map(
      ({ programme, createdAt }) => `${programme} is in maintenance since ${dateText(createdAt)}`,
    );
    return { status: 'ready', reasons };
  } catch (error) {
    return { status: 'degraded', reasons: [String(error)] };
  }
}

/** Those of the programmes that are in maintenance. */
export async function maintained(
  store: Store,
  programmes: Iterable<ProgrammeId>,
): Promise<readonly Maintenance[]> {
  const found = await Promise.all(
    [...programmes].map(async (id) => store.find('maintenance', id, wholeProgramme)),
  );
  return found.filter((one) => one !== undefined);
}
