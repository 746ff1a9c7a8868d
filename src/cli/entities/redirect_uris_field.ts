// Owns a client's redirect URIs: codes are sent only to these (RFC 9700 2.6, HOSTILE 7).

import { quote } from '../../lib/fault.ts';
import { redirectUriFault } from '../../oauth/redirect_uri.ts';
import { type Field, type Input, type Inputs, textsOf } from './fields.ts';

const [all, added, removed, insecure, colliding] = [
  'redirect_uris',
  'add_redirect_uris',
  'remove_redirect_uris',
  'insecure_redirect_uris',
  'colliding_redirect_uris',
];

/** A URI in both lists counts as insecure (C-5). */
const secure: Pick<Input, 'many' | 'quoted' | 'check'> = {
  many: true,
  quoted: true,
  check: (uri, _, given) =>
    textsOf(given, insecure).includes(uri) ? undefined : redirectUriFault(uri),
};

export const redirectUris: Field<readonly string[], 'redirect_uris'> = {
  json: 'redirect_uris',
  label: 'redirect URIs',
  inputs: [
    {
      ...secure,
      name: all,
      flags: '--redirect-uri <uri...>',
      help: 'callback URI, compared to the letter; may be repeated',
      helpAtSet: 'callback URIs, instead of all it has',
    },
    {
      ...secure,
      name: added,
      onlyAtSet: true,
      flags: '--add-redirect-uri <uri...>',
      help: 'callback URIs beside those it has',
    },
    {
      name: removed,
      onlyAtSet: true,
      flags: '--remove-redirect-uri <uri...>',
      help: 'callback URIs it is not to have any more',
    },
    {
      ...secure,
      name: insecure,
      check: (uri) => redirectUriFault(uri, true),
      flags: '--insecure-redirect-uri <uri...>',
      help: 'INSECURE: callback URI of plain http, on the way to which codes can be read',
    },
    {
      ...secure,
      name: colliding,
      flags: '--colliding-redirect-uri <uri...>',
      help: 'AMBIGUOUS: callback URI whose query has a name by which the programme answers, which then comes twice',
    },
  ],
  read: (given) => [...new Set([...textsOf(given, all), ...toldOf(given)])],
  change: (before, given) => {
    const kept = before.filter((uri) => !textsOf(given, removed).includes(uri));
    const uris = given.has(all) ? textsOf(given, all) : [...kept, ...textsOf(given, added)];
    return [...new Set([...uris, ...toldOf(given)])];
  },
  complaints: (given) => {
    const both = textsOf(given, added)
      .filter((uri) => textsOf(given, removed).includes(uri))
      .map((uri) => ({ message: `${quote(uri)} is to be added and to be removed` }));
    return given.has(all) && (given.has(added) || given.has(removed)) ? [replaces, ...both] : both;
  },
  lacks: (before, given) =>
    textsOf(given, removed)
      .filter((uri) => !before.includes(uri))
      .map((uri) => `redirect URI ${quote(uri)}`),
};

/** Those that a word of its own lets in. */
function toldOf(given: Inputs): readonly string[] {
  return [...textsOf(given, insecure), ...textsOf(given, colliding)];
}

/** Those of which is said that names in their query collide (HOSTILE 86). */
export function toldColliding(given: Inputs): readonly string[] {
  return textsOf(given, colliding);
}

const replaces = {
  message:
    '--redirect-uri replaces all there are: leave out --add-redirect-uri and --remove-redirect-uri',
};
