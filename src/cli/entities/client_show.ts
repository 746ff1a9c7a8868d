// Owns the verb `client show`.

import type { Client } from '../../oauth/client.ts';
import { type OpenStore, withStore } from '../open_store.ts';
import { print, printJson, warn } from '../output.ts';
import { configOf } from '../programmes.ts';
import { sheet } from '../table.ts';
import { redirectWarnings } from './client_needs.ts';
import { clientRows, type ClientView, viewClient } from './client_view.ts';
import { selectClient, type Selection } from './select.ts';

/** `jetway client show CLIENT_ID`. */
export async function showClient(id: string, options: Selection): Promise<void> {
  const config = configOf(options);
  const { client, view } = await withStore(config, async (open) => {
    const found = await selectClient(config, open, id, options);
    return { client: found, view: await viewUsed(open, found) };
  });
  redirectWarnings(client).forEach(warn);
  if (options.json === true) await printJson(view);
  else await print(sheet(clientRows(view)));
}

/** A client, and when its secrets were last used. */
export async function viewUsed({ store }: OpenStore, client: Client): Promise<ClientView> {
  return viewClient(client, await store.secretUses(client.programme, client.id));
}
