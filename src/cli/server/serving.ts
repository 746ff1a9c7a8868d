// Owns bringing programmes onto a port: put in service, deployed as one app, and listened for.

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
import { CommandError, exitCodes, isSystemError } from '../exit.ts';

/** Programmes in service, and those that could not be mounted. */
export interface Serving {
  readonly app: App;
  /** The paths for gateways, for a listener of their own. */
  readonly gatewayApp: App;
  readonly services: ReadonlyMap<ProgrammeId, Service>;
  readonly conflicts: readonly MountConflict[];
}

export interface ServingOptions {
  readonly trustedProxies?: readonly string[];
  /** Credentials of member directory hooks, by programme. */
  readonly credentials?: ReadonlyMap<ProgrammeId, HookCredentials>;
  /** Which paths `app` serves: all, or all but those for gateways. */
  readonly listener?: 'all' | 'main';
  /** Members whose login pages come filled in; only `dev` has any. */
  readonly filled?: FilledForms;
}

export async function buildServing(
  programmes: readonly Programme[],
  foundation: Foundation,
  { trustedProxies = [], credentials, listener = 'all', filled }: ServingOptions = {},
): Promise<Serving> {
  const { store } = foundation;
  const former = await formerSigners(programmes, store);
  const { deployment, mounted, conflicts } = await deployInUseFirst(programmes, former, store);
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
 * Mounts programmes in order of name; where two claim one path, programmes that have clients come
 * first: an unchanged copy of a file must not take the path of the programme it was copied from.
 */
async function deployInUseFirst(
  programmes: readonly Programme[],
  former: ReadonlySet<ProgrammeId>,
  store: Store,
): Promise<Deployed> {
  const deployed = deploy(programmes, former);
  if (deployed.conflicts.length === 0) return deployed;
  const inUse = new Set<Programme>();
  for (const programme of programmes) {
    if ((await store.list('client', programme.id)).length > 0) inUse.add(programme);
  }
  const rest = programmes.filter((programme) => !inUse.has(programme));
  return deploy([...inUse, ...rest], former);
}

/** Programmes that signed tokens once and no longer do; their tokens are verified until they expire. */
async function formerSigners(
  programmes: readonly Programme[],
  store: Store,
): Promise<ReadonlySet<ProgrammeId>> {
  const former = new Set<ProgrammeId>();
  for (const { id, signsTokens } of programmes) {
    if (!signsTokens && (await store.list('signing_key', id)).length > 0) former.add(id);
  }
  return former;
}

const listenCauses: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something listens there already: stop it, or choose another address',
  EADDRNOTAVAIL: 'this machine has no such address: name one of its own, or 0.0.0.0 for all',
  EACCES: 'listening there is not permitted: choose a port from 1024 on, or grant the right to',
  ENOTFOUND: 'there is no machine of that name: name an address of this one',
};

/**
 * Listens at an address.
 * @param setting where the address was given, for the message: `listen`
 * @throws CommandError that says why it cannot be listened on, and what to do about it
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
    throw new CommandError(
      exitCodes.failed,
      `cannot listen on ${host}:${address.port} (${setting}): ${cause}`,
    );
  }
}
