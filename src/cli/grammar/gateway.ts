// Owns the verbs below `gateway`.

import { gatewayFields } from '../entities/client_fields.ts';
import { addOptions } from '../entities/fields.ts';
import { gatewayNoun } from '../entities/nouns.ts';
import { lazy, type Verb, verbOf } from './grammar.ts';
import {
  itemVerbOf,
  listExits,
  listOf,
  ofProgramme,
  type LoadedKind,
  common,
} from './kind_verbs.ts';
import { option } from './options.ts';
import { rotateGatewaySecretOptions } from './rows.ts';

const gatewayKind: LoadedKind<'gateway'> = {
  ...gatewayNoun,
  load: async () => (await import('../entities/gateway_kind.ts')).gatewayKind,
};

const rotations = () => import('../entities/rotate.ts');

const gatewayVerb = itemVerbOf(gatewayKind);

export const gatewayVerbs: readonly Verb[] = [
  verbOf({
    words: 'gateway add',
    summary: 'give a gateway a credential to introspect with; prints its secret, once',
    reads: 'store',
    options: [ofProgramme('programme whose tokens it may ask about'), ...addOptions(gatewayFields)],
    example: "jetway gateway add --programme my-club --name 'API gateway'",
    run: lazy(() => import('../entities/gateway_kind.ts'), 'addGateway'),
  }),
  verbOf({
    words: 'gateway list',
    summary: 'list gateways',
    reads: 'store',
    options: [option('--programme <name>', 'only those of this programme')],
    exits: listExits,
    example: 'jetway gateway list',
    run: listOf(gatewayKind),
  }),
  gatewayVerb({ verb: 'show', summary: 'show a gateway', run: common('showItem') }),
  gatewayVerb({
    verb: 'rotate-secret',
    summary: 'give a gateway a new secret; prints it, once',
    options: rotateGatewaySecretOptions,
    run: async () => (await rotations()).rotateGatewaySecret,
  }),
  gatewayVerb({
    verb: 'remove',
    summary: 'remove a gateway for good',
    options: [option('--yes', 'yes, for good')],
    example: '--yes',
    run: common('removeItem'),
  }),
];
