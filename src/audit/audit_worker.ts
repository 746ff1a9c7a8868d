// Owns the audit thread of a server: it appends lines to the audit file, so that no request waits for a
// disk. The executable carries it as an asset (scripts/build.ts).

import { parentPort, workerData } from 'node:worker_threads';

import type { Entry } from './chain.ts';
import { Trail, type TrailOptions } from './trail.ts';

/** Events to append, a line each; '' to have all of them on the disk. Every order is reported on. */
export type AuditOrder = string;
/** The newest line, or why the events could not be appended; of '' the newest line that is on the disk. */
export type AuditReport =
  | { readonly newest: Entry | undefined }
  | { readonly trouble: string }
  | { readonly synced: Entry | undefined };

/** Milliseconds within which appended lines are on the disk. */
const syncInterval = 1000;

const options = workerData as TrailOptions;
let { known } = options;
let trail: Trail | undefined;
let syncing: NodeJS.Timeout | undefined;

parentPort?.on('message', (order: AuditOrder) => {
  parentPort?.postMessage(obey(order), []);
});

function obey(order: AuditOrder): AuditReport {
  if (order === '') return { synced: sync() };
  try {
    trail ??= new Trail({ ...options, known });
    trail.append(order.split('\n'));
    syncing ??= setTimeout(sync, syncInterval);
    return { newest: trail.newest };
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the newest line once it is on the disk; undefined where it is not. */
function sync(): Entry | undefined {
  clearTimeout(syncing);
  syncing = undefined;
  try {
    trail?.sync();
    return trail?.newest;
  } catch {
    // The disk failed. The next append tells of it, if it is not over.
    known = trail?.newest;
    trail?.close();
    trail = undefined;
    return undefined;
  }
}
