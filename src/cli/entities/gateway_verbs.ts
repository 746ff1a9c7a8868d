// Owns the verbs `gateway list`, `show`, `rotate-secret` and `remove`.

import { after } from '../../lib/clock.ts';
import { addSecret } from '../../oauth/secret_rotation.ts';
import { CommandError, exitCodes, expectYes } from '../exit.ts';
import { expectDurableStore, withStore } from '../open_store.ts';
import { print, printJson } from '../output.ts';
import { configOf, selectProgrammes } from '../programmes.ts';
import { sheet } from '../table.ts';
import { readOverlap } from './client_rotate.ts';
import { newSecret } from './client_secret.ts';
import { deliverSecret, gatewayRows, type GatewayView, viewGateway } from './gateway_sheet.ts';
import { printListing } from './listing.ts';
import { removedMeanwhile, selectGateway, type Selection } from './select.ts';

/** `jetway gateway list`: by programme, in order of creation. */
export async function listGateways(options: Selection): Promise<void> {
  const config = configOf(options);
  const programmes = selectProgrammes(config, options.programme);
  const lists = await withStore(config, ({ store }) =>
    Promise.all(programmes.map((one) => store.listGateways(one))),
  );
  const items = lists.flat();
  const listing = {
    noun: 'gateways',
    items,
    found: items,
    view: viewGateway,
    headings: ['PROGRAMME', 'GATEWAY', 'NAME', 'CREATED'],
    row: (view: GatewayView) => [view.programme, view.gateway_id, view.name, view.created_at],
  };
  await printListing(listing, options);
}

/** `jetway gateway show GATEWAY_ID`. */
export async function showGateway(id: string, options: Selection): Promise<void> {
  const config = configOf(options);
  const view = await withStore(config, async (open) =>
    viewGateway(await selectGateway(config, open, id, options)),
  );
  return options.json === true ? printJson(view) : print(sheet(gatewayRows(view)));
}

export interface RotateGatewayOptions extends Selection {
  readonly overlap: string;
}

/** `jetway gateway rotate-secret GATEWAY_ID`. */
export async function rotateGatewaySecret(
  id: string,
  options: RotateGatewayOptions,
): Promise<void> {
  const overlap = readOverlap(options.overlap);
  const config = configOf(options);
  expectDurableStore(config);
  const secret = newSecret();
  const changed = await withStore(config, async (open) => {
    const { store, keyring, clock } = open;
    const found = await selectGateway(config, open, id, options);
    const now = clock.now();
    const fresh = { digest: keyring.secretDigest(secret), createdAt: now };
    return store.changeGateway(found.programme, found.id, (gateway) => {
      const endsAt = overlap === 0 ? undefined : after(now, overlap);
      const change = addSecret(gateway.secrets, fresh, endsAt);
      if ('secrets' in change) return { ...gateway, secrets: change.secrets };
      const message = `gateway ${id} has two secrets that are good: wait until the older one ends, or end both with --overlap 0s`;
      throw new CommandError(exitCodes.failed, message);
    });
  });
  if (changed === undefined) throw removedMeanwhile('gateway', id);
  await deliverSecret(changed, secret, options);
}

export interface RemoveGatewayOptions extends Selection {
  readonly yes?: boolean;
}

/** `jetway gateway remove GATEWAY_ID --yes`. */
export async function removeGateway(id: string, options: RemoveGatewayOptions): Promise<void> {
  expectYes(options, `gateway ${id} would be refused from now on, and its secret is gone for good`);
  const config = configOf(options);
  const gateway = await withStore(config, async (open) => {
    const found = await selectGateway(config, open, id, options);
    const gone = await open.store.removeGateway(found.programme, found.id);
    return gone ? found : undefined;
  });
  if (gateway === undefined) throw removedMeanwhile('gateway', id);
  const { programme, name } = gateway;
  if (options.json === true) return printJson({ gateway_id: id, programme, name, removed: true });
  return print(`gateway ${id} of ${programme} is removed`);
}
