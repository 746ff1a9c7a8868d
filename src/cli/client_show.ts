// Owns the verb `client show`.

import { type ClientSelection, selectClient } from './client_select.ts';
import { clientRows, viewClient } from './client_view.ts';
import { type OutputOptions, print, printJson } from './output.ts';
import { sheet } from './table.ts';
import { configOf, withStore } from './workplace.ts';

export interface ShowClientOptions extends ClientSelection, OutputOptions {
  readonly config: string;
}

/** `jetway client show CLIENT_ID`. */
export async function showClient(id: string, options: ShowClientOptions): Promise<void> {
  const config = configOf(options);
  const client = await withStore(config, (open) => selectClient(config, open, id, options));
  if (options.json === true) await printJson(viewClient(client));
  else await print(sheet(clientRows(client)));
}
