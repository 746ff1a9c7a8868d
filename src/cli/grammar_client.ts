// Owns the command line's grammar of clients: `client` and the verbs below it.

import { type Command, Option } from 'commander';

import { roles } from '../oauth/client.ts';
import { addClient } from './client_add.ts';
import { listClients } from './client_list.ts';
import { showClient } from './client_show.ts';
import { disableClient, enableClient } from './client_status.ts';
import { reporting } from './grammar.ts';

/** Adds `client` to the program. */
export function addClientVerbs(program: Command): void {
  const client = program.command('client').description('onboard partners and look after them');
  addAdd(client);
  reporting(client.command('list'))
    .description('list clients')
    .option('--programme <name>', 'only those of this programme')
    .action(listClients);
  one(client.command('show'), 'show a client; secrets are shown by add alone').action(showClient);
  one(client.command('disable'), 'refuse a client from now on').action(disableClient);
  one(client.command('enable'), 'let a disabled client in again').action(enableClient);
}

/** A verb about one client, which must be there. */
function one(verb: Command, description: string): Command {
  return reporting(verb)
    .description(description)
    .argument('<client-id>', 'its client identifier')
    .option('--programme <name>', 'its programme; needed where several have such a client');
}

function addAdd(client: Command): void {
  reporting(client.command('add'))
    .description('register a client; prints its secret and API key, once')
    .requiredOption('--programme <name>', 'programme the partner is onboarded to')
    .requiredOption('--name <name>', "the partner's name")
    .option('--redirect-uri <uri...>', 'callback URI, compared to the letter; may be repeated')
    .addOption(
      new Option(
        '--role <role...>',
        'what it may do: log members in, ask for tokens of its own; may be repeated',
      ).choices(roles),
    )
    .option('--business-context <text>', 'its business-context-identifier: 1 to 50 letters')
    .option('--partner-id <id>', 'its partner id: 8 to 20 letters and digits')
    .option('--client-id <id>', 'an identifier it has already, instead of a new one')
    .option('--secret-stdin', 'read a secret it has already from standard input')
    .option('--throttle-limit <count>', 'token requests it may make in a window')
    .option('--throttle-window <duration>', 'the window, such as 1m')
    .action(addClient);
}
