// Owns one connection to PostgreSQL: one statement at a time, a deadline that ends the connection, and
// never a cancel: a cancelled wait for a standby reports success (FLEET 2.3).

import { Socket } from 'node:net';

import pg from 'pg';

import type { Milliseconds } from '../../../lib/clock.ts';
import { Unavailable } from '../../../oauth/failure.ts';
import {
  type Found,
  OutcomeUnknown,
  type Parameter,
  Refused,
  type Rows,
  type Statement,
} from './statement.ts';

/** bigint: every number of the store fits in 53 bits. */
const int8 = 20;

const types = new pg.TypeOverrides();
types.setTypeParser(int8, Number);

/**
 * SQLSTATEs of warnings that a wait for a standby was cancelled: the commit beside them stands on this
 * server alone. Their words are in the server's language.
 */
const cancelledWait = /^(01000|57P)/;

/** Classes of SQLSTATE with which the server ends a connection, whatever became of the statement. */
const endsConnection = /^(57P|08)/;

/** An open connection. After `isOpen` is false every `run` rejects. */
export class Connection {
  readonly #socket = new Socket();
  readonly #client: pg.Client;
  readonly #isNamed: boolean;
  readonly #ended: () => void;
  #isOpen = true;
  #isDoubtful = false;
  #abandon: ((error: Error) => void) | undefined;

  private constructor(options: pg.ClientConfig, isNamed: boolean, ended: () => void) {
    // A socket of its own, since `end` of the driver waits for a server that may not answer.
    this.#client = new pg.Client({ ...options, stream: () => this.#socket, keepAlive: true });
    this.#isNamed = isNamed;
    this.#ended = ended;
  }

  /**
   * Connects within `span`. `ended` is told once when the connection is lost, also while it is idle.
   * @throws Error of the driver or the server
   */
  static async open(
    options: pg.ClientConfig,
    span: Milliseconds,
    { isNamed, ended }: { readonly isNamed: boolean; readonly ended: () => void },
  ): Promise<Connection> {
    const timed = { ...options, connectionTimeoutMillis: span };
    const connection = new Connection(timed, isNamed, ended);
    const client = connection.#client;
    // Unheard, an error of an idle connection would end the process.
    client.on('error', (error: Error) => connection.#lose(error));
    client.on('end', () => connection.#lose(new Error('the connection has ended')));
    client.on('notice', ({ code }) => {
      if (cancelledWait.test(code ?? '')) connection.#isDoubtful = true;
    });
    try {
      await client.connect();
    } catch (error) {
      connection.end();
      throw error;
    }
    return connection;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Runs one statement; call it when the last one has ended.
   * @throws Refused, OutcomeUnknown; Unavailable for a statement that only reads
   */
  run(
    { name, text, isRead }: Statement,
    values: readonly Parameter[],
    span: Milliseconds,
  ): Promise<Rows> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(deadline);
        this.#abandon = undefined;
      };
      const lost = (error: Error): void => {
        settle();
        const reason = `store: PostgreSQL: ${error.message}`;
        reject(new (isRead ? Unavailable : OutcomeUnknown)(reason, { cause: error }));
      };
      const settled = (rows: Rows): void => {
        if (this.#abandon !== lost) return;
        if (this.#isDoubtful) this.#lose(new Error('a wait for a standby was cancelled'));
        else {
          settle();
          resolve(rows);
        }
      };
      const failed = (error: Error): void => {
        if (this.#abandon !== lost) return;
        const code = error instanceof pg.DatabaseError ? (error.code ?? '') : undefined;
        if (code === undefined || endsConnection.test(code)) this.#lose(error);
        else {
          settle();
          reject(new Refused(`store: PostgreSQL: ${error.message}`, code, { cause: error }));
        }
      };
      const deadline = setTimeout(
        () => this.#lose(new Error(`no answer within ${span} ms`)),
        Math.max(1, span),
      );
      if (this.#isOpen) {
        this.#abandon = lost;
        void this.#send(name, text, values).then(settled, failed);
      } else lost(new Error('the connection has ended'));
    });
  }

  async #send(name: string, text: string, values: readonly Parameter[]): Promise<Rows> {
    const query = { text, values: [...values], rowMode: 'array' as const, types };
    const { rows } = await this.#client.query<Found[]>(this.#isNamed ? { ...query, name } : query);
    return rows;
  }

  /** Ends the connection at once; what is under way is lost. */
  end(): void {
    this.#lose(new Error('the connection was closed'));
  }

  #lose(error: Error): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#socket.destroy();
    this.#abandon?.(error);
    this.#ended();
  }
}
