// Owns the listeners of a server that answer requests: the public one, and the one for gateways where the
// configuration has it. They listen at its addresses, or at sockets that were handed down.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Address, AdminPlace } from '../config/address.ts';
import type { Config } from '../config/config.ts';
import type { TlsReading } from '../config/tls.ts';
import type { App } from '../http/endpoints.ts';
import type { HandedSocket, Place } from '../http/place.ts';
import { listen, type ListenOptions, type RunningServer } from '../http/server.ts';
import { present } from '../lib/present.ts';
import type { Observer } from '../oauth/request_record.ts';
import { failed, isSystemError, misconfigured } from './exit.ts';
import type { HandedSockets, ListenerName } from './handed_sockets.ts';
import type { Serving } from './programmes/serving.ts';

export class Listeners {
  readonly #handed: HandedSockets;
  readonly #observer: Observer;
  #main: RunningServer | undefined;
  #gateway: Gateway | undefined;

  /** @param observer is told of each request */
  constructor(handed: HandedSockets, observer: Observer) {
    this.#handed = handed;
    this.#observer = observer;
  }

  /** @throws CommandError where an address cannot be bound */
  async open(config: Config, tls: TlsReading, serving: Serving): Promise<void> {
    expectConfigured(this.#handed, config);
    const proxyHeaders = config.proxyProtocol !== undefined;
    const options = present({ tls: tls.tls, proxyHeaders, observer: this.#observer });
    const place = placeOf(this.#handed, 'listen', config.listen);
    this.#main = await listenAt(place, 'listen', serving.app, options);
    this.#gateway = await this.#openGateway(config.gateway, tls, serving);
  }

  /** Where each listens: `http://host:port`. */
  get urls(): ListenerUrls {
    const gateway = this.#gateway?.server.url;
    return present({ main: this.#main?.url ?? '', gateway });
  }

  /**
   * Opens the configured listener for gateways, if any, in place of the one of before; resolves to what
   * ends that one, which answers on until then.
   * @throws CommandError where it cannot be bound, or has the place of a socket that was handed down; then
   *   the one of before goes on
   */
  async moveGateway(
    { gateway: address }: Pick<Config, 'gateway'>,
    tls: TlsReading,
    serving: Serving,
  ): Promise<() => Promise<void>> {
    const former = this.#gateway;
    if (former !== undefined && this.#handed.has('gateway')) {
      throw failed(
        'the socket was handed down: change it where it comes from (ListenStream= of its unit), and restart',
      );
    }
    if (former === undefined || former.address.port !== address?.port || address.port === 0) {
      this.#gateway = await this.#openGateway(address, tls, serving);
      return async () => former?.server.close();
    }
    // A port is bound once, whatever the host: the former listener has to let go of it first.
    const ending = former.server.close();
    const open = (at: Address): Promise<Gateway | undefined> =>
      onceFree(() => this.#openGateway(at, tls, serving));
    try {
      this.#gateway = await open(address);
    } catch (error) {
      this.#gateway = await open(former.address);
      throw error;
    }
    return () => ending;
  }

  /** New connections get these certificates. */
  renew({ tls, gatewayTls }: TlsReading): void {
    if (tls !== undefined) this.#main?.renew?.(tls);
    if (gatewayTls !== undefined) this.#gateway?.server.renew?.(gatewayTls);
  }

  /** Answers by the apps that are served now. */
  swap({ app, gatewayApp }: Serving): void {
    this.#main?.swap(app);
    this.#gateway?.server.swap(gatewayApp);
  }

  /** Has clients open their next connections elsewhere; new ones are accepted. */
  lastAnswers(): void {
    this.#main?.lastAnswers();
    this.#gateway?.server.lastAnswers();
  }

  async close(): Promise<void> {
    await Promise.all([this.#main?.close(), this.#gateway?.server.close()]);
  }

  async #openGateway(
    address: Address | undefined,
    { gatewayTls: tls }: TlsReading,
    { gatewayApp }: Serving,
  ): Promise<Gateway | undefined> {
    if (address === undefined) return undefined;
    const observer = this.#observer;
    const options = present({ share: 1 / 4, tls, believesTraces: true, observer });
    const place = placeOf(this.#handed, 'gateway', address);
    return { address, server: await listenAt(place, 'gateway', gatewayApp, options) };
  }
}

/** The listener for gateways, and its address as configured. */
interface Gateway {
  readonly address: Address;
  readonly server: RunningServer;
}

/** Whether something listens at the address. */
function isTaken(error: unknown): boolean {
  return error instanceof Error && isSystemError(error.cause) && error.cause.code === 'EADDRINUSE';
}

/** Milliseconds that a port may stay bound after its listener was closed: other workers close theirs too. */
const freeing = 2000;
const freeCheck = 20;

/** Opens a listener at a port that is about to be free. */
async function onceFree<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  const begun = performance.now();
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!isTaken(error) || performance.now() - begun > freeing) throw error;
      await sleep(freeCheck);
    }
  }
}

export interface ListenerUrls {
  readonly main: string;
  readonly gateway?: string;
  readonly admin?: string;
}

/** Opens the configured listener for operators, where there is one. @throws CommandError */
export async function openAdmin(
  { admin }: Config,
  handed: HandedSockets,
  app: App,
): Promise<RunningServer | undefined> {
  return admin && listenAt(placeOf(handed, 'admin', admin), 'admin', app, { share: 1 / 8 });
}

/** Connections would wait for ever at a socket that no listener takes. */
function expectConfigured(handed: HandedSockets, config: Config): void {
  for (const name of handed.keys()) {
    if (config[name] !== undefined) continue;
    throw misconfigured(
      `a socket for ${name} was handed down, but the configuration has no ${name}: add it, or take the socket from the unit (Sockets=)`,
    );
  }
}

function placeOf(handed: HandedSockets, name: ListenerName, address: AdminPlace): Place {
  const fd = handed.get(name);
  return fd === undefined ? address : { fd };
}

const listenCauses: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something listens there already: stop it, or choose another address',
  EADDRNOTAVAIL: 'this machine has no such address: name one of its own, or 0.0.0.0 for all',
  EACCES: 'listening there is not permitted: choose a port from 1024 on, or grant the right to',
  ENOENT: 'the folder of the socket is not there: make it, or name another one',
  ENOTFOUND: 'there is no machine of that name: name an address of this one',
};

/**
 * @param setting the key with the address, for the message: `listen`
 * @throws CommandError with the reason and a remedy
 */
export async function listenAt(
  place: Place,
  setting: string,
  app?: App,
  options: ListenOptions = {},
): Promise<RunningServer> {
  try {
    return await listen(place, app, options);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('fd' in place) {
      throw failed(
        `cannot listen at the socket that was handed down (${setting}): ${error.message}`,
      );
    }
    const code = 'code' in error ? String(error.code) : '';
    const cause = listenCauses[code] ?? error.message;
    const message = `cannot listen on ${placeText(place)} (${setting}): ${cause}`;
    throw Object.assign(failed(message), { cause: error });
  }
}

function placeText(place: Exclude<Place, HandedSocket>): string {
  if ('path' in place) return place.path;
  return `${place.host.includes(':') ? `[${place.host}]` : place.host}:${place.port}`;
}
