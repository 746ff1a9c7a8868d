// Owns the verb `client show`.

import type { Client } from '../oauth/client.ts';
import { clientRows, type ClientView, viewClient } from './client_view.ts';
import { print, printJson } from './output.ts';
import { selectClient, type Selection } from './select.ts';
import { sheet } from './table.ts';
import { configOf, type OpenStore, withStore } from './workplace.ts';

/** `jetway client show CLIENT_ID`. */
export async function showClient(id: string, options: Selection): Promise<void> {
  const config = configOf(options);
  const view = await withStore(config, async (open) =>
    viewUsed(open, await selectClient(config, open, id, options)),
  );
  if (options.json === true) await printJson(view);
  else await print(sheet(clientRows(view)));
}

/** A client, and when its secrets were last used. */
export async function viewUsed({ store }: OpenStore, client: Client): Promise<ClientView> {
  return viewClient(client, await store.secretUses(client.programme, client.id));
}
