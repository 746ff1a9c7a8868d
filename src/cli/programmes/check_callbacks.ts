// Owns what `check` tells of the callbacks in the store: those whose query has a name by which their
// programme answers (HOSTILE 86). The store is looked at and stays as it is.

import type { Config } from '../../config/config.ts';
import type { ProgrammeFile } from '../../config/programme_files.ts';
import { positionAt } from '../../lib/document.ts';
import { type Fault, warningAt } from '../../lib/fault.ts';
import { compileLoaded } from '../../rules/load.ts';
import { siteOf } from '../../server/open_store.ts';
import { StoreUnusable } from '../../store/unusable.ts';
import { collisionWarnings } from '../entities/callback_names.ts';

/**
 * Warnings at the key `store`. A store across a network is not asked, since a check needs none: `client
 * list` tells the same.
 */
export function callbackFaults(config: Config, files: readonly ProgrammeFile[]): readonly Fault[] {
  const site = siteOf(config);
  if (site.look === undefined || !site.exists()) return [];
  const warning = (name: string, message: string, hint: string): Fault =>
    warningAt(name, positionAt(config.document, ['store']), ['store'], message, hint);
  try {
    const programmes = new Map(
      files.flatMap(({ loaded }) =>
        loaded === undefined ? [] : [[loaded.id, compileLoaded(loaded, config.publicUrl)] as const],
      ),
    );
    return site.look('client').flatMap((client) => {
      const programme = programmes.get(client.programme);
      if (programme === undefined) return [];
      return collisionWarnings(programme, client).map((words) =>
        warning('colliding_callback', `${client.id}: ${words}`, 'register another callback'),
      );
    });
  } catch (error) {
    if (!(error instanceof StoreUnusable)) throw error;
    const message = `the callbacks in the store are not looked at: ${error.message}`;
    return [warning('store_not_looked_at', message, error.hint)];
  }
}
