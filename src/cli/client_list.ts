// Owns the verb `client list`.

import { viewClient } from './client_view.ts';
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
  const lists = await withStore(config, ({ store }) =>
    Promise.all(programmes.map((programme) => store.listClients(programme))),
  );
  const views = lists.flat().map(viewClient);
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
