// Owns the verbs `client disable` and `client enable`.

import type { Client } from '../../oauth/client.ts';
import { withStore } from '../open_store.ts';
import { print, printJson } from '../output.ts';
import { configOf } from '../programmes.ts';
import { viewUsed } from './client_show.ts';
import { changeClient, selectClient, type Selection } from './select.ts';

/** `jetway client disable CLIENT_ID`: from the next request on, in running servers too. */
export function disableClient(id: string, options: Selection): Promise<void> {
  return setStatus(id, 'disabled', options);
}

/** `jetway client enable CLIENT_ID`. */
export function enableClient(id: string, options: Selection): Promise<void> {
  return setStatus(id, 'active', options);
}

/** A client that has the status already is left as it is, and that is no failure. */
async function setStatus(id: string, status: Client['status'], options: Selection): Promise<void> {
  const config = configOf(options);
  const { before, view } = await withStore(config, async (open) => {
    const found = await selectClient(config, open, id, options);
    const changed = await changeClient(open.store, found, (client) => ({ ...client, status }));
    return { before: found, view: await viewUsed(open, changed) };
  });
  if (options.json === true) return printJson(view);
  const already = before.status === status ? ' already' : '';
  return print(`client ${view.client_id} of ${view.programme} is ${view.status}${already}`);
}
