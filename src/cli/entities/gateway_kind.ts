// Owns the gateway kind: how gateways are named, found and shown.

import type { Gateway } from '../../oauth/gateway.ts';
import { dateText } from '../table.ts';
import { nameField } from './client_fields.ts';
import type { Fields } from './fields.ts';
import type { Kind } from './kind.ts';
import { showSecrets } from './secrets.ts';
import { type Handover, jsonOf, sheetOf, type Shown, shown, showFields } from './shown.ts';

export const gatewayFields: Fields<Pick<Gateway, 'name'>> = {
  name: nameField('what operators call it'),
};

export const gatewayKind: Kind<'gateway'> = {
  noun: 'gateway',
  argument: ['<gateway-id>', 'its identifier'],
  example: 'gateway-0123456789ab',
  nameOf: ({ id }) => id,
  inWords: (id) => id,
  show: (_, gateway) => Promise.resolve(showGateway(gateway)),
  columns: { PROGRAMME: 'programme', GATEWAY: 'gateway_id', NAME: 'name', CREATED: 'created_at' },
  removal: {
    loss: 'would be refused from now on, and its secret is gone for good',
    done: 'removed',
    json: ({ id, programme, name }) => ({ gateway_id: id, programme, name }),
  },
};

function showGateway(gateway: Gateway): readonly Shown[] {
  return [
    shown('gateway_id', 'gateway identifier', gateway.id),
    shown('programme', 'programme', gateway.programme),
    ...showFields(gatewayFields, gateway),
    showSecrets('secrets', 'secrets', gateway.secrets),
    shown('created_at', 'created', dateText(gateway.createdAt)),
  ];
}

export function gatewaySheet(gateway: Gateway, secret: string): Handover {
  const values = showGateway(gateway);
  const given = shown('gateway_secret', 'gateway secret', secret);
  const told = `Gateway ${gateway.id} of ${gateway.programme}. Its secret is shown this once; it goes into HTTP Basic with the identifier.`;
  return {
    text: [told, '', sheetOf(values.toSpliced(1, 0, given))].join('\n'),
    json: jsonOf([...values, given]),
  };
}
