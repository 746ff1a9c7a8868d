// Owns planting a fault into a node that starts: loaded before the sources, it changes what the driver of
// PostgreSQL sends and takes for true. `planted.ts?NAME` names the fault.

import { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';

import pg from 'pg';

import { milliseconds } from '../../src/lib/clock.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
import { putCounts } from '../../src/store/postgres/counters.ts';
import { Connection } from '../../src/store/postgres/link/connection.ts';
import { Link } from '../../src/store/postgres/link/link.ts';
import { settle } from '../../src/store/postgres/link/primary.ts';
import { OutcomeUnknown, type Parameter } from '../../src/store/postgres/link/statement.ts';
import { textsOf } from '../../src/store/postgres/texts.ts';
import { statement } from '../../src/store/sql/statement.ts';
import { logins } from '../../src/store/sql/tables.ts';
import { advance } from '../../src/store/verbs/logins.ts';
import type { Plant } from './plants.ts';

type Method = (...sent: never[]) => unknown;

/** Puts `instead` in the place of a method; it gets the usual one first. */
function replace<Made extends object, Name extends keyof Made>(
  { prototype }: { readonly prototype: Made },
  name: Name,
  instead: Made[Name] extends Method
    ? (usual: Made[Name], made: Made, ...sent: Parameters<Made[Name]>) => ReturnType<Made[Name]>
    : never,
): void {
  const method = Reflect.get(prototype, name) as Method;
  Reflect.set(prototype, name, function planted(this: Made, ...sent: never[]) {
    return Reflect.apply(instead, undefined, [method.bind(this), this, ...sent]) as unknown;
  });
}

const { one, many } = textsOf(advance);
const advances: ReadonlySet<string> = new Set([one.name, many.name]);

function advanced(values: readonly Parameter[], parameter: string): Parameter {
  const index = advance.parameters.indexOf(parameter);
  if (index < 0) throw new Error(`a login is advanced without ${parameter}`);
  return values[index] ?? null;
}

/** What a node asks that takes its answer for written where it reads it. */
const readMove = statement(
  'read_move',
  logins.columns,
  'SELECT 1 FROM login WHERE place = :place AND programme = :programme AND login.state = :state',
);

const faults: Readonly<Record<Exclude<Plant, 'asynchronous'>, () => void>> = {
  // A node does not recognise its own answer in the row.
  'own-marker': () => {
    replace(Link, 'run', async (usual, _link, sent, values, until) => {
      for (;;) {
        try {
          return await usual(sent, values, until);
        } catch (error) {
          const isLost = error instanceof OutcomeUnknown && performance.now() < (until ?? 0);
          if (!isLost || !advances.has(sent.name)) throw error;
        }
      }
    });
  },
  // Instead of ending the connection at the deadline it asks the server to stop waiting.
  cancel: () => {
    let asking: pg.Client | undefined;
    replace(pg.Client, 'query', (usual, client, ...sent) => {
      asking = client;
      return usual(...sent);
    });
    // It does not hear that a wait was cancelled.
    replace(pg.Client, 'on', (usual, client, event, listener) =>
      event === 'notice' ? client : usual(event, listener as () => void),
    );
    replace(Connection, 'run', (usual, _connection, sent, values, span) => {
      const rows = usual(sent, values, milliseconds(span + 600_000));
      const client = asking;
      const deadline = setTimeout(() => client && cancelAt(client), Math.max(1, span));
      return rows.finally(() => clearTimeout(deadline));
    });
  },
  // A node believes what it reads, on a server that was restarted and after an outcome was not known.
  'read-only': () => {
    replace(Connection, 'run', (usual, _connection, sent, ...given) =>
      sent.name === settle.name ? Promise.resolve([]) : usual(sent, ...given),
    );
    const reading = textsOf(readMove);
    replace(Link, 'run', (usual, _link, sent, values, until) => {
      const isAgain =
        advances.has(sent.name) &&
        isDeepStrictEqual(advanced(values, 'again'), advanced(values, 'state'));
      if (!isAgain) return usual(sent, values, until);
      const asked = readMove.parameters.map((parameter) => advanced(values, parameter));
      return usual(sent.name === one.name ? reading.one : reading.many, asked, until);
    });
  },
  // Each node counts for itself, as where the database does not answer.
  throttle: () => {
    replace(Link, 'run', (usual, _link, sent, ...given) =>
      sent.name === putCounts.name
        ? Promise.reject(new Unavailable('planted'))
        : usual(sent, ...given),
    );
  },
};

function cancelAt(client: pg.Client): void {
  const { processID, secretKey, host, port } = client as pg.Client & {
    readonly processID: number;
    readonly secretKey: number;
  };
  const told = Buffer.alloc(16);
  for (const [index, word] of [16, 80_877_102, processID, secretKey].entries()) {
    told.writeInt32BE(word, index * 4);
  }
  const socket = new Socket();
  socket.on('error', () => undefined);
  socket.connect(port, host, () => socket.end(told));
}

faults[new URL(import.meta.url).search.slice(1) as keyof typeof faults]();
