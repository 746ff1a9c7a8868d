// Owns the verb `client list`.

import type { Client } from '../../oauth/client.ts';
import { withStore } from '../open_store.ts';
import { configOf, selectProgrammes } from '../programmes.ts';
import { viewUsed } from './client_show.ts';
import type { ClientView } from './client_view.ts';
import { type ListOptions, printListing, readLimit } from './listing.ts';

export interface ListClientsOptions extends ListOptions {
  readonly name?: string;
}

/** `jetway client list`: by programme, in order of creation. */
export async function listClients(options: ListClientsOptions): Promise<void> {
  readLimit(options);
  const config = configOf(options);
  const programmes = selectProgrammes(config, options.programme);
  const part = options.name?.toLowerCase() ?? '';
  await withStore(config, async (open) => {
    const lists = await Promise.all(programmes.map((one) => open.store.listClients(one)));
    const items = lists.flat();
    const found = items.filter(
      ({ name, status }) =>
        status === (options.status ?? status) && name.toLowerCase().includes(part),
    );
    const listing = {
      noun: 'clients',
      items,
      found,
      view: (client: Client) => viewUsed(open, client),
      headings: ['PROGRAMME', 'CLIENT', 'NAME', 'ROLES', 'STATUS', 'CREATED'],
      row: (view: ClientView) => [
        view.programme,
        view.client_id,
        view.name,
        view.roles.join(', ') || '-',
        view.status,
        view.created_at,
      ],
    };
    await printListing(listing, options);
  });
}
