// Owns the verbs below `client`. What can be said of a client is in client_fields.ts.

import { addClient } from '../entities/client_add.ts';
import { listClients } from '../entities/client_list.ts';
import { removeClient } from '../entities/client_remove.ts';
import { retireSecret } from '../entities/client_retire.ts';
import { rotateApiKey, rotateSecret } from '../entities/client_rotate.ts';
import { setClient } from '../entities/client_set.ts';
import { showClient } from '../entities/client_show.ts';
import { disableClient, enableClient } from '../entities/client_status.ts';
import { listOptions } from '../entities/listing.ts';
import { importClients } from '../import/clients_verb.ts';
import { addableFields, changeableFields } from './client_fields.ts';
import type { OptionSpec, Verb } from './grammar.ts';

const id = 'partnerapi-12345';

/** What a verb about one client has, which must be there. */
const ofOne = {
  argument: ['<client-id>', 'its client identifier'],
  reads: 'store',
  json: true,
} as const satisfies Partial<Verb>;

const itsProgramme: OptionSpec = {
  flags: '--programme <name>',
  description: 'its programme; needed where several have such a client',
};

const overlap: OptionSpec = {
  flags: '--overlap <duration>',
  description: 'how long the old one is good yet; 0s ends it at once',
  default: '30d',
};

export const clientVerbs: readonly Verb[] = [
  {
    words: 'client add',
    summary: 'register a client; prints its secret and API key, once',
    reads: 'store',
    json: true,
    options: [
      {
        flags: '--programme <name>',
        description: 'programme the partner is onboarded to',
        required: true,
      },
      { flags: '--name <name>', description: "the partner's name", required: true },
      ...addableFields,
      {
        flags: '--client-id <id>',
        description: 'an identifier it has already, instead of a new one',
      },
      {
        flags: '--secret-stdin',
        description: 'read a secret it has already from standard input',
      },
      {
        flags: '--api-key-of <client>',
        description:
          "share the API key of another client of this partner; PROGRAMME/CLIENT where it is another programme's",
      },
    ],
    example:
      "jetway client add --programme my-club --name 'Some Partner' --redirect-uri https://partner.example/callback --role member --role partner",
    run: addClient,
  },
  {
    words: 'client import',
    summary: 'register clients that exist elsewhere, with their secrets: all of them or none',
    details:
      'Columns of a .csv, keys of a .yaml: client_id, client_secret and name, which every client needs; api_key, redirect_uris, insecure_redirect_uris (plain http) and roles (in a .csv with spaces between them), business_context, partner_id, throttle_limit and throttle_window (in a .yaml throttle: { limit, window }), property.NAME (in a .yaml properties: { NAME: value }).',
    argument: [
      '<file>',
      'a .csv with a header line, or a .yaml list, which nobody else should read; - for standard input',
    ],
    reads: 'store',
    json: true,
    options: [
      {
        flags: '--programme <name>',
        description: 'programme the partners are onboarded to',
        required: true,
      },
      { flags: '--dry-run', description: 'check everything and register nothing' },
      {
        flags: '--incomplete',
        description: "take clients that lack what the programme's dialect needs of them",
      },
      {
        flags: '--shared-api-keys',
        description: 'let clients of one partner have the same API key',
      },
    ],
    example: 'jetway client import clients.csv --programme my-club --dry-run',
    exits: { 1: 'failed; what the file brings is there already, and not like this' },
    run: importClients,
  },
  {
    words: 'client list',
    summary: 'list clients',
    reads: 'store',
    json: true,
    options: [
      ...listOptions,
      {
        flags: '--name <text>',
        description: 'only those whose name holds this; case does not count',
      },
    ],
    example: 'jetway client list --name partner --limit 20',
    run: listClients,
  },
  {
    words: 'client show',
    summary: 'show a client, and when its secrets were last used',
    ...ofOne,
    options: [itsProgramme],
    example: `jetway client show ${id}`,
    run: showClient,
  },
  {
    words: 'client set',
    summary: 'change what is registered of a client',
    ...ofOne,
    options: [itsProgramme, ...changeableFields],
    example: `jetway client set ${id} --add-redirect-uri https://partner.example/another`,
    run: setClient,
  },
  {
    words: 'client rotate-secret',
    summary: 'give a client a new secret; prints it, once',
    ...ofOne,
    options: [
      itsProgramme,
      overlap,
      { flags: '--secret-stdin', description: 'read the new secret from standard input' },
    ],
    example: `jetway client rotate-secret ${id} --overlap 7d`,
    run: rotateSecret,
  },
  {
    words: 'client retire-secret',
    summary: 'end the older of two secrets now',
    ...ofOne,
    options: [itsProgramme],
    example: `jetway client retire-secret ${id}`,
    run: retireSecret,
  },
  {
    words: 'client rotate-api-key',
    summary: 'give a client, and all that share its API key, a new one; prints it, once',
    ...ofOne,
    options: [
      itsProgramme,
      overlap,
      {
        flags: '--alone',
        description: 'give it a key of its own; those that shared the old one keep that',
      },
    ],
    example: `jetway client rotate-api-key ${id} --overlap 0s`,
    run: rotateApiKey,
  },
  {
    words: 'client disable',
    summary: 'refuse a client from now on',
    ...ofOne,
    options: [itsProgramme],
    example: `jetway client disable ${id}`,
    run: disableClient,
  },
  {
    words: 'client enable',
    summary: 'let a disabled client in again',
    ...ofOne,
    options: [itsProgramme],
    example: `jetway client enable ${id}`,
    run: enableClient,
  },
  {
    words: 'client remove',
    summary: 'remove a client for good, with all that was issued to it',
    ...ofOne,
    options: [
      itsProgramme,
      { flags: '--yes', description: 'yes, for good: its identifier is never given out again' },
    ],
    example: `jetway client remove ${id} --yes`,
    run: removeClient,
  },
];
