// Owns the list of what a process that answers requests is made of: health, status, metrics and the other
// answers about the process read it.

import type { Config } from '../../config/config.ts';
import type { Instant, SystemClock } from '../../lib/clock.ts';
import type { Store } from '../../store/contract.ts';
import type { StoreHealth } from '../../store/keeping.ts';
import type { ServerAudit } from '../audit/server_audit.ts';
import type { Upkeep } from '../housekeeping.ts';
import type { Listeners } from '../listeners.ts';
import type { Reloader } from '../reload/reloader.ts';
import type { RecentRefusals } from '../requests/recent_refusals.ts';
import type { Serving } from '../serving.ts';
import type { Settings } from '../settings.ts';
import type { ServerNode } from './node.ts';

export interface ProcessParts {
  /** Of the start. */
  readonly config: Config;
  readonly started: Instant;
  readonly store: Store;
  readonly clock: SystemClock;
  readonly node: ServerNode;
  /** Absent where there is no audit stream. */
  readonly audit?: ServerAudit;
  readonly serving: Serving;
  readonly settings: Settings;
  readonly listeners: Listeners;
  readonly reloader: Reloader;
  readonly upkeep: Upkeep;
  readonly refusals: RecentRefusals;
  /** As of the last second. */
  readonly condition: () => StoreHealth;
  /** Whether load balancers are to send requests elsewhere from now on. */
  readonly isLeaving: () => boolean;
}
