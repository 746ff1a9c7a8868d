// Owns noticing changed files of programmes and certificates while a server runs.

import type { Reloads } from './reloads.ts';
import type { ReloadOptions } from './report.ts';

/** Milliseconds between looks. Files have to stand still for one of them: one may be half written. */
const interval = 500;

/**
 * Calls `reload`, which does not reject, after changes, while the configuration says so and until the
 * returned function is called.
 */
export function watchFiles(
  reloads: Reloads,
  reload: (options: ReloadOptions) => Promise<void>,
): () => void {
  let seen: string | undefined;
  let isReloading = false;
  const timer = setInterval(() => {
    if (isReloading || !reloads.config.watchProgrammes) return;
    const before = seen;
    seen = reloads.change();
    if (seen === undefined || seen !== before) return;
    isReloading = true;
    void reload({ filesAlone: true }).finally(() => {
      isReloading = false;
    });
  }, interval);
  return () => clearInterval(timer);
}
