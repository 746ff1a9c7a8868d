// Owns the verb `client remove`: a client goes for good, with all that was issued to it.

import { selectClient } from './client_select.ts';
import type { ShowClientOptions } from './client_show.ts';
import { expectYes } from './confirmation.ts';
import { CommandError, exitCodes } from './exit.ts';
import { print, printJson } from './output.ts';
import { configOf, withStore } from './workplace.ts';

export interface RemoveClientOptions extends ShowClientOptions {
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
  if (removed === undefined) {
    throw new CommandError(exitCodes.failed, `client ${id} was removed by somebody else just now`);
  }
  const { programme, name } = removed;
  if (options.json === true) return printJson({ client_id: id, programme, name, removed: true });
  return print(
    `client ${id} of ${programme} is removed with all its tokens; its identifier is never given out again`,
  );
}
