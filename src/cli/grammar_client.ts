// Owns the command line's grammar of clients: `client` and the verbs below it. What can be said of
// a client is in grammar_client_fields.ts.

import type { Command } from 'commander';

import { addClient } from './client_add.ts';
import { importClients } from './client_import.ts';
import { listClients } from './client_list.ts';
import { removeClient } from './client_remove.ts';
import { retireSecret } from './client_retire.ts';
import { rotateApiKey, rotateSecret } from './client_rotate.ts';
import { setClient } from './client_set.ts';
import { showClient } from './client_show.ts';
import { disableClient, enableClient } from './client_status.ts';
import { reporting } from './grammar.ts';
import { addableFields, changeableFields } from './grammar_client_fields.ts';

/** Adds `client` to the program. */
export function addClientVerbs(program: Command): void {
  const client = program.command('client').description('onboard partners and look after them');
  addRegistration(client);
  reporting(client.command('list'))
    .description('list clients')
    .option('--programme <name>', 'only those of this programme')
    .action(listClients);
  one(client.command('show'), 'show a client, and when its secrets were last used').action(
    showClient,
  );
  changeableFields(one(client.command('set'), 'change what is registered of a client'))
    .usage('<client-id> [options]')
    .action(setClient);
  addSecretVerbs(client);
  one(client.command('disable'), 'refuse a client from now on').action(disableClient);
  one(client.command('enable'), 'let a disabled client in again').action(enableClient);
  one(client.command('remove'), 'remove a client for good, with all that was issued to it')
    .option('--yes', 'yes, for good: its identifier is never given out again')
    .action(removeClient);
}

/** A verb about one client, which must be there. */
function one(verb: Command, description: string): Command {
  return reporting(verb)
    .description(description)
    .argument('<client-id>', 'its client identifier')
    .option('--programme <name>', 'its programme; needed where several have such a client');
}

const importDescription = `register clients that exist elsewhere, with their secrets: all of them or none

Columns of a .csv, keys of a .yaml: client_id, client_secret and name, which every client needs; api_key, redirect_uris and roles (in a .csv with spaces between them), business_context, partner_id, throttle_limit and throttle_window (in a .yaml throttle: { limit, window }), property.NAME (in a .yaml properties: { NAME: value }).`;

function addRegistration(client: Command): void {
  const add = reporting(client.command('add'))
    .description('register a client; prints its secret and API key, once')
    .requiredOption('--programme <name>', 'programme the partner is onboarded to')
    .requiredOption('--name <name>', "the partner's name");
  addableFields(add)
    .option('--client-id <id>', 'an identifier it has already, instead of a new one')
    .option('--secret-stdin', 'read a secret it has already from standard input')
    .action(addClient);
  reporting(client.command('import'))
    .summary('register clients that exist elsewhere: all of them or none')
    .description(importDescription)
    .argument('<file>', 'a .csv with a header line, or a .yaml list; nobody else should read it')
    .requiredOption('--programme <name>', 'programme the partners are onboarded to')
    .option('--dry-run', 'check everything and register nothing')
    .action(importClients);
}

const overlap = [
  '--overlap <duration>',
  'how long the old one is good yet; 0s ends it at once',
] as const;

function addSecretVerbs(client: Command): void {
  one(client.command('rotate-secret'), 'give a client a new secret; prints it, once')
    .option(...overlap, '30d')
    .option('--secret-stdin', 'read the new secret from standard input')
    .action(rotateSecret);
  one(client.command('retire-secret'), 'end the older of two secrets now').action(retireSecret);
  one(client.command('rotate-api-key'), 'give a client a new API key; prints it, once')
    .option(...overlap, '30d')
    .action(rotateApiKey);
}
