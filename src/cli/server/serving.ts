// Owns bringing programmes onto a port: compiled, put in service, deployed as one app.

import { openService } from '../../engine/open_service.ts';
import type { Foundation, Service } from '../../engine/service.ts';
import { createApp, type FilledForms, type Listener } from '../../http/app.ts';
import type { App } from '../../http/endpoints.ts';
import { networkTest } from '../../lib/ip_address.ts';
import type { HookCredentials } from '../../members/hook_connection.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { deploy, type Deployed, type MountConflict } from '../../programme/deployment.ts';
import type { Programme } from '../../programme/programme.ts';
import type { Store } from '../../store/contract.ts';

/** Programmes in service, and those that could not be mounted. */
export interface Serving {
  readonly app: App;
  /** What gateways ask, for a listener of its own. */
  readonly gatewayApp: App;
  readonly services: ReadonlyMap<ProgrammeId, Service>;
  readonly conflicts: readonly MountConflict[];
}

export interface ServingOptions {
  readonly trustedProxies?: readonly string[];
  /** What member directories behind hooks want to see, by programme. */
  readonly credentials?: ReadonlyMap<ProgrammeId, HookCredentials>;
  /** What `app` is to serve: everything, or all but what gateways ask. */
  readonly listener?: 'all' | 'main';
  /** Members whose login pages come filled in; `dev` alone has some. */
  readonly filled?: FilledForms;
}

export async function buildServing(
  programmes: readonly Programme[],
  foundation: Foundation,
  { trustedProxies = [], credentials, listener = 'all', filled }: ServingOptions = {},
): Promise<Serving> {
  const { store } = foundation;
  const former = await formerSigners(programmes, store);
  const { deployment, mounted, conflicts } = await deployFairly(programmes, former, store);
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
 * Mounts programmes in order of name; where two want one path, those that have clients come first:
 * a file copied and not yet changed must not take the place of the programme it was copied from.
 */
async function deployFairly(
  programmes: readonly Programme[],
  former: ReadonlySet<ProgrammeId>,
  store: Store,
): Promise<Deployed> {
  const deployed = deploy(programmes, former);
  if (deployed.conflicts.length === 0) return deployed;
  const inUse = new Set<Programme>();
  for (const programme of programmes) {
    if ((await store.listClients(programme.id)).length > 0) inUse.add(programme);
  }
  const rest = programmes.filter((programme) => !inUse.has(programme));
  return deploy([...inUse, ...rest], former);
}

/** Programmes that have signed tokens and do so no more; what they signed is verified to its end. */
async function formerSigners(
  programmes: readonly Programme[],
  store: Store,
): Promise<ReadonlySet<ProgrammeId>> {
  const former = new Set<ProgrammeId>();
  for (const { id, signsTokens } of programmes) {
    if (!signsTokens && (await store.listSigningKeys(id)).length > 0) former.add(id);
  }
  return former;
}
