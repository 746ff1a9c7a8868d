// Owns the verbs below `gateway`.

import { addOptions } from '../entities/fields.ts';
import { addGateway } from '../entities/gateway_add.ts';
import { gatewayFields, gatewayKind } from '../entities/gateway_kind.ts';
import { rotateGatewaySecret } from '../entities/rotate.ts';
import { overlapOption } from './client.ts';
import { option, type Verb } from './grammar.ts';
import { listVerb, programmeVerb, removeVerb, showVerb, verbAbout } from './kind_verbs.ts';

export const gatewayVerbs: readonly Verb[] = [
  programmeVerb(
    {
      words: 'gateway add',
      summary: 'give a gateway a credential to introspect with; prints its secret, once',
      options: addOptions(gatewayFields),
      example: "jetway gateway add --programme my-club --name 'API gateway'",
      run: addGateway,
    },
    'programme whose tokens it may ask about',
  ),
  listVerb(gatewayKind, {
    summary: 'list gateways',
    options: [option('--programme <name>', 'only those of this programme')],
  }),
  showVerb(gatewayKind, 'show a gateway'),
  verbAbout(
    gatewayKind,
    'rotate-secret',
    'give a gateway a new secret; prints it, once',
    rotateGatewaySecret,
    { options: [overlapOption('1d')] },
  ),
  removeVerb(gatewayKind, 'remove a gateway for good'),
];
