// Owns telling an operator why an address cannot be listened on, and what to do about it.

import type { Address } from '../../config/config.ts';
import type { App } from '../../http/endpoints.ts';
import { listen, type ListenOptions, type RunningServer } from '../../http/server.ts';
import { CommandError, exitCodes, isSystemError } from '../exit.ts';

const causes: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something listens there already: stop it, or choose another address',
  EADDRNOTAVAIL: 'this machine has no such address: name one of its own, or 0.0.0.0 for all',
  EACCES: 'listening there is not permitted: choose a port from 1024 on, or grant the right to',
  ENOTFOUND: 'there is no machine of that name: name an address of this one',
};

/**
 * Listens with an app at an address.
 * @param setting where the address was given, for the message: `listen`
 * @throws CommandError when the address cannot be had
 */
export async function bind(
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
    const cause = causes[error.code ?? ''] ?? error.message;
    throw new CommandError(
      exitCodes.failed,
      `cannot listen on ${host}:${address.port} (${setting}): ${cause}`,
    );
  }
}
