// Owns the listeners of a running server: the public one, and those for gateways and operators where
// the configuration has them. They listen at its addresses, or at sockets that were handed down.

import type { AdminPlace } from '../../config/address.ts';
import type { Config } from '../../config/config.ts';
import type { TlsReading } from '../../config/tls.ts';
import type { App } from '../../http/endpoints.ts';
import type { HandedSocket, Place } from '../../http/place.ts';
import { listen, type ListenOptions, type RunningServer } from '../../http/server.ts';
import { present } from '../../lib/present.ts';
import type { Observer } from '../../oauth/request_record.ts';
import { CommandError, exitCodes, failed } from '../exit.ts';
import type { HandedSockets, ListenerName } from './lifecycle/handed_sockets.ts';
import type { Serving } from './serving.ts';

export class Listeners {
  readonly #handed: HandedSockets;
  readonly #observer: Observer;
  readonly #main: RunningServer;
  readonly #admin: RunningServer | undefined;
  #gateway: RunningServer | undefined;

  private constructor(
    handed: HandedSockets,
    observer: Observer,
    main: RunningServer,
    admin: RunningServer | undefined,
  ) {
    this.#handed = handed;
    this.#observer = observer;
    this.#main = main;
    this.#admin = admin;
  }

  /**
   * The operators' listener answers 503 until `answerOperators`.
   * @param observer is told of each request but those of operators
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
    const { listen: address, admin, proxyProtocol } = config;
    const proxyHeaders = proxyProtocol !== undefined;
    const options = present({ tls: tls.tls, proxyHeaders, observer });
    const place = placeOf(handed, 'listen', address);
    const main = await listenAt(place, 'listen', serving.app, options);
    try {
      const share = 1 / 8;
      const own =
        admin && (await listenAt(placeOf(handed, 'admin', admin), 'admin', undefined, { share }));
      const listeners = new Listeners(handed, observer, main, own);
      try {
        await listeners.openGateway(config, tls, serving);
      } catch (error) {
        await own?.close();
        throw error;
      }
      return listeners;
    } catch (error) {
      await main.close();
      throw error;
    }
  }

  answerOperators(app: App): void {
    this.#admin?.swap(app);
  }

  /** Where each listens: `http://host:port`. */
  get urls(): { readonly main: string; readonly gateway?: string; readonly admin?: string } {
    return {
      main: this.#main.url,
      ...(this.#gateway && { gateway: this.#gateway.url }),
      ...(this.#admin && { admin: this.#admin.url }),
    };
  }

  /**
   * Opens the configured listener for gateways. One at another address answers on until the returned
   * function ends it.
   * @throws CommandError where it cannot be bound, or has the place of a socket that was handed down
   */
  async openGateway(
    { gateway }: Config,
    { gatewayTls: tls }: TlsReading,
    serving: Serving,
  ): Promise<() => Promise<void>> {
    const former = this.#gateway;
    if (former !== undefined && this.#handed.has('gateway')) {
      throw failed(
        'the socket was handed down: change it where it comes from (ListenStream= of its unit), and restart',
      );
    }
    const options = present({ share: 1 / 4, tls, observer: this.#observer });
    this.#gateway =
      gateway &&
      (await listenAt(
        placeOf(this.#handed, 'gateway', gateway),
        'gateway',
        serving.gatewayApp,
        options,
      ));
    return async () => former?.close();
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
    // Last: until then `/readyz` tells the load balancer to send no more requests.
    await this.#admin?.close();
  }
}

/** Connections would wait for ever at a socket that no listener takes. */
function expectConfigured(handed: HandedSockets, config: Config): void {
  for (const name of handed.keys()) {
    if (config[name] !== undefined) continue;
    throw new CommandError(
      exitCodes.configuration,
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
