// Owns the verb `client remove`: a client goes for good, with all that was issued to it.

import { expectYes } from '../exit.ts';
import { withStore } from '../open_store.ts';
import { print, printJson } from '../output.ts';
import { configOf } from '../programmes.ts';
import { removedMeanwhile, selectClient, type Selection } from './select.ts';

export interface RemoveClientOptions extends Selection {
  readonly yes?: boolean;
}

/** `jetway client remove CLIENT_ID --yes`. */
export async function removeClient(id: string, options: RemoveClientOptions): Promise<void> {
  expectYes(
    options,
    `client ${id} would be gone for good, and its identifier could never be given out again; client disable can be undone`,
  );
  const config = configOf(options);
  const removed = await withStore(config, async (open) => {
    const client = await selectClient(config, open, id, options);
    const { store, clock } = open;
    const gone = await store.removeClient(client.programme, client.id, clock.now());
    return gone ? client : undefined;
  });
  if (removed === undefined) throw removedMeanwhile('client', id);
  const { programme, name } = removed;
  if (options.json === true) return printJson({ client_id: id, programme, name, removed: true });
  return print(
    `client ${id} of ${programme} is removed with all its tokens; its identifier is never given out again`,
  );
}
