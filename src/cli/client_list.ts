// Owns the verb `client list`.

import { viewUsed } from './client_show.ts';
import { type OutputOptions, print, printJson } from './output.ts';
import { table } from './table.ts';
import { configOf, selectProgrammes, withStore } from './workplace.ts';

export interface ListClientsOptions extends OutputOptions {
  readonly config: string;
  readonly programme?: string;
}

/** `jetway client list`: by programme, in order of creation. */
export async function listClients(options: ListClientsOptions): Promise<void> {
  const config = configOf(options);
  const programmes = selectProgrammes(config, options.programme);
  const views = await withStore(config, async (open) => {
    const lists = await Promise.all(programmes.map((one) => open.store.listClients(one)));
    return Promise.all(lists.flat().map((client) => viewUsed(open, client)));
  });
  if (options.json === true) return printJson(views);
  if (views.length === 0) return console.error('there are no clients');
  const rows = views.map((view) => [
    view.programme,
    view.client_id,
    view.name,
    view.roles.join(', ') || '-',
    view.status,
    view.created_at,
  ]);
  return print(table(['PROGRAMME', 'CLIENT', 'NAME', 'ROLES', 'STATUS', 'CREATED'], rows));
}
