// Owns serving programmes: compiles them to one app and listens at an address.

import type { Address } from '../../config/config.ts';
import { openService } from '../../engine/open_service.ts';
import type { Foundation, Service } from '../../engine/service.ts';
import { createApp, type FilledForms, type Listener } from '../../http/app.ts';
import type { App } from '../../http/endpoints.ts';
import { listen, type ListenOptions, type RunningServer } from '../../http/server.ts';
import { networkTest } from '../../lib/ip_address.ts';
import type { HookCredentials } from '../../members/hook_connection.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { deploy, type Deployed, type MountConflict } from '../../programme/deployment.ts';
import type { Programme } from '../../programme/programme.ts';
import type { Store } from '../../store/contract.ts';
import type { Kind } from '../../store/kinds.ts';
import { failed, isSystemError } from '../exit.ts';

/** The served programmes, and those that could not be mounted. */
export interface Serving {
  readonly app: App;
  /** The paths for gateways, for a listener of their own. */
  readonly gatewayApp: App;
  readonly services: ReadonlyMap<ProgrammeId, Service>;
  readonly conflicts: readonly MountConflict[];
}

export interface ServingOptions {
  readonly trustedProxies?: readonly string[];
  readonly credentials?: ReadonlyMap<ProgrammeId, HookCredentials>;
  /** The paths that `app` serves: all, or all except those for gateways. */
  readonly listener?: 'all' | 'main';
  /** Members with which login forms are filled in; only for `dev`. */
  readonly filled?: FilledForms;
}

export async function buildServing(
  programmes: readonly Programme[],
  foundation: Foundation,
  { trustedProxies = [], credentials, listener = 'all', filled }: ServingOptions = {},
): Promise<Serving> {
  const { store } = foundation;
  const { deployment, mounted, conflicts } = await deployInUseFirst(programmes, store);
  const opened = await Promise.all(
    mounted.map((programme) => openService(programme, foundation, credentials?.get(programme.id))),
  );
  const services = new Map(opened.map((service) => [service.programme.id, service]));
  const isProxy = networkTest(trustedProxies);
  const appOf = (side: Listener): App =>
    createApp(deployment, services, foundation.log, isProxy, side, filled);
  return { app: appOf(listener), gatewayApp: appOf('gateway'), services, conflicts };
}

/**
 * Mounts programmes in order of name, those with clients first: an unused copy of a file must not
 * take the path of the original programme.
 */
async function deployInUseFirst(programmes: readonly Programme[], store: Store): Promise<Deployed> {
  const having = async (kind: Kind): Promise<readonly Programme[]> => {
    const lists = await Promise.all(programmes.map(({ id }) => store.list(kind, id)));
    return programmes.filter((_, index) => lists[index]?.length !== 0);
  };
  // Tokens of programmes that no longer sign any are verified until they expire.
  const signers = await having('signing_key');
  const former = new Set(signers.flatMap(({ id, signsTokens }) => (signsTokens ? [] : [id])));
  const deployed = deploy(programmes, former);
  if (deployed.conflicts.length === 0) return deployed;
  const inUse = await having('client');
  return deploy([...inUse, ...programmes.filter((one) => !inUse.includes(one))], former);
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
