// Owns the operators' listener: whether the process lives and whether it should get requests.

import { servicePaths } from '../oauth/own_paths.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import { App } from './endpoints.ts';

/** What the server is able to do at this moment. */
export interface Health {
  readonly status: 'ready' | 'degraded' | 'unready';
  /** What is wrong, for people; empty when ready. */
  readonly reasons: readonly string[];
}

/** `/livez` and `/readyz`; never on the public listener. Degraded still takes requests. */
export function createAdminApp(health: () => Promise<Health> | Health): App {
  const app = new App((error) => json(500, { error: 'server_error', detail: error.message }));
  const methods = new Set(['GET', 'HEAD']);
  const refusal = json(405, { error: 'method_not_allowed' });
  const wrongMethod = (): Reply => refusal;
  app.endpoint(servicePaths.live, {
    methods,
    wrongMethod,
    answer: () => json(200, { status: 'alive' }),
  });
  app.endpoint(servicePaths.ready, {
    methods,
    wrongMethod,
    answer: async () => {
      const found = await health();
      return json(found.status === 'unready' ? 503 : 200, found);
    },
  });
  return app;
}

function json(status: number, body: object): Reply {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...noStore },
    body: JSON.stringify(body),
  };
}
