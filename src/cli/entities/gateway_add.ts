// Owns the verb `gateway add`: a gateway gets an identifier and a secret to introspect with (RFC
// 7662 2.1), shown once.

import { quote } from '../../lib/fault.ts';
import { randomText } from '../../lib/random.ts';
import type { Gateway, GatewayId } from '../../oauth/gateway.ts';
import { CommandError, exitCodes, refuseUsage } from '../exit.ts';
import { expectDurableStore, withStore } from '../open_store.ts';
import { type OutputOptions, warn } from '../output.ts';
import { configOf, loadNamed } from '../programmes.ts';
import { faultsOf } from './client_fields.ts';
import { nameFault } from './client_rules.ts';
import { newSecret } from './client_secret.ts';
import { deliverSecret } from './gateway_sheet.ts';

export interface AddGatewayOptions extends OutputOptions {
  readonly config: string;
  readonly programme: string;
  readonly name: string;
}

/** `jetway gateway add`. */
export async function addGateway(options: AddGatewayOptions): Promise<void> {
  const { name } = options;
  refuseUsage(faultsOf('--name', nameFault, name));
  const config = configOf(options);
  const { id: programme, definition } = loadNamed(config, options.programme);
  expectDurableStore(config);
  const secret = newSecret();
  const gateway = await withStore(config, async ({ store, keyring, clock }) => {
    const createdAt = clock.now();
    const made: Gateway = {
      programme,
      id: newGatewayId(),
      name,
      secrets: [{ digest: keyring.secretDigest(secret), createdAt }],
      status: 'active',
      createdAt,
    };
    if ((await store.addGateway(made)) === 'added') return made;
    throw new CommandError(
      exitCodes.failed,
      `the identifier ${quote(made.id)}, drawn at random, is taken: try again`,
    );
  });
  if (definition.introspection === undefined) {
    warn(
      `${programme} has no introspection endpoint yet: add introspection: { path: /introspect } to its file; the verify paths need no credential`,
    );
  }
  await deliverSecret(gateway, secret, options);
}

/** No client identifier of a shipped dialect has this shape, so that the two are told apart at sight. */
function newGatewayId(): GatewayId {
  return `gateway-${randomText('0123456789abcdef', 12)}` as GatewayId;
}
