// Owns the operators' listener: whether the process lives and whether it should get requests.

import { servicePaths } from '../oauth/own_paths.ts';
import { jsonReply, type Reply } from '../oauth/reply.ts';
import { App } from './endpoints.ts';

/** Whether the server can answer requests at this moment. */
export interface Health {
  readonly status: 'ready' | 'degraded' | 'unready';
  /** What is wrong, for people; empty when ready. */
  readonly reasons: readonly string[];
}

/** `/livez` and `/readyz`; never on the public listener. Degraded still takes requests. */
export function createAdminApp(health: () => Promise<Health> | Health): App {
  const missing = jsonReply(404, { error: 'not_found' });
  const app = new App(
    ({ message }) => jsonReply(500, { error: 'server_error', detail: message }),
    () => missing,
  );
  const methods = new Set(['GET', 'HEAD']);
  const refusal = jsonReply(405, { error: 'method_not_allowed' });
  const add = (path: string, answer: () => Promise<Reply> | Reply): void =>
    app.endpoint(path, { methods, wrongMethod: () => refusal, answer });
  add(servicePaths.live, () => jsonReply(200, { status: 'alive' }));
  add(servicePaths.ready, async () => {
    const found = await health();
    return jsonReply(found.status === 'unready' ? 503 : 200, found);
  });
  return app;
}
