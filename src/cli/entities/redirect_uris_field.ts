// Owns a client's redirect URIs: codes are sent only to these (RFC 9700 2.6, HOSTILE 7).

import { redirectUriFault } from '../../oauth/redirect_uri.ts';
import { type Field, type Input, type Inputs, listField, textsOf } from './fields.ts';

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

const list = listField('redirect URI', { all, added, removed });

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
  read: (given) => withTold(list.read(given), given),
  change: (before, given) => withTold(list.change(before, given), given),
  complaints: list.complaints,
  lacks: list.lacks,
};

/** With those that a word of its own lets in. */
function withTold(uris: readonly string[], given: Inputs): readonly string[] {
  return [...new Set([...uris, ...textsOf(given, insecure), ...textsOf(given, colliding)])];
}

/** Those of which is said that names in their query collide (HOSTILE 86). */
export function toldColliding(given: Inputs): readonly string[] {
  return textsOf(given, colliding);
}
