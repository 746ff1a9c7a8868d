// Owns the gateway kind, and the verb `gateway add`, which shows a new secret for introspection
// (RFC 7662 2.1) once.

import { dateText } from '../../lib/duration.ts';
import { quote } from '../../lib/fault.ts';
import { randomText } from '../../lib/random.ts';
import type { Gateway, GatewayId } from '../../oauth/client.ts';
import { failed } from '../../server/exit.ts';
import { withStore } from '../open_store.ts';
import { warn } from '../output.ts';
import type { Columns } from '../table.ts';
import { gatewayFields } from './client_fields.ts';
import { type Kind, type NewItem, readNew } from './kind.ts';
import { gatewayNoun } from './nouns.ts';
import { newSecret, showSecrets } from './secrets.ts';
import {
  type Handover,
  handOver,
  handoverOf,
  jsonOf,
  type Shown,
  shown,
  showFields,
} from './shown.ts';

export const gatewayKind: Kind<'gateway'> = {
  ...gatewayNoun,
  nameOf: ({ id }) => id,
  inWords: (id) => id,
  fields: gatewayFields,
  show: (_, gateway) => Promise.resolve(showGateway(gateway)),
  columns: {
    PROGRAMME: 'programme',
    GATEWAY: 'gateway_id',
    NAME: 'name',
    CREATED: 'created_at',
  } satisfies Columns<ViewName>,
  removal: {
    loss: 'would be refused from now on, and its secret is gone for good',
    done: 'removed',
    json: ['gateway_id', 'programme', 'name'] satisfies readonly ViewName[],
  },
};

type ViewName = ReturnType<typeof showGateway>[number]['json'];

function showGateway(gateway: Gateway) {
  return [
    shown('gateway_id', 'gateway identifier', gateway.id),
    shown('programme', 'programme', gateway.programme),
    ...showFields(gatewayFields, gateway),
    showSecrets('secrets', 'secrets', gateway.secrets),
    shown('created_at', 'created', dateText(gateway.createdAt)),
  ];
}

export function gatewaySheet(gateway: Gateway, secret: string): Handover {
  const values: readonly Shown[] = showGateway(gateway);
  const given = shown('gateway_secret', 'gateway secret', secret);
  const told = `Gateway ${gateway.id} of ${gateway.programme}. Its secret is shown this once; it goes into HTTP Basic with the identifier.`;
  return { ...handoverOf([told], values.toSpliced(1, 0, given)), json: jsonOf([...values, given]) };
}

export async function addGateway(options: NewItem): Promise<void> {
  const { config, programme, fields } = readNew(options, gatewayFields);
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
    throw failed(`the identifier ${quote(id)}, drawn at random, is taken: try again`);
  });
  if (programme.introspection === undefined) {
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
