// Owns a server: one object from its opened store to its end. What it is made of stands in files of its own;
// here is the order in which that begins and ends.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Facts } from '../audit/event.ts';
import type { Config } from '../config/config.ts';
import type { TlsReading } from '../config/tls.ts';
import type { Parts } from '../http/admin.ts';
import { usualTimeLimits } from '../http/server.ts';
import type { Instant, SystemClock } from '../lib/clock.ts';
import { dateText } from '../lib/duration.ts';
import type { Family } from '../lib/metrics/families.ts';
import { present } from '../lib/present.ts';
import { endHashing } from '../members/password.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { Unavailable } from '../oauth/failure.ts';
import type { Store } from '../store/contract.ts';
import type { StoreHealth } from '../store/keeping.ts';
import { storeAt } from '../store/open.ts';
import type { Keyring } from '../token/keyring.ts';
import { auditedStore } from './audit/audited_store.ts';
import { openServerAudit, type ServerAudit } from './audit/server_audit.ts';
import { streamMarkOf } from './audit/stream_mark.ts';
import { type CommandError, misconfigured, storeUnusable } from './exit.ts';
import { collectWhenIdle } from './garbage.ts';
import { healthInFull, maintained } from './health.ts';
import { startHousekeeping, type Upkeep } from './housekeeping.ts';
import { type HandedSockets, Listeners, type ListenerUrls } from './listeners.ts';
import type { ServerLog } from './log_writer.ts';
import { watchProcess } from './metrics/process.ts';
import { serverFamilies } from './metrics/server.ts';
import { leaseNode, type ServerNode } from './node.ts';
import { Observing } from './observing.ts';
import { openStore } from './open_store.ts';
import { ProgrammeFolder } from './programmes/folder.ts';
import { LastGood, lastGoodFolder } from './programmes/last_good.ts';
import type { ProgrammeOutcome } from './programmes/plan.ts';
import { Programmes } from './programmes/programmes.ts';
import { ServerFiles } from './reload/reading.ts';
import { Reloader } from './reload/reloader.ts';
import type { ReloadOptions, ReloadReport } from './reload/report.ts';
import { requestMetrics } from './requests/metrics.ts';
import { RecentRefusals } from './requests/recent_refusals.ts';
import { Settings, settingsOf } from './settings.ts';
import { type OnAway, onceReached } from './start_wait.ts';
import { type StatusView, viewStatus } from './status.ts';
import { clockBeside, sharedTime, type SharedTime, wallName } from './store_clock.ts';
import { Tracing } from './tracing/tracing.ts';
import { answerWhy, type WhyAnswer } from './why/route.ts';

/** What a server begins with. */
export interface Start {
  /** Of the configuration. */
  readonly path: string;
  readonly config: Config;
  /** SHA-256 of the configuration's file, in hex. */
  readonly digest: string;
  readonly tls: TlsReading;
  readonly acceptClock: boolean;
  readonly handed: HandedSockets;
  /** Of several processes of a server: which this is, 1 for the first. */
  readonly worker?: number;
}

/** What a server has begun with. */
export interface Listening {
  readonly urls: ListenerUrls;
  /** Programmes in maintenance, and since when. */
  readonly closed: readonly { readonly programme: ProgrammeId; readonly createdAt: Instant }[];
  readonly report: ReloadReport;
}

/** What is asked of a server, whether this process answers its requests or several workers do. */
export type Asked = Pick<
  Server,
  | 'outcomes'
  | 'lost'
  | 'start'
  | 'reload'
  | 'health'
  | 'metrics'
  | 'status'
  | 'why'
  | 'acceptClock'
  | 'leave'
  | 'stop'
>;

/** What is open before programmes are served. */
interface Opened {
  readonly start: Start;
  readonly log: ServerLog;
  readonly store: Store;
  readonly keyring: Keyring;
  readonly clock: SystemClock;
  readonly time: SharedTime;
  readonly node: ServerNode;
  readonly audit: ServerAudit | undefined;
  readonly lastGood: LastGood;
  readonly folder: ProgrammeFolder;
  /** Resolves when the store can no longer be used. */
  readonly fatal: Promise<Unavailable>;
  /** Gives up the node number, the store and the audit stream. */
  readonly release: (why: string) => Promise<void>;
}

export class Server {
  /** Of the start. */
  readonly config: Config;
  readonly log: ServerLog;
  readonly store: Store;
  readonly clock: SystemClock;
  readonly node: ServerNode;
  readonly audit: ServerAudit | undefined;
  readonly programmes: Programmes;
  readonly listeners: Listeners;
  readonly settings: Settings;
  readonly reloader: Reloader;
  readonly refusals: RecentRefusals;
  readonly started: Instant;
  /** Resolves when no request can be answered any more, to the error that the server ends with. */
  readonly lost: Promise<CommandError>;
  readonly #opened: Opened;
  readonly #observing: Observing;
  readonly #tracing: Tracing;
  /** The store for changes of keys. */
  readonly #keyRecords: Store | undefined;
  #condition: StoreHealth = { status: 'ready' };
  #upkeep: Upkeep | undefined;
  #isStopping = false;

  private constructor(opened: Opened) {
    const { start, log, store, clock, node, audit, folder } = opened;
    const { config, tls, handed } = start;
    this.#opened = opened;
    this.config = config;
    this.log = log;
    this.store = store;
    this.clock = clock;
    this.node = node;
    this.audit = audit;
    this.#keyRecords = audit && auditedStore(store, () => audit.changer);
    this.started = clock.now();
    this.refusals = new RecentRefusals(() => clock.now());
    this.#observing = new Observing(requestMetrics, this.refusals, log.observer);
    this.#tracing = new Tracing(this.#observing, log);
    this.listeners = new Listeners(handed, this.#observing);
    const foundation = present({
      store,
      audit: audit?.stream,
      keyRecords: this.#keyRecords,
      clock,
      keyring: opened.keyring,
      node: node.current,
      signsElsewhere: node.signsElsewhere,
      log,
      environment: config.environment,
      jwksNetworks: config.jwksNetworks,
    });
    this.programmes = new Programmes(foundation, settingsOf(config, tls));
    this.settings = new Settings(config, tls, this.programmes, this.listeners, {
      log: async (found) => expectLog(log.follow(found.log)),
      tracing: (found) => this.#tracing.follow(found),
    });
    const { programmes, settings, listeners } = this;
    const files = new ServerFiles(start.path, folder, config);
    this.reloader = new Reloader({ ...opened, ...start, programmes, settings, listeners, files });
    this.lost = opened.fatal.then((error) => {
      this.#condition = { status: 'unusable', detail: error.message };
      return storeFailed(error);
    });
  }

  /**
   * Opens the store and takes the programmes into service; nothing listens yet. Waits for a store across a
   * network that is not reached. Where it rejects, nothing is left open.
   */
  static open(start: Start, log: ServerLog, onAway: OnAway): Promise<Server> {
    const open = (): Promise<Server> => Server.#open(start, log);
    return start.config.store.kind === 'postgres' ? onceReached(open, log, onAway) : open();
  }

  static async #open(start: Start, log: ServerLog): Promise<Server> {
    const { config, worker } = start;
    const folder = new ProgrammeFolder(config.programmes);
    const looks = await folder.read();
    const lastGood = new LastGood(lastGoodFolder(config), log);
    const former = lastGood.standIns(looks);
    const fatal = Promise.withResolvers<Unavailable>();
    const { store, keyring, clock: own } = await openStore(config, { onFatal: fatal.resolve });
    let audit: ServerAudit | undefined;
    let node: ServerNode | undefined;
    const release = async (why: string): Promise<void> => {
      await lastGood.idle();
      await node?.end();
      try {
        await audit?.note();
        await store.close();
      } finally {
        await audit?.end(why);
      }
    };
    try {
      const { name } = storeAt(config.store);
      const clock = await clockBeside({ store, clock: own }, name, start.acceptClock, log);
      const time = sharedTime({ store, clock }, log);
      // Before tokens are issued: commands use the recorded time.
      await time.keep();
      node = await leaseNode({ store, clock, log, config });
      const versions = [...looks, ...former].map(({ id, fileDigest }) => [id, fileDigest] as const);
      const digests = {
        ...present({ worker }),
        configuration: start.digest,
        programmes: Object.fromEntries(versions),
      };
      const mark = config.audit && (await streamMarkOf(store, config));
      audit = openServerAudit(config, keyring, log, digests, mark);
      const opened = { start, log, store, keyring, clock, time, node, audit, folder, lastGood };
      const server = new Server({ ...opened, fatal: fatal.promise, release });
      await audit?.started();
      await server.reloader.begin(looks, former);
      return server;
    } catch (error) {
      await release(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** What became of each programme's file at the start. */
  get outcomes(): readonly ProgrammeOutcome[] {
    return this.reloader.last.programmes;
  }

  /** As of the last second. */
  get condition(): StoreHealth {
    return this.#condition;
  }

  /** Why keys were not read or renewed in the last second. */
  get keyTroubles(): readonly string[] {
    return this.#upkeep?.keyTroubles() ?? [];
  }

  /** Whether load balancers are to send requests elsewhere from now on. */
  get isLeaving(): boolean {
    const { handed } = this.#opened.start;
    // The next server answers at the same sockets: whoever asks there is not to be sent elsewhere.
    const hasSuccessor = handed.has('listen') && handed.has('admin');
    return this.#isStopping && !hasSuccessor;
  }

  /** Begins to answer requests. @throws CommandError where an address cannot be bound */
  async start(): Promise<Listening> {
    const { config, store, clock, programmes, listeners, reloader, log, node } = this;
    const { tls } = this.#opened.start;
    watchProcess();
    const audited = this.audit?.observer(programmes);
    if (audited !== undefined) this.#observing.add(audited);
    await this.#tracing.follow(config);
    await listeners.open(config, tls, programmes);
    const options = {
      store,
      clock,
      log,
      node,
      services: () => programmes.services(),
      keepTime: this.#opened.time.keep,
      checkStore: () => {
        this.#condition = store.health();
      },
      tellsWarnings: config.environment === 'live',
    };
    this.#upkeep = startHousekeeping(present({ ...options, keyRecords: this.#keyRecords }));
    reloader.watch();
    collectWhenIdle();
    // The server answers by now: what can only be announced is left out if the store went away meanwhile.
    const closed = await maintained(store, programmes.served.keys()).catch((error: unknown) => {
      if (error instanceof Unavailable) return [];
      throw error;
    });
    return { urls: listeners.urls, closed, report: reloader.last };
  }

  /**
   * Takes up what the files hold now.
   * @param asked who asks, for the audit stream
   */
  async reload(options: ReloadOptions, asked?: Facts): Promise<ReloadReport> {
    if (asked !== undefined) this.audit?.stream.put('reload_asked', asked);
    return this.reloader.reload(options);
  }

  health(): Promise<Parts> {
    return healthInFull(this);
  }

  metrics(): Promise<readonly Family[]> {
    return serverFamilies(this);
  }

  status(): Promise<StatusView> {
    return viewStatus(this);
  }

  /** @param query of the control socket's request */
  why(query: string): Promise<WhyAnswer> {
    return answerWhy(this, new URLSearchParams(query));
  }

  /** Goes by the machine's clock from now on (SIGUSR2). */
  async acceptClock(): Promise<void> {
    const { store, clock, log } = this;
    try {
      this.audit?.stream.put('clock_accepted', { signal: 'SIGUSR2' });
      await this.#opened.time.accept();
      // After the store has accepted the time: until then, tokens issued later than it still count.
      log.error('clock_accepted', {
        detail: `the service goes by ${wallName(store)}, ${dateText(clock.now())}; codes and tokens without a login that were issued later have ended`,
      });
    } catch (error) {
      log.error('clock_not_accepted', { detail: String(error) });
    }
  }

  /**
   * FAULTS 19: load balancers need time to learn from `/readyz` that they are to send no more; until then
   * everybody is answered. Clients that keep connections are told to leave them when half of it is over,
   * so that they find a load balancer that knows.
   */
  async leave(): Promise<void> {
    this.#isStopping = true;
    const { stopDelay } = this.settings.config;
    if (stopDelay === 0) return;
    await sleep(stopDelay / 2, undefined, { ref: false });
    this.listeners.lastAnswers();
    await sleep(stopDelay / 2, undefined, { ref: false });
  }

  /** Answers what is under way, and lets go of everything. @param why for the audit stream */
  async stop(why: string): Promise<void> {
    this.#isStopping = true;
    // No listener may open after they are closed.
    await this.reloader.end();
    // Logins that still wait for hashing get an answer instead of a cut connection.
    endHashing(usualTimeLimits.drainTime);
    this.#upkeep?.stop();
    await this.listeners.close();
    await this.#tracing.end();
    await this.#opened.release(why);
  }
}

/** @param refusal why the log cannot be written as the configuration has it */
function expectLog(refusal: string | undefined): void {
  if (refusal !== undefined) throw misconfigured(refusal);
}

/** FAULTS 5: only a new start can find out what is on the disk. */
function storeFailed({ message }: Unavailable): CommandError {
  return storeUnusable(
    `the server has ended, its store can no longer be used (${message}): look at the disk and the file (jetway store verify), then start again`,
  );
}
