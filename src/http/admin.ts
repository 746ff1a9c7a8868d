// Owns the operators' paths: whether the process lives, whether it should get requests and why not,
// and its metrics.

import { type ExpositionForm, expositionTypes } from '../lib/metrics/exposition.ts';
import { servicePaths } from '../oauth/own_paths.ts';
import { jsonReply, type Reply } from '../oauth/reply.ts';
import { headerValues, type RequestHead } from '../oauth/wire_request.ts';
import { App } from './endpoints.ts';

/** Whether the server, or a part of it, can do its work at this moment. */
export interface Health {
  /** Degraded still takes requests. */
  readonly status: 'ready' | 'degraded' | 'unready';
  /** What is wrong, for people; of a part that is ready, what is to be known of it. */
  readonly reasons: readonly string[];
}

/** By name. */
export type Parts = Readonly<Record<string, Health>>;

export const readyPart: Health = Object.freeze({ status: 'ready', reasons: [] });

/** As bad as the worst part, with the reasons of all that are not ready. */
export function wholeOf(parts: Parts): Health {
  const ill = Object.values(parts).filter(({ status }) => status !== 'ready');
  const isUnready = ill.some(({ status }) => status === 'unready');
  const bad = isUnready ? 'unready' : 'degraded';
  return {
    status: ill.length === 0 ? 'ready' : bad,
    // Several parts may suffer for one reason.
    reasons: [...new Set(ill.flatMap(({ reasons }) => reasons))],
  };
}

export interface AdminSources {
  readonly parts: () => Promise<Parts> | Parts;
  readonly metrics: (form: ExpositionForm) => Promise<string>;
}

/** An app of the operators' paths alone. */
export function createAdminApp(sources: AdminSources): App {
  const missing = jsonReply(404, { error: 'not_found' });
  const app = new App(
    ({ message }) => jsonReply(500, { error: 'server_error', detail: message }),
    () => missing,
  );
  mountAdmin(app, sources);
  return app;
}

/** Never on a listener that others than operators can reach. */
export function mountAdmin(app: App, { parts, metrics }: AdminSources): void {
  const methods = new Set(['GET', 'HEAD']);
  const refusal = jsonReply(405, { error: 'method_not_allowed' });
  const add = (path: string, answer: (head: RequestHead) => Promise<Reply> | Reply): void =>
    app.endpoint(path, { methods, wrongMethod: () => refusal, answer });
  add(servicePaths.live, () => jsonReply(200, { status: 'alive' }));
  add(servicePaths.ready, async ({ query }) => {
    const found = await parts();
    const whole = wholeOf(found);
    const isVerbose = new URLSearchParams(query).has('verbose');
    return jsonReply(
      whole.status === 'unready' ? 503 : 200,
      isVerbose ? { ...whole, parts: found } : whole,
    );
  });
  add(servicePaths.metrics, async (head) => {
    const accepted = headerValues(head, 'accept').join();
    const form = accepted.includes('application/openmetrics-text') ? 'openmetrics' : 'text';
    const headers = { 'Content-Type': expositionTypes[form], 'Cache-Control': 'no-store' };
    return { status: 200, headers, body: await metrics(form) };
  });
}
