// Owns changing a client that a command has found: in one step, from what the store has by then.

import { quote } from '../lib/fault.ts';
import type { Client } from '../oauth/client.ts';
import type { Store } from '../store/contract.ts';
import { CommandError, exitCodes } from './exit.ts';

/**
 * The client as it is after the change. A change that answers with an error changes nothing and
 * ends the command with it; it may run twice, so it must depend on the client alone.
 */
export async function changeOrRefuse(
  store: Store,
  { programme, id }: Client,
  change: (client: Client) => Client | CommandError,
): Promise<Client> {
  const outcomes: (Client | CommandError)[] = [];
  const changed = await store.changeClient(programme, id, (client) => {
    const outcome = change(client);
    outcomes.push(outcome);
    return outcome instanceof CommandError ? client : outcome;
  });
  const last = outcomes.at(-1);
  if (last instanceof CommandError) throw last;
  if (changed !== undefined) return changed;
  throw new CommandError(exitCodes.failed, `the client ${quote(id)} of ${programme} is gone`);
}
