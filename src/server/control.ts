// Owns the control socket of a running server: a unix socket for its owner alone, on which commands ask
// it by HTTP and get JSON.

import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';

import { type Health, type Parts, wholeOf } from '../http/admin.ts';
import { splitTarget } from '../http/read_request.ts';
import { listenAtPath } from '../lib/unix_socket.ts';
import { DamagedItem } from '../store/unusable.ts';
import { readWho } from './audit/by_whom.ts';
import { damageText } from './damage.ts';
import type { ListenerUrls } from './listeners.ts';
import type { ServerLog } from './log_writer.ts';
import type { Asked } from './server.ts';
import { type StatusView, viewReload } from './status.ts';

/** By method and path, such as `GET /status`; resolves to what is sent as JSON. */
export type ControlRoutes = Readonly<Record<string, (query: URLSearchParams) => Promise<unknown>>>;

export interface Control {
  readonly close: () => Promise<void>;
}

function wordsOf(error: unknown): string {
  if (error instanceof DamagedItem) return damageText(error);
  return error instanceof Error ? error.message : String(error);
}

/** Milliseconds between signs that a reload is under way, which may take as long as it takes. */
const signInterval = 1000;

/** Milliseconds between attempts to take over the socket of another server of the configuration. */
const patience = 1000;

/**
 * Answers on the socket. While another server has it, waits for that one's end: during an upgrade two
 * servers run. A server without the socket serves, but cannot be asked.
 */
export async function openControl(
  path: string,
  routes: ControlRoutes,
  log: ServerLog,
): Promise<Control> {
  const server = createServer((incoming, outgoing) => {
    // Never throws, as URL does.
    const { path: name, query } = splitTarget(incoming.url ?? '');
    const begun = performance.now();
    // Commands wait some seconds for a sign. The only one of a question is its answer.
    const signs =
      incoming.method === 'POST'
        ? setInterval(() => outgoing.writeProcessing(), signInterval)
        : undefined;
    outgoing.once('close', () => clearInterval(signs));
    const send = (status: number, body: unknown): void => {
      clearInterval(signs);
      outgoing.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' });
      outgoing.end(`${JSON.stringify(body)}\n`);
    };
    incoming.resume();
    const route = routes[`${incoming.method} ${name}`];
    if (route === undefined) return send(404, { error: 'there is no such request' });
    const asked = new URLSearchParams(query);
    // Of the options their names alone: values are identifiers. The audit stream tells who asked.
    const options = [...asked.keys()].filter((option) => option !== 'by');
    const command = [name.slice(1), ...options].join(' ');
    const end = (status: number, body: unknown): void => {
      const duration = Math.round((performance.now() - begun) * 100) / 100;
      log.info('command', { command, status, duration_ms: duration });
      send(status, body);
    };
    route(asked).then(
      (body) => end(200, body),
      (error: unknown) => end(500, { error: wordsOf(error) }),
    );
  });
  let told: string | undefined;
  const claim = async (): Promise<void> => {
    const reason = await claimSocket(server, path);
    if (reason !== undefined && reason !== told)
      log.error('no_control_socket', { path, detail: reason });
    told = reason;
  };
  await claim();
  const timer = setInterval(() => {
    if (!server.listening) void claim();
    // Something cleaned up, or the end of a server that had it before, which removes it. The next round
    // claims it.
    else if (!existsSync(path)) server.close();
  }, patience);
  timer.unref();
  return {
    close: () =>
      new Promise((resolve) => {
        clearInterval(timer);
        // Removes the socket, too.
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Listens; resolves to why not where it cannot. */
async function claimSocket(server: Server, path: string): Promise<string | undefined> {
  try {
    await listenAtPath(server, path, 0o600);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The requests of a server's socket. @param urls where it listens */
export function controlRoutes(server: Asked, urls: ListenerUrls): ControlRoutes {
  return {
    'GET /health': async () => viewHealth(await server.health()),
    'GET /status': async (): Promise<StatusView> => {
      const { listeners, ...status } = await server.status();
      return { ...status, listeners: { ...urls, ...listeners } };
    },
    'GET /why': (query) => server.why(query.toString()),
    'POST /reload': async (query) => {
      const options = { prune: query.has('prune'), dryRun: query.has('dry_run') };
      const by = readWho(query.get('by') ?? '{}');
      return viewReload(await server.reload(options, options.dryRun ? undefined : by));
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
