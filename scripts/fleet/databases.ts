// Owns the databases of a fleet: a primary, its synchronous standby behind a proxy that delays, failing
// over from one to the other, and the way of each node to both.

import { setTimeout as sleep } from 'node:timers/promises';

import { Cluster } from '../postgres/cluster.ts';
import { Proxy } from './proxy.ts';

export interface DatabaseOptions {
  /** Nodes, each of which has proxies of its own. */
  readonly nodes: number;
  /** Milliseconds to the standby, in each direction. */
  readonly delay: number;
  /** False for a planted fault: commits do not wait for the standby. */
  readonly isSynchronous: boolean;
}

const standbyName = 'standby';
/** Without fsync: processes are killed here, and no machine loses what it has not written to its disk. */
const settings = {
  wal_keep_size: '256MB',
  // With the usual 5 s a promotion may take as long (FLEET 2.1).
  wal_retrieve_retry_interval: '500ms',
  synchronous_standby_names: '',
};

/** The two places where a server can be; after a failover the new standby is where the primary was. */
type Place = 0 | 1;

export class Databases {
  readonly #options: DatabaseOptions;
  /** The way from standby to primary; it dies with the primary. */
  readonly replication: Proxy;
  /** By node, its ways to both places. */
  readonly ways: readonly (readonly [Proxy, Proxy])[];
  readonly #servers: [Cluster, Cluster];
  #primary: Place = 0;

  private constructor(servers: [Cluster, Cluster], options: DatabaseOptions) {
    this.#servers = servers;
    this.#options = options;
    this.replication = new Proxy(servers[0].port, options.delay);
    this.ways = Array.from(
      { length: options.nodes },
      () => [new Proxy(servers[0].port), new Proxy(servers[1].port)] as const,
    );
  }

  static async start(options: DatabaseOptions): Promise<Databases> {
    const primary = await Cluster.make({ settings });
    const standby = await primary.copy();
    const all = new Databases([primary, standby], options);
    await Promise.all([all.replication, ...all.ways.flat()].map((proxy) => proxy.listen()));
    await primary.start();
    await all.#follow(standby);
    return all;
  }

  get primary(): Cluster {
    return this.#servers[this.#primary];
  }

  get standby(): Cluster {
    return this.#servers[this.#primary === 0 ? 1 : 0];
  }

  /** Nodes' ways to the place where the primary is. */
  get waysToPrimary(): readonly Proxy[] {
    return this.ways.map((both) => both[this.#primary]);
  }

  /** Kills the primary and everything on its machine, without a word to anybody. */
  async killPrimary(): Promise<void> {
    this.replication.die();
    for (const way of this.waysToPrimary) way.die();
    await this.primary.stop('crash');
  }

  /** Makes the standby the primary; until it has a standby of its own it commits alone. */
  async promote(): Promise<void> {
    await this.standby.promote();
    this.#primary = this.#primary === 0 ? 1 : 0;
  }

  /** Puts a new standby where the old primary was; commits wait for it when this resolves. */
  async restoreStandby(): Promise<void> {
    await this.standby.remove();
    const place = this.#primary === 0 ? 1 : 0;
    const standby = await this.primary.clone();
    this.#servers[place] = standby;
    for (const both of this.ways) await both[place].leadTo(standby.port);
    await this.replication.leadTo(this.primary.port);
    await this.#follow(standby);
  }

  /** Starts a standby of the primary and lets commits wait for it. */
  async #follow(standby: Cluster): Promise<void> {
    const { port } = this.replication;
    standby.configure({
      primary_conninfo: `host=127.0.0.1 port=${port} user=postgres application_name=${standbyName}`,
      synchronous_standby_names: '',
    });
    standby.beStandby();
    await standby.start();
    await this.awaitStandby();
    if (!this.#options.isSynchronous) return;
    this.primary.configure({ synchronous_standby_names: `ANY 1 (${standbyName})` });
    this.primary.reload();
  }

  /** Waits until the standby follows the primary. */
  awaitStandby(): Promise<void> {
    return this.primary.asSuperuser(async (client) => {
      const following = `SELECT FROM pg_stat_replication WHERE state = 'streaming'`;
      while ((await client.query(following)).rowCount !== 1) await sleep(20);
    });
  }

  async remove(): Promise<void> {
    for (const proxy of [this.replication, ...this.ways.flat()]) proxy.die();
    await Promise.all(this.#servers.map((server) => server.remove()));
  }
}
