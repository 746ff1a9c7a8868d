// Owns the verb `gateway add`, which shows a new secret for introspection (RFC 7662 2.1) once.

import { quote } from '../../lib/fault.ts';
import { randomText } from '../../lib/random.ts';
import type { Gateway, GatewayId } from '../../oauth/gateway.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { withStore } from '../open_store.ts';
import { warn } from '../output.ts';
import { gatewayFields, gatewaySheet } from './gateway_kind.ts';
import { type NewItem, readNew } from './new_item.ts';
import { newSecret } from './secrets.ts';
import { handOver } from './shown.ts';

export async function addGateway(options: NewItem): Promise<void> {
  const { config, loaded, programme, fields } = readNew(options, gatewayFields);
  const secret = newSecret();
  // No shipped dialect has client identifiers of this form: operators can tell the two apart.
  const id = `gateway-${randomText('0123456789abcdef', 12)}` as GatewayId;
  const gateway = await withStore(config, async ({ store, keyring, clock }) => {
    const createdAt = clock.now();
    const added: Gateway = {
      programme: programme.id,
      id,
      ...fields,
      secrets: [{ digest: keyring.secretDigest(secret), createdAt }],
      status: 'active',
      createdAt,
    };
    const taken = await store.add('gateway', [added]);
    if (taken.length === 0) return added;
    const message = `the identifier ${quote(id)}, drawn at random, is taken: try again`;
    throw new CommandError(exitCodes.failed, message);
  });
  if (loaded.definition.introspection === undefined) {
    warn(
      `${programme.id} has no introspection endpoint yet: add introspection: { path: /introspect } to its file; the verify paths need no credential`,
    );
  }
  await handOver(
    gatewaySheet(gateway, secret),
    options,
    (reason) =>
      `${id} of ${programme.id} is set up, but ${reason} and its secret is lost: run gateway rotate-secret ${id} --overlap 0s`,
  );
}
