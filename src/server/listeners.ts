// Owns the listeners of a server that answer requests: the public one, and the one for gateways where the
// configuration has it. They listen at its addresses, or at sockets that were handed down.

import type { AdminPlace } from '../config/address.ts';
import type { Config } from '../config/config.ts';
import type { TlsReading } from '../config/tls.ts';
import type { App } from '../http/endpoints.ts';
import type { HandedSocket, Place } from '../http/place.ts';
import { listen, type ListenOptions, type RunningServer } from '../http/server.ts';
import { present } from '../lib/present.ts';
import type { Observer } from '../oauth/request_record.ts';
import { failed, misconfigured } from './exit.ts';
import type { HandedSockets, ListenerName } from './lifecycle/handed_sockets.ts';
import type { Serving } from './serving.ts';

export class Listeners {
  readonly #handed: HandedSockets;
  readonly #observer: Observer;
  readonly #main: RunningServer;
  #gateway: RunningServer | undefined;

  private constructor(handed: HandedSockets, observer: Observer, main: RunningServer) {
    this.#handed = handed;
    this.#observer = observer;
    this.#main = main;
  }

  /**
   * @param observer is told of each request
   * @throws CommandError where an address cannot be bound; then none is
   */
  static async open(
    config: Config,
    tls: TlsReading,
    serving: Serving,
    handed: HandedSockets,
    observer: Observer,
  ): Promise<Listeners> {
    expectConfigured(handed, config);
    const { listen: address, proxyProtocol } = config;
    const proxyHeaders = proxyProtocol !== undefined;
    const options = present({ tls: tls.tls, proxyHeaders, observer });
    const place = placeOf(handed, 'listen', address);
    const main = await listenAt(place, 'listen', serving.app, options);
    const listeners = new Listeners(handed, observer, main);
    try {
      const gateway = await listeners.openGateway(config, tls, serving);
      gateway.take();
      return listeners;
    } catch (error) {
      await main.close();
      throw error;
    }
  }

  /** Where each listens: `http://host:port`. */
  get urls(): ListenerUrls {
    return { main: this.#main.url, ...(this.#gateway && { gateway: this.#gateway.url }) };
  }

  /**
   * Opens the configured listener for gateways, if any, beside the one of before.
   * @throws CommandError where it cannot be bound, or has the place of a socket that was handed down
   */
  async openGateway(
    { gateway }: Config,
    { gatewayTls: tls }: TlsReading,
    serving: Serving,
  ): Promise<OpenedGateway> {
    if (this.#gateway !== undefined && this.#handed.has('gateway')) {
      throw failed(
        'the socket was handed down: change it where it comes from (ListenStream= of its unit), and restart',
      );
    }
    const options = present({
      share: 1 / 4,
      tls,
      believesTraces: true,
      observer: this.#observer,
    });
    const opened =
      gateway &&
      (await listenAt(
        placeOf(this.#handed, 'gateway', gateway),
        'gateway',
        serving.gatewayApp,
        options,
      ));
    return {
      take: () => {
        const former = this.#gateway;
        this.#gateway = opened;
        return async () => former?.close();
      },
      drop: async () => opened?.close(),
    };
  }

  /** New connections get these certificates. */
  renew({ tls, gatewayTls }: TlsReading): void {
    if (tls !== undefined) this.#main.renew?.(tls);
    if (gatewayTls !== undefined) this.#gateway?.renew?.(gatewayTls);
  }

  /** Answers by the apps that are served now. */
  swap({ app, gatewayApp }: Serving): void {
    this.#main.swap(app);
    this.#gateway?.swap(gatewayApp);
  }

  /** Has clients open their next connections elsewhere; new ones are accepted. */
  lastAnswers(): void {
    this.#main.lastAnswers();
    this.#gateway?.lastAnswers();
  }

  async close(): Promise<void> {
    await Promise.all([this.#main.close(), this.#gateway?.close()]);
  }
}

export interface ListenerUrls {
  readonly main: string;
  readonly gateway?: string;
  readonly admin?: string;
}

/** A listener for gateways that may take the place of the one of before. */
export interface OpenedGateway {
  /** Returns what ends the one of before, which answers on until then. */
  readonly take: () => () => Promise<void>;
  readonly drop: () => Promise<void>;
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
    throw failed(`cannot listen on ${placeText(place)} (${setting}): ${cause}`);
  }
}

function placeText(place: Exclude<Place, HandedSocket>): string {
  if ('path' in place) return place.path;
  return `${place.host.includes(':') ? `[${place.host}]` : place.host}:${place.port}`;
}
