// Owns the listeners of a running server: the public one, and those for gateways and operators where
// the configuration has them.

import type { Address, Config } from '../../config/config.ts';
import type { TlsReading } from '../../config/tls.ts';
import { createAdminApp, type Health } from '../../http/admin.ts';
import type { App } from '../../http/endpoints.ts';
import { listen, type ListenOptions, type RunningServer } from '../../http/server.ts';
import { present } from '../../lib/present.ts';
import { failed, isSystemError } from '../exit.ts';
import type { Serving } from './serving.ts';

export class Listeners {
  readonly #main: RunningServer;
  readonly #admin: RunningServer | undefined;
  #gateway: RunningServer | undefined;

  private constructor(main: RunningServer, admin: RunningServer | undefined) {
    this.#main = main;
    this.#admin = admin;
  }

  /** @throws CommandError where an address cannot be bound; then none is. */
  static async open(
    config: Config,
    tls: TlsReading,
    serving: Serving,
    health: () => Health,
  ): Promise<Listeners> {
    const { listen: address, admin, proxyProtocol } = config;
    const options = present({ tls: tls.tls, proxyHeaders: proxyProtocol !== undefined });
    const main = await listenAt(address, 'listen', serving.app, options);
    try {
      const own =
        admin && (await listenAt(admin, 'admin', createAdminApp(health), { share: 1 / 8 }));
      const listeners = new Listeners(main, own);
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

  /** Where each listens: `http://host:port`. */
  get urls(): { readonly main: string; readonly gateway?: string; readonly admin?: string } {
    return {
      main: this.#main.url,
      ...(this.#gateway && { gateway: this.#gateway.url }),
      ...(this.#admin && { admin: this.#admin.url }),
    };
  }

  /** Opens the configured listener for gateways, in place of one at another address. */
  async openGateway(
    { gateway }: Config,
    { gatewayTls: tls }: TlsReading,
    serving: Serving,
  ): Promise<void> {
    const former = this.#gateway;
    const options = present({ share: 1 / 4, tls });
    this.#gateway = gateway && (await listenAt(gateway, 'gateway', serving.gatewayApp, options));
    await former?.close();
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

const listenCauses: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something listens there already: stop it, or choose another address',
  EADDRNOTAVAIL: 'this machine has no such address: name one of its own, or 0.0.0.0 for all',
  EACCES: 'listening there is not permitted: choose a port from 1024 on, or grant the right to',
  ENOTFOUND: 'there is no machine of that name: name an address of this one',
};

/**
 * @param setting the key with the address, for the message: `listen`
 * @throws CommandError with the reason and a remedy
 */
export async function listenAt(
  address: Address,
  setting: string,
  app?: App,
  options: ListenOptions = {},
): Promise<RunningServer> {
  try {
    return await listen(address, app, options);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const host = address.host.includes(':') ? `[${address.host}]` : address.host;
    const cause = listenCauses[error.code ?? ''] ?? error.message;
    throw failed(`cannot listen on ${host}:${address.port} (${setting}): ${cause}`);
  }
}
