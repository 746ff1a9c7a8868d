// Owns a TCP proxy that stands for a network: it delays, stops carrying in either direction, and dies.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** `towards` the server, or `back` from it. */
export type Direction = 'towards' | 'back';

const both: readonly Direction[] = ['towards', 'back'];

/** The sockets of one connection: the caller's, and the proxy's own to the server. */
interface Pair {
  readonly caller: Socket;
  readonly server: Socket;
}

export class Proxy {
  /** The port on loopback that connections are carried to. */
  target: number;
  /** Milliseconds that everything takes, in each direction. */
  readonly #delay: number;
  readonly #pairs = new Set<Pair>();
  readonly #frozen = new Set<Direction>();
  readonly #waiting: (() => void)[] = [];
  #server: Server | undefined;
  #port = 0;

  constructor(target: number, delay = 0) {
    this.target = target;
    this.#delay = delay;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens, after a death on the same port as before. */
  async listen(): Promise<void> {
    const server = createServer((caller) => this.#carry(caller));
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    server.unref();
    this.#server = server;
  }

  /** Carries nothing more; connections stay open, as behind a cable that was cut. */
  freeze(directions: readonly Direction[] = both): void {
    for (const direction of directions) this.#frozen.add(direction);
  }

  /** Carries again, also what has come meanwhile. */
  thaw(): void {
    this.#frozen.clear();
    for (const send of this.#waiting.splice(0)) send();
  }

  /** Ends all connections at once, what was under way is lost, and nobody listens any more. */
  die(): void {
    this.#waiting.length = 0;
    for (const { caller, server } of this.#pairs) {
      // Not `resetAndDestroy`, which leaves a socket open for ever that has been ended before.
      caller.destroy();
      server.destroy();
    }
    this.#pairs.clear();
    this.#server?.close();
    this.#server = undefined;
  }

  /** From now on it leads to another server. */
  async leadTo(port: number): Promise<void> {
    this.die();
    this.thaw();
    this.target = port;
    await this.listen();
  }

  #carry(caller: Socket): void {
    const server = connect({ port: this.target, host: '127.0.0.1', noDelay: true });
    caller.setNoDelay(true);
    const pair = { caller, server };
    this.#pairs.add(pair);
    const forward = (from: Socket, to: Socket, direction: Direction): void => {
      from.on('data', (data) => this.#send(direction, () => void to.write(data)));
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#send(direction, () => {
          to.end();
          this.#pairs.delete(pair);
        });
      });
    };
    forward(caller, server, 'towards');
    forward(server, caller, 'back');
  }

  #send(direction: Direction, send: () => void): void {
    const arrive = (): void => {
      if (this.#frozen.has(direction)) this.#waiting.push(arrive);
      else send();
    };
    if (this.#delay === 0) arrive();
    else setTimeout(arrive, this.#delay);
  }
}
