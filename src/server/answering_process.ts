// Owns the part of a server that answers requests, in this process: from opening its store to closing it.

import type { Config } from '../config/config.ts';
import { dateText } from '../lib/duration.ts';
import { present } from '../lib/present.ts';
import type { Unavailable } from '../oauth/failure.ts';
import type { Store } from '../store/contract.ts';
import { storeAt } from '../store/open.ts';
import type { Answering, Former, Opened, Start, VersionName } from './answering.ts';
import { auditedStore } from './audit/audited_store.ts';
import { openServerAudit, type ServerAudit } from './audit/server_audit.ts';
import { streamMarkOf } from './audit/stream_mark.ts';
import { type CommandError, storeUnusable } from './exit.ts';
import { collectGarbage } from './lifecycle/garbage.ts';
import { healthInFull, maintained } from './lifecycle/health.ts';
import { listen, type ListeningProcess, type Site } from './lifecycle/listening.ts';
import { leaseNode, type ServerNode } from './lifecycle/node.ts';
import type { ServerLog } from './log_writer.ts';
import { serverFamilies } from './metrics/server.ts';
import { openStore } from './open_store.ts';
import { Serving } from './serving.ts';
import { candidatesOf, type Plan, planServing } from './serving_plan.ts';
import { settingsOf } from './settings.ts';
import { viewStatus } from './status.ts';
import { clockBeside, sharedTime, wallName } from './store_clock.ts';
import { answerWhy } from './why/route.ts';

/** Which of a server's processes this is: 1 for the first. */
export interface ProcessOptions {
  readonly worker?: number;
}

/**
 * Opens the store and takes the programmes into service; nothing listens yet. Where it rejects, nothing
 * is left open.
 */
export async function openAnswering(
  start: Start,
  log: ServerLog,
  options: ProcessOptions = {},
): Promise<Opened> {
  const { config } = start;
  const fatal = Promise.withResolvers<Unavailable>();
  const open = await openStore(config, { onFatal: fatal.resolve });
  let audit: ServerAudit | undefined;
  let node: ServerNode | undefined;
  const release = async (why: string): Promise<void> => {
    await node?.end();
    try {
      await audit?.note();
      await open.store.close();
    } finally {
      await audit?.end(why);
    }
  };
  try {
    const { store, keyring } = open;
    const { name } = storeAt(config.store);
    const clock = await clockBeside(open, name, start.acceptClock, log);
    const time = sharedTime({ store, clock }, log);
    // Before tokens are issued: commands use the recorded time.
    await time.keep();
    node = await leaseNode({ store, clock, log, config });
    const files = {
      configuration: start.configDigest,
      programmes: Object.fromEntries(start.looks.map((look) => [look.id, look.fileDigest])),
    };
    const mark = config.audit && (await streamMarkOf(store, config));
    audit = openServerAudit(config, keyring, log, { ...options, ...files }, mark);
    const changer = audit?.changer;
    const keyRecords = changer && auditedStore(store, () => changer);
    const foundation = present({
      store,
      audit: audit?.stream,
      keyRecords,
      clock,
      keyring,
      node: node.current,
      signsElsewhere: node.signsElsewhere,
      log,
      environment: config.environment,
      jwksNetworks: config.jwksNetworks,
    });
    const serving = new Serving(foundation, settingsOf(config, start.tls));
    await audit?.started();
    const plan = await serve(serving, start, store, node);
    collectGarbage();
    const opened = { ...open, ...present({ audit, keyRecords }), clock };
    const site = { ...opened, start, log, serving, plan, node, time, fatal: fatal.promise };
    return { answering: answer(site, release), outcomes: plan.outcomes };
  } catch (error) {
    await release(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** What another process served comes first: a file that has changed since may have faults. */
async function serve(
  serving: Serving,
  start: Start,
  store: Store,
  node: ServerNode,
): Promise<Plan> {
  const { config, looks, former } = start;
  if (former !== undefined) await serveFormer(serving, former, store, config);
  const candidates = await candidatesOf(looks, serving.served, config.publicUrl);
  const plan = await planServing(candidates, serving.served, store, { looks });
  // Before keys are opened: no other server may give up keys that this one signs by.
  node.tell(() => plan.mounted);
  await node.renew();
  await serving.take(plan);
  node.tell(() => serving.served);
  return plan;
}

async function serveFormer(
  serving: Serving,
  { served }: Former,
  store: Store,
  { publicUrl }: Config,
): Promise<void> {
  const looks = served.map(({ look }) => look);
  const candidates = await candidatesOf(looks, serving.served, publicUrl);
  const dated = new Map(
    served.flatMap(({ look, since }) => {
      const candidate = candidates.get(look.id);
      return candidate === undefined ? [] : [[look.id, { ...candidate, since }] as const];
    }),
  );
  await serving.take(await planServing(dated, serving.served, store, { looks }));
}

/** @param release gives up the node number, the store and the audit stream */
function answer(site: Site, release: (why: string) => Promise<void>): Answering {
  const { store, audit, fatal } = site;
  const lost = fatal.then(storeFailed);
  let listening: ListeningProcess | undefined;
  const process = (): ListeningProcess => {
    if (listening === undefined) throw new Error('the server begins');
    return listening;
  };
  return {
    lost,
    listen: async () => {
      listening = await listen(site);
      const { listeners, reloader, serving } = listening;
      const closed = await maintained(store, serving.served.keys());
      const { last: report } = reloader;
      return { urls: listeners.urls, closed, report, versions: versionsOf(serving) };
    },
    parts: async () => healthInFull(process()),
    metrics: async () => serverFamilies(process()),
    status: async () => viewStatus(process()),
    why: async (query) => answerWhy(process(), new URLSearchParams(query)),
    prepare: async (reading, options) => process().reloader.prepare(reading, options),
    take: async (tells) => {
      const { reloader, settings, serving } = process();
      const report = await reloader.take(tells);
      return { report, config: settings.config, versions: versionsOf(serving) };
    },
    settle: () => site.node.renew(),
    drop: async () => process().reloader.drop(),
    audit: async (event, facts) => audit?.stream.put(event, facts),
    acceptClock: () => followClock(site),
    stopping: async () => process().stopping(),
    lastAnswers: async () => process().listeners.lastAnswers(),
    close: async () => listening?.close(),
    end: async (why) => {
      await listening?.end();
      await release(why);
    },
  };
}

function versionsOf({ served }: Serving): readonly VersionName[] {
  return [...served].map(([programme, { look, since }]) => ({
    programme,
    digest: look?.digest ?? '',
    since,
  }));
}

async function followClock({ store, clock, log, time, audit }: Site): Promise<void> {
  try {
    audit?.stream.put('clock_accepted', { signal: 'SIGUSR2' });
    await time.accept();
    // After the store has accepted the time: until then, tokens issued later than it still count.
    log.error('clock_accepted', {
      detail: `the service goes by ${wallName(store)}, ${dateText(clock.now())}; what was issued later than that has ended`,
    });
  } catch (error) {
    log.error('clock_not_accepted', { detail: String(error) });
  }
}

/** FAULTS 5: only a new start can find out what is on the disk. */
function storeFailed({ message }: Unavailable): CommandError {
  return storeUnusable(
    `the server has ended, its store can no longer be used (${message}): look at the disk and the file (jetway store verify), then start again`,
  );
}
