// Owns finding the one client that a command names.

import type { Config } from '../config/config.ts';
import { quote } from '../lib/fault.ts';
import type { Client, ClientId } from '../oauth/client.ts';
import { CommandError, exitCodes } from './exit.ts';
import { type OpenStore, selectProgrammes } from './workplace.ts';

export interface ClientSelection {
  /** The programme; without it, the one programme that has such a client. */
  readonly programme?: string;
}

/** The client of that identifier; fails when there is none, or several and no programme is named. */
export async function selectClient(
  config: Config,
  { store }: OpenStore,
  id: string,
  { programme }: ClientSelection,
): Promise<Client> {
  const found = await Promise.all(
    selectProgrammes(config, programme).map((one) => store.findClient(one, id as ClientId)),
  );
  const clients = found.filter((client) => client !== undefined);
  const [client, another] = clients;
  if (client === undefined) {
    const where = programme === undefined ? '' : ` in ${programme}`;
    throw new CommandError(exitCodes.failed, `there is no client ${quote(id)}${where}`);
  }
  if (another === undefined) return client;
  throw new CommandError(
    exitCodes.usage,
    `several programmes have a client ${quote(id)}: add --programme and one of ${clients.map((one) => one.programme).join(', ')}`,
  );
}
