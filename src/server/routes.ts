// Owns the requests of a running server's control socket.

import { type Health, type Parts, wholeOf } from '../http/admin.ts';
import type { Answering } from './answering.ts';
import type { Who } from './audit/by_whom.ts';
import type { ControlRoutes } from './control.ts';
import type { ListenerUrls } from './listeners.ts';
import type { Reloads } from './reload/reloads.ts';
import { type StatusView, viewReload } from './status.ts';

/** @param urls where the server listens */
export function controlRoutes(
  answering: Answering,
  reloads: Reloads,
  urls: ListenerUrls,
): ControlRoutes {
  return {
    'GET /health': async () => viewHealth(await answering.parts()),
    'GET /status': async (): Promise<StatusView> => {
      const { listeners, ...status } = await answering.status();
      return { ...status, listeners: { ...urls, ...listeners } };
    },
    'GET /why': (query) => answering.why(query.toString()),
    'POST /reload': async (query) => {
      const options = { prune: query.has('prune'), dryRun: query.has('dry_run') };
      const by = JSON.parse(query.get('by') ?? '{}') as Who;
      if (!options.dryRun) await answering.audit('reload_asked', { ...by });
      return viewReload(await reloads.reload(options));
    },
  };
}

/** As `/readyz?verbose` answers it. */
export interface HealthView extends Health {
  readonly parts: Parts;
}

function viewHealth(parts: Parts): HealthView {
  return { ...wholeOf(parts), parts };
}
