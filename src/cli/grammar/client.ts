// Owns the grammar of the verbs about clients and gateways.

import { clientFields, clientIdInput, gatewayFields } from '../entities/client_fields.ts';
import { addOptions, optionsOf, setOptions } from '../entities/fields.ts';
import { clientNoun, gatewayNoun } from '../entities/nouns.ts';
import { clientColumns } from '../import/client_keys.ts';
import { columnsHelp } from '../import/table.ts';
import { type Verb, lazy, verbOf } from './grammar.ts';
import {
  type LoadedKind,
  common,
  importVerb,
  itemVerbOf,
  listExits,
  listOf,
  ofProgramme,
} from './kind_verbs.ts';
import { option } from './options.ts';
import {
  addClientOptions,
  importClientsOptions,
  incomplete,
  listOptions,
  rotateApiKeyOptions,
  rotateGatewaySecretOptions,
  rotateSecretOptions,
} from './rows.ts';

const clientKind: LoadedKind<'client'> = {
  ...clientNoun,
  load: async () => (await import('../entities/client_kind.ts')).clientKind,
};

const rotations = () => import('../entities/rotate.ts');

const clientVerb = itemVerbOf(clientKind);

export const clientVerbs: readonly Verb[] = [
  verbOf({
    words: 'client add',
    summary: 'register a client; prints its secret and API key, once',
    reads: 'store',
    options: [
      ofProgramme('programme the partner is onboarded to'),
      ...addOptions(clientFields),
      incomplete,
      ...optionsOf(clientIdInput),
      ...addClientOptions,
    ],
    example:
      "jetway client add --programme my-club --name 'Some Partner' --redirect-uri https://partner.example/callback --role member --role partner",
    run: lazy(() => import('../entities/client_add.ts'), 'addClient'),
  }),
  importVerb('client', 'programme the partners are onboarded to', {
    summary: 'register clients that exist elsewhere, with their secrets: all of them or none',
    details: `Columns of a .csv, keys of a .yaml: ${columnsHelp('client', clientColumns)}.`,
    operands: [
      [
        '<file>',
        'a .csv with a header line, or a .yaml list, which nobody else should read; - for standard input',
      ],
    ],
    options: importClientsOptions,
    run: lazy(() => import('../import/clients.ts'), 'importClients'),
  }),
  verbOf({
    words: 'client list',
    summary: 'list clients',
    reads: 'store',
    options: [
      ...listOptions,
      option('--name <text>', 'only those whose name holds this; case does not count'),
    ],
    exits: listExits,
    example: 'jetway client list --name partner --limit 20',
    run: listOf(clientKind),
  }),
  clientVerb({
    verb: 'show',
    summary: 'show a client, and when its secrets were last used',
    run: common('showItem'),
  }),
  clientVerb({
    verb: 'set',
    summary: 'change what is registered of a client',
    options: [...setOptions(clientFields), incomplete],
    example: '--add-redirect-uri https://partner.example/another',
    run: common('setItem'),
  }),
  clientVerb({
    verb: 'rotate-secret',
    summary: 'give a client a new secret; prints it, once',
    options: rotateSecretOptions,
    example: '--overlap 7d',
    run: async () => (await rotations()).rotateSecret,
  }),
  clientVerb({
    verb: 'retire-secret',
    summary: 'end the older of two secrets now',
    run: async () => (await rotations()).retireSecret,
  }),
  clientVerb({
    verb: 'rotate-signing-secret',
    summary: 'give a client a new signing secret; prints it, once',
    details:
      'With it redirects and requests are signed, where the programme says so; it lets nobody in as a client secret does. The store keeps it sealed under the master key. While there are two, requests may be signed by either, and redirects are signed by the older one.',
    options: rotateSecretOptions,
    example: '--overlap 7d',
    run: async () => (await rotations()).rotateSigningSecret,
  }),
  clientVerb({
    verb: 'retire-signing-secret',
    summary: 'end the older of two signing secrets now',
    run: async () => (await rotations()).retireSigningSecret,
  }),
  clientVerb({
    verb: 'rotate-api-key',
    summary: 'give a client, and all that share its API key, a new one; prints it, once',
    options: rotateApiKeyOptions,
    example: '--overlap 7d',
    run: async () => (await rotations()).rotateApiKey,
  }),
  clientVerb({
    verb: 'retire-api-key',
    summary: 'end the older of two API keys now, for all clients that share it',
    run: async () => (await rotations()).retireApiKey,
  }),
  clientVerb({
    verb: 'disable',
    summary: 'refuse a client from now on',
    run: common('disableItem'),
  }),
  clientVerb({
    verb: 'enable',
    summary: 'let a disabled client in again',
    run: common('enableItem'),
  }),
  clientVerb({
    verb: 'remove',
    summary: 'remove a client for good, with all that was issued to it',
    options: [option('--yes', 'yes, for good: its identifier is never given out again')],
    example: '--yes',
    run: common('removeItem'),
  }),
];

const gatewayKind: LoadedKind<'gateway'> = {
  ...gatewayNoun,
  load: async () => (await import('../entities/gateway_kind.ts')).gatewayKind,
};

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
