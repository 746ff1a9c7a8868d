// Owns the verbs below `gateway`.

import { addOptions } from '../entities/fields.ts';
import { addGateway, gatewayKind } from '../entities/gateway_kind.ts';
import { listItems, type ListOptions, removeItem, showItem } from '../entities/item_verbs.ts';
import { rotateGatewaySecret } from '../entities/rotate.ts';
import { overlapOption } from './client.ts';
import { option, type Verb } from './grammar.ts';
import { itemVerbs, listExits, programmeVerb } from './kind_verbs.ts';

export const gatewayVerbs: readonly Verb[] = [
  programmeVerb(
    {
      words: 'gateway add',
      summary: 'give a gateway a credential to introspect with; prints its secret, once',
      options: addOptions(gatewayKind.fields),
      example: "jetway gateway add --programme my-club --name 'API gateway'",
      run: addGateway,
    },
    'programme whose tokens it may ask about',
  ),
  {
    words: 'gateway list',
    summary: 'list gateways',
    reads: 'store',
    options: [option('--programme <name>', 'only those of this programme')],
    exits: listExits,
    example: 'jetway gateway list',
    run: (options: ListOptions) => listItems(gatewayKind, options),
  },
  ...itemVerbs(gatewayKind, [
    { verb: 'show', summary: 'show a gateway', run: showItem },
    {
      verb: 'rotate-secret',
      summary: 'give a gateway a new secret; prints it, once',
      options: [overlapOption('1d')],
      run: rotateGatewaySecret,
    },
    {
      verb: 'remove',
      summary: 'remove a gateway for good',
      options: [option('--yes', 'yes, for good')],
      example: '--yes',
      run: removeItem,
    },
  ]),
];
