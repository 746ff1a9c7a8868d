// Owns one PostgreSQL cluster of a test or campaign: its folder, its port, and its server, which never
// outlives this process, however this process ends.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ClientConfig, Client } from 'pg';

import { install, runner } from './install.ts';

/**
 * Waits until its standard input is closed, which the process that made the cluster holds open: at that
 * process's end the server is stopped at once, and the folder goes.
 */
const watch = `
while read -r _; do :; done
server=$(head -n 1 data/postmaster.pid 2>/dev/null) && {
  kill -CONT "$server"
  kill -QUIT "$server"
  tries=100
  while [ $tries -gt 0 ] && kill -0 "$server"; do sleep 0.05; tries=$((tries - 1)); done
  kill -KILL "$server"
} 2>/dev/null
cd /
exec rm -rf "$1"
`;

export interface ClusterOptions {
  /** Whether commits wait for the disk; a killed server loses nothing either way, a machine would. */
  readonly fsync?: boolean;
  /** Settings by their names in `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** How a server is stopped: `fast` with a checkpoint, `crash` as by the loss of its power. */
type Stop = 'fast' | 'crash';

/** A PostgreSQL cluster, whose server may be stopped, killed and started again. */
export class Cluster {
  readonly folder: string;
  /** Where it listens, once it is started. */
  port: number;
  readonly #native: string;
  #server: ChildProcess | undefined;

  /** A new cluster with the database `jetway` of the role `jetway`, not started. */
  static async make({ fsync = false, settings }: ClusterOptions = {}): Promise<Cluster> {
    const { native, empty } = install();
    const cluster = await Cluster.#copy(empty, native);
    cluster.configure({
      listen_addresses: '127.0.0.1',
      fsync: fsync ? 'on' : 'off',
      shared_buffers: '32MB',
      max_connections: 200,
      timezone: 'UTC',
      ...settings,
    });
    return cluster;
  }

  /** A cold copy of this cluster, whose server is stopped; its settings are copied, too. */
  copy(): Promise<Cluster> {
    return Cluster.#copy(this.#data, this.#native);
  }

  /** A copy of this cluster while its server runs; it can only start as that server's standby. */
  clone(): Promise<Cluster> {
    return this.asSuperuser(async (client) => {
      await client.query(`SELECT pg_backup_start('clone', true)`);
      const clone = await Cluster.#copy(this.#data, this.#native);
      const { rows } = await client.query<{ readonly labelfile: string }>(
        'SELECT labelfile FROM pg_backup_stop(false)',
      );
      for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(clone.#data, name));
      clone.#write('backup_label', rows[0]?.labelfile ?? '');
      return clone;
    });
  }

  /** Asks the server as its superuser. */
  async asSuperuser<Result>(ask: (client: Client) => Promise<Result>): Promise<Result> {
    const client = await this.client('postgres');
    try {
      return await ask(client);
    } finally {
      await client.end();
    }
  }

  static async #copy(from: string, native: string): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'jetway-cluster-'));
    if (runner.uid !== undefined) chownSync(folder, runner.uid, runner.gid ?? 0);
    endWithThisProcess(folder);
    const cluster = new Cluster(folder, native, await freePort());
    // Of a running server some files go while they are copied: it writes to the log what it does to them.
    await once(spawn('cp', ['-a', from, cluster.#data], { stdio: 'ignore' }), 'exit');
    cluster.configure({ port: cluster.port, unix_socket_directories: folder });
    return cluster;
  }

  private constructor(folder: string, native: string, port: number) {
    this.folder = folder;
    this.#native = native;
    this.port = port;
  }

  get #data(): string {
    return join(this.folder, 'data');
  }

  /** Sets what the server reads at its next start or `reload`; a later setting overrides an earlier. */
  configure(settings: NonNullable<ClusterOptions['settings']>): void {
    if (settings['port'] !== undefined) this.port = Number(settings['port']);
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(this.#data, 'postgresql.conf'), lines.join(''));
  }

  /** Makes the server a standby at its next start. */
  beStandby(): void {
    this.#write('standby.signal', '');
  }

  /** Writes a file of the server's folder, as the server's user. */
  #write(name: string, text: string): void {
    const path = join(this.#data, name);
    writeFileSync(path, text);
    if (runner.uid !== undefined) chownSync(path, runner.uid, runner.gid ?? 0);
  }

  /** Starts the server; it takes connections when this resolves. */
  async start(): Promise<void> {
    const log = openSync(join(this.folder, 'log'), 'a');
    const started = spawn(join(this.#native, 'bin/postgres'), ['-D', this.#data], {
      ...runner,
      cwd: this.folder,
      // A session of its own: an interrupt from the terminal reaches this process alone.
      detached: true,
      env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    started.unref();
    this.#server = started;
    while (this.#pidFile()[7]?.trim() !== 'ready') {
      if (hasEnded(started)) throw new Error(`PostgreSQL did not start:\n${this.log()}`);
      await sleep(10);
    }
  }

  /** What the server has written. */
  log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8');
  }

  /** The lines of `postmaster.pid`; none while no server runs. */
  #pidFile(): readonly string[] {
    try {
      return readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n');
    } catch {
      return [];
    }
  }

  /** The server's processes: the postmaster, then its children. */
  processes(): readonly number[] {
    const postmaster = Number(this.#pidFile()[0] ?? 0);
    if (postmaster === 0 || this.#server === undefined || hasEnded(this.#server)) return [];
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
    return [postmaster, ...children.split(' ').filter(Boolean).map(Number)];
  }

  /** Sends a signal to all processes of the server. */
  signal(name: NodeJS.Signals): void {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, name);
      } catch {
        // A process of one connection, which has ended meanwhile.
      }
    }
  }

  /** Makes the server read its settings again. */
  reload(): void {
    const [postmaster] = this.processes();
    if (postmaster !== undefined) process.kill(postmaster, 'SIGHUP');
  }

  /** Stops the server and waits until its processes have ended. */
  async stop(how: Stop = 'fast'): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    const [postmaster, ...children] = this.processes();
    const ended = hasEnded(server) ? undefined : once(server, 'exit');
    if (how === 'crash') this.signal('SIGKILL');
    else if (postmaster !== undefined) process.kill(postmaster, 'SIGINT');
    server.ref();
    await ended;
    while (children.some(isAlive)) await sleep(5);
    // A killed one leaves it behind, and its number may be another process's by now.
    rmSync(join(this.#data, 'postmaster.pid'), { force: true });
    this.#server = undefined;
  }

  /** Makes the standby the primary; it takes writes when this resolves. */
  async promote(): Promise<void> {
    await this.asSuperuser((client) => client.query('SELECT pg_promote(true, 60)'));
  }

  /** Ends the server and removes the cluster. */
  async remove(): Promise<void> {
    await this.stop('crash');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  /** How a client reaches the database `jetway`; the superuser is `postgres`. */
  access(user: 'jetway' | 'postgres' = 'jetway'): ClientConfig {
    return { host: this.folder, port: this.port, user, database: 'jetway' };
  }

  /** A connection to the database `jetway`, for its caller to end. */
  async client(user: 'jetway' | 'postgres' = 'jetway'): Promise<Client> {
    const client = new Client(this.access(user));
    // Its server may be killed; whoever uses the connection then is told by the query.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }
}

function endWithThisProcess(folder: string): void {
  const watcher = spawn('/bin/sh', ['-c', watch, 'watch', folder], {
    ...runner,
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // It does not keep this process from ending.
  watcher.unref();
  (watcher.stdin as unknown as Socket).unref();
}

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

/** A process that has ended, and whose parent has not taken note, is a zombie: state Z of proc(5). */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Below the ports that the system gives to outgoing connections, which would take it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
