// Owns finding the server that may write: the primary of the right cluster, and not a former one.

import { randomInt } from 'node:crypto';

import type pg from 'pg';

import { type Milliseconds, milliseconds } from '../../../lib/clock.ts';
import { Unavailable } from '../../../oauth/failure.ts';
import { mayAnswerLater, TurnedAway } from '../../unusable.ts';
import { Connection } from './connection.ts';
import type { Parameter, Rows, Statement } from './statement.ts';

/** Where the servers of one cluster are, and how to enter. */
export interface Servers {
  /** Tried in this order; a folder's socket where `host` begins with a slash. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  readonly database: string;
  /** The schema of the store's tables. */
  readonly schema: string;
  /** Read at each connect, so that it can be changed; absent where the server asks for none. */
  readonly password?: () => string;
  /** For `tls.connect`; absent for a connection that stays on this machine. */
  readonly ssl?: pg.ClientConfig['ssl'];
  readonly areStatementsNamed: boolean;
}

/** What a cluster says of itself. */
export interface Cluster {
  /** The same for a primary and all of its standbys. */
  readonly identifier: string;
  /** Rises with each promotion. */
  readonly timeline: number;
}

/** Milliseconds after which the next host is tried: a dead machine answers nothing. */
const dialSpan = milliseconds(500);

/** Session settings: a statement ends within `statement`, and waits for another's lock within `lock`. */
export interface Patience {
  readonly statement: Milliseconds;
  readonly lock: Milliseconds;
}

const look: Statement = {
  name: 'jetway_look',
  // The name of a log file begins with the timeline; a standby has none to name.
  text: `SELECT pg_is_in_recovery(), (SELECT system_identifier::text FROM pg_control_system()),
    CASE WHEN pg_is_in_recovery() THEN '0' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END,
    pg_postmaster_start_time()::text, current_setting('default_transaction_read_only')::boolean,
    current_setting('server_version')`,
  isRead: true,
};

/**
 * A commit, which waits for the standbys, and so for all commits before it. A primary that was restarted
 * shows also what its standbys do not have: whoever was told of it would know more than the next primary
 * (FLEET 2.4). Under the lock no more than one connection of a process waits for standbys that are away.
 */
const settle: Statement = {
  name: 'jetway_settle',
  text: `SELECT pg_advisory_xact_lock($1::bigint)::text, pg_logical_emit_message(true, 'jetway', '')::text`,
  isRead: true,
};

/** The oldest release that the tests of the store run on. */
const oldestRelease = 15;

/** @param version as the server tells it: `15.8 (Debian 15.8-0+deb12u1)` */
export function expectRelease(version: string): void {
  if (Number.parseInt(version, 10) >= oldestRelease) return;
  throw new Error(`PostgreSQL ${version} is too old: Jetway needs ${oldestRelease} or later`);
}

/** Milliseconds for it. */
const settleSpan = milliseconds(1000);

/**
 * Not as options of the start: poolers refuse those. Plans are made once and do not scan tables. Before 18 a
 * plan without another way costs so much that each of its uses would be compiled (jit).
 */
const settings: Statement = {
  name: 'jetway_settings',
  text: `SELECT set_config('search_path', quote_ident($1), false),
    set_config('statement_timeout', $2, false), set_config('lock_timeout', $3, false),
    set_config('idle_in_transaction_session_timeout', '5s', false),
    set_config('timezone', 'UTC', false), set_config('plan_cache_mode', 'force_generic_plan', false),
    set_config('enable_hashjoin', 'off', false), set_config('enable_mergejoin', 'off', false),
    set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false),
    set_config('default_transaction_isolation', 'read committed', false),
    CASE WHEN current_setting('synchronous_commit') IN ('on', 'remote_apply') THEN ''
      ELSE set_config('synchronous_commit', 'on', false) END`,
  isRead: true,
};

/**
 * Judges a new primary by its own answers.
 * @throws StoreUnusable where its history is not the store's
 */
export type HistoryCheck = (
  primary: { readonly run: (statement: Statement, values: readonly Parameter[]) => Promise<Rows> },
  cluster: Cluster,
) => Promise<void>;

/** Dials the primary of one cluster. */
export class Primary {
  readonly #servers: Servers;
  #cluster: Cluster | undefined;
  #check: HistoryCheck | undefined;
  /** That of the last primary which was judged. */
  #judged: number | undefined;
  /** The start of a server whose standbys have what it shows. */
  #settled: string | undefined;
  /** Of the lock that only this process takes. */
  readonly #lock = randomInt(2 ** 47);
  /** Index of the host that answered last. */
  #last = 0;

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  /** Undefined until a primary has answered. */
  get cluster(): Cluster | undefined {
    return this.#cluster;
  }

  /** From now on holds each primary of another timeline than the present one's to a check. */
  judgeBy(check: HistoryCheck): void {
    this.#check = check;
    this.#judged = this.#cluster?.timeline;
  }

  /**
   * Connects to whichever host is the primary by now.
   * @throws Unavailable that names each host and why it would not do; TurnedAway where none will do as it is
   */
  async dial(patience: Patience, ended: () => void): Promise<Connection> {
    const { hosts } = this.#servers;
    const troubles: string[] = [];
    let isTurnedAway = true;
    for (let tried = 0; tried < hosts.length; tried += 1) {
      const index = (this.#last + tried) % hosts.length;
      const host = hosts[index];
      if (host === undefined) continue;
      try {
        const connection = await this.#open(host, patience, ended);
        this.#last = index;
        return connection;
      } catch (error) {
        troubles.push(`${host.host}:${host.port}: ${reasonOf(error)}`);
        isTurnedAway &&= !mayDoLater(error);
      }
    }
    const reason = `store: no primary of PostgreSQL answers (${troubles.join('; ')})`;
    throw isTurnedAway ? new TurnedAway(reason) : new Unavailable(reason);
  }

  async #open(
    { host, port }: Servers['hosts'][number],
    patience: Patience,
    ended: () => void,
  ): Promise<Connection> {
    const { user, database, schema, password, ssl, areStatementsNamed } = this.#servers;
    const options: pg.ClientConfig = {
      host,
      port,
      user,
      database,
      application_name: 'jetway',
      ...(password && { password }),
      ...(ssl !== undefined && { ssl }),
    };
    let isTaken = false;
    const connection = await Connection.open(options, dialSpan, {
      isNamed: areStatementsNamed,
      ended: () => isTaken && ended(),
    });
    try {
      const [row] = await connection.run(look, [], dialSpan);
      const [isStandby, identifier, timeline, startedAt, isReadOnly, version] = row as [
        boolean,
        string,
        string,
        string,
        boolean,
        string,
      ];
      expectRelease(version);
      const cluster = { identifier, timeline: Number.parseInt(timeline, 16) };
      this.#expectPrimary(isStandby, cluster);
      // Found here once, not by every statement that writes: each would come back with a new connection.
      if (isReadOnly) throw new Unavailable('read-only (default_transaction_read_only is on)');
      const params: Parameter[] = [schema, String(patience.statement), String(patience.lock)];
      await connection.run(settings, params, dialSpan);
      await this.#settle(connection, `${timeline} ${startedAt}`);
      if (this.#judged !== cluster.timeline) {
        const run = connection.run.bind(connection);
        await this.#check?.({ run: (...asked) => run(...asked, dialSpan) }, cluster);
        this.#judged = cluster.timeline;
      }
      isTaken = true;
      return connection;
    } catch (error) {
      connection.end();
      throw error;
    }
  }

  /** Waits until what the server shows is on its standbys, too; once for each start of a server. */
  async #settle(connection: Connection, start: string): Promise<void> {
    if (this.#settled === start) return;
    await connection.run(settle, [this.#lock], settleSpan);
    this.#settled = start;
  }

  #expectPrimary(isStandby: boolean, found: Cluster): void {
    if (isStandby) throw new Unavailable('a standby');
    const known = this.#cluster;
    if (known !== undefined && known.identifier !== found.identifier) {
      throw new Error(`another cluster (${found.identifier} instead of ${known.identifier})`);
    }
    // It does not know yet that another was promoted.
    if (known !== undefined && found.timeline < known.timeline) {
      throw new Unavailable(
        `a former primary (timeline ${found.timeline}, already ${known.timeline})`,
      );
    }
    this.#cluster = found;
  }
}

/**
 * Codes with which a host is not there, or not yet: of the system and of the resolver of names, and SQLSTATEs
 * of lost connections (08), a server without room for one (53), and one that starts or stops (57P).
 */
const away = /^(?:E[A-Z]+$|EAI_AGAIN$|08|53|57P)/;

/** Whether a host may be the primary later, as it is configured: not so with another password or certificate. */
function mayDoLater(error: unknown): boolean {
  const { code = '', message } = error as NodeJS.ErrnoException;
  // The driver has no codes for these.
  return mayAnswerLater(error) || away.test(code) || /timeout|terminated/i.test(message);
}

/** The error of a name with several addresses has an empty message. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return message || (code ?? String(error));
}
