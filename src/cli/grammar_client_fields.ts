// Owns the options that say something of a client, when it is added and when it is changed.

import { type Command, Option } from 'commander';

import { roles } from '../oauth/client.ts';

/** What can be said of a new client. */
export function addableFields(verb: Command): Command {
  return shared(
    verb
      .option('--redirect-uri <uri...>', 'callback URI, compared to the letter; may be repeated')
      .addOption(
        role('what it may do: log members in, ask for tokens of its own; may be repeated'),
      ),
  );
}

/** What can be changed of a client; what is not named stays as it is. */
export function changeableFields(verb: Command): Command {
  return shared(
    verb
      .option('--name <name>', "the partner's name")
      .option('--redirect-uri <uri...>', 'callback URIs, instead of all it has')
      .option('--add-redirect-uri <uri...>', 'callback URIs beside those it has')
      .option('--remove-redirect-uri <uri...>', 'callback URIs it is not to have any more')
      .addOption(role('what it may do, instead of what it may now; may be repeated'))
      .option('--no-roles', 'let it do nothing'),
  )
    .option('--no-business-context', 'take its business-context-identifier away')
    .option('--no-partner-id', 'take its partner id away')
    .option('--no-throttle', "hold it to the programme's limit again")
    .option('--remove-property <name...>', 'properties it is not to have any more');
}

function shared(verb: Command): Command {
  return verb
    .option('--business-context <text>', 'its business-context-identifier: 1 to 50 letters')
    .option('--partner-id <id>', 'its partner id: 8 to 20 letters and digits')
    .option('--throttle-limit <count>', 'token requests it may make in a window')
    .option('--throttle-window <duration>', 'the window, such as 1m')
    .option(
      '--property <name=value...>',
      'a value of its own, which a dialect can answer with as client.NAME; may be repeated',
    );
}

function role(description: string): Option {
  return new Option('--role <role...>', description).choices(roles);
}
