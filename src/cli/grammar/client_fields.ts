// Owns the options that say something of a client, when it is added and when it is changed.

import { roles } from '../../oauth/client.ts';
import type { OptionSpec } from './grammar.ts';

const shared: readonly OptionSpec[] = [
  {
    flags: '--business-context <text>',
    description: 'its business-context-identifier: 1 to 50 letters',
  },
  { flags: '--partner-id <id>', description: 'its partner id: 8 to 20 letters and digits' },
  { flags: '--throttle-limit <count>', description: 'token requests it may make in a window' },
  { flags: '--throttle-window <duration>', description: 'the window, such as 1m' },
  {
    flags: '--property <name=value...>',
    description:
      'a value of its own, which a dialect can answer with as client.NAME; may be repeated',
  },
  {
    flags: '--incomplete',
    description: "let it lack what the programme's dialect needs of a client",
  },
];

const insecureRedirectUri: OptionSpec = {
  flags: '--insecure-redirect-uri <uri...>',
  description: 'INSECURE: callback URI of plain http, on the way to which codes can be read',
};

/** What can be said of a new client. */
export const addableFields: readonly OptionSpec[] = [
  {
    flags: '--redirect-uri <uri...>',
    description: 'callback URI, compared to the letter; may be repeated',
  },
  insecureRedirectUri,
  role('what it may do: log members in, ask for tokens of its own; may be repeated'),
  ...shared,
];

/** What can be changed of a client; what is not named stays as it is. */
export const changeableFields: readonly OptionSpec[] = [
  { flags: '--name <name>', description: "the partner's name" },
  { flags: '--redirect-uri <uri...>', description: 'callback URIs, instead of all it has' },
  { flags: '--add-redirect-uri <uri...>', description: 'callback URIs beside those it has' },
  {
    flags: '--remove-redirect-uri <uri...>',
    description: 'callback URIs it is not to have any more',
  },
  insecureRedirectUri,
  role('what it may do, instead of what it may now; may be repeated'),
  { flags: '--no-roles', description: 'let it do nothing' },
  ...shared,
  { flags: '--no-business-context', description: 'take its business-context-identifier away' },
  { flags: '--no-partner-id', description: 'take its partner id away' },
  { flags: '--no-throttle', description: "hold it to the programme's limit again" },
  { flags: '--remove-property <name...>', description: 'properties it is not to have any more' },
];

function role(description: string): OptionSpec {
  return { flags: '--role <role...>', description, choices: roles };
}
