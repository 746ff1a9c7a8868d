// Owns the verbs below `gateway`.

import { addGateway } from '../entities/gateway_add.ts';
import {
  listGateways,
  removeGateway,
  rotateGatewaySecret,
  showGateway,
} from '../entities/gateway_verbs.ts';
import type { OptionSpec, Verb } from './grammar.ts';

const id = 'gateway-0123456789ab';

/** What a verb about one gateway has, which must be there. */
const ofOne = {
  argument: ['<gateway-id>', 'its identifier'],
  reads: 'store',
  json: true,
} as const satisfies Partial<Verb>;

const itsProgramme: OptionSpec = {
  flags: '--programme <name>',
  description: 'its programme; needed where several have such a gateway',
};

export const gatewayVerbs: readonly Verb[] = [
  {
    words: 'gateway add',
    summary: 'give a gateway a credential to introspect with; prints its secret, once',
    reads: 'store',
    json: true,
    options: [
      {
        flags: '--programme <name>',
        description: 'programme whose tokens it may ask about',
        required: true,
      },
      { flags: '--name <name>', description: 'what operators call it', required: true },
    ],
    example: "jetway gateway add --programme my-club --name 'API gateway'",
    run: addGateway,
  },
  {
    words: 'gateway list',
    summary: 'list gateways',
    reads: 'store',
    json: true,
    options: [{ flags: '--programme <name>', description: 'only those of this programme' }],
    example: 'jetway gateway list',
    run: listGateways,
  },
  {
    words: 'gateway show',
    summary: 'show a gateway',
    ...ofOne,
    options: [itsProgramme],
    example: `jetway gateway show ${id}`,
    run: showGateway,
  },
  {
    words: 'gateway rotate-secret',
    summary: 'give a gateway a new secret; prints it, once',
    ...ofOne,
    options: [
      itsProgramme,
      {
        flags: '--overlap <duration>',
        description: 'how long the old one is good yet; 0s ends it at once',
        default: '1d',
      },
    ],
    example: `jetway gateway rotate-secret ${id}`,
    run: rotateGatewaySecret,
  },
  {
    words: 'gateway remove',
    summary: 'remove a gateway for good',
    ...ofOne,
    options: [itsProgramme, { flags: '--yes', description: 'yes, for good' }],
    example: `jetway gateway remove ${id} --yes`,
    run: removeGateway,
  },
];
