// Owns the verb `client retire-secret`: ends the older of two secrets, now.

import { endOlder } from '../../oauth/secret_rotation.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { withStore } from '../open_store.ts';
import { print, printJson } from '../output.ts';
import { configOf } from '../programmes.ts';
import { viewUsed } from './client_show.ts';
import { changeClient, selectClient, type Selection } from './select.ts';

/** `jetway client retire-secret CLIENT_ID`: from the next request on, in running servers too. */
export async function retireSecret(id: string, options: Selection): Promise<void> {
  const config = configOf(options);
  const view = await withStore(config, async (open) => {
    const { store, clock } = open;
    const found = await selectClient(config, open, id, options);
    const changed = await changeClient(store, found, (client) => {
      const change = endOlder(client.secrets, clock.now());
      return 'refusal' in change ? refused(id) : { ...client, secrets: change.secrets };
    });
    return viewUsed(open, changed);
  });
  if (options.json === true) return printJson(view);
  const [left] = view.secrets;
  return print(
    `client ${id} of ${view.programme} has one client secret now, made ${left?.created_at ?? '-'}`,
  );
}

/** A partner without a secret is locked out, which another verb says by its name. */
function refused(id: string): CommandError {
  return new CommandError(
    exitCodes.failed,
    `client ${id} has no second client secret that is good: make a new one first with client rotate-secret, or shut it out with client disable`,
  );
}
