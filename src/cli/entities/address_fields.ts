// Owns the addresses of a client: its redirect URIs, to which alone codes are sent (RFC 9700 2.6, HOSTILE 7), and the
// origins whose pages may read its answers (CORS).

import { isLoopback } from '../../lib/ip_address.ts';
import { longestOrigin } from '../../oauth/client.ts';
import { redirectUriFault } from '../../oauth/redirect_uri.ts';
import { type Field, type Inputs, listField, takingAway, textsOf } from './fields.ts';

const [insecure, colliding] = ['insecure_redirect_uris', 'colliding_redirect_uris'];

/** A URI in both lists counts as insecure (C-5). */
function unlessInsecure(uri: string, _: unknown, given: Inputs): string | undefined {
  return textsOf(given, insecure).includes(uri) ? undefined : redirectUriFault(uri);
}

const uris = listField({
  name: 'redirect_uris',
  noun: 'redirect URI',
  plural: 'callback URIs',
  check: unlessInsecure,
  flags: 'redirect-uri <uri...>',
  help: 'callback URI, compared to the letter; may be repeated',
  helpAtSet: 'callback URIs, instead of all it has',
});

export const redirectUris: Field<readonly string[], 'redirect_uris'> = {
  ...uris,
  label: 'redirect URIs',
  inputs: [
    ...uris.inputs,
    {
      many: true,
      quoted: true,
      name: insecure,
      check: (uri) => redirectUriFault(uri, true),
      flags: '--insecure-redirect-uri <uri...>',
      help: 'INSECURE: callback URI of plain http, on the way to which codes can be read',
    },
    {
      many: true,
      quoted: true,
      name: colliding,
      check: unlessInsecure,
      flags: '--colliding-redirect-uri <uri...>',
      help: 'AMBIGUOUS: callback URI whose query has a name by which the programme answers, which then comes twice',
    },
  ],
  read: (given) => withTold(uris.read(given), given),
  change: (before, given) => withTold(uris.change(before, given), given),
};

/** With those that a word of its own lets in. */
function withTold(held: readonly string[], given: Inputs): readonly string[] {
  return [...new Set([...held, ...textsOf(given, insecure), ...textsOf(given, colliding)])];
}

/** The addresses of which the operator has said that names in their query collide (HOSTILE 86). */
export function toldColliding(given: Inputs): readonly string[] {
  return textsOf(given, colliding);
}

/** As browsers write it: neither `null`, nor a wildcard, nor the origin of an app's own scheme. */
const originForm = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?$/;

/** Why an origin may not be registered, or undefined when it may: https anywhere, http on loopback. */
export function originFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || !originForm.test(url.origin)) {
    return 'is no origin of pages: expected https://, a host without wildcards, and its port if it is not 443';
  }
  if (url.origin !== text) return `is not written as browsers send it: ${url.origin}`;
  if (text.length > longestOrigin) return `is longer than ${longestOrigin} characters`;
  return url.protocol === 'http:' && !isLoopback(url.hostname)
    ? 'is plain http to another machine: use https'
    : undefined;
}

const list = listField({
  name: 'origins',
  noun: 'origin',
  plural: 'origins',
  check: originFault,
  flags: 'origin <origin...>',
  help: 'origin of pages that may read its answers, such as https://app.example, of a public client; may be repeated',
  helpAtSet: 'origins of its pages, instead of all it has',
});

export const origins: Field<readonly string[] | undefined, 'origins'> = {
  ...list,
  inputs: [...list.inputs, takingAway('--no-origin', 'let no pages read its answers any more')],
  read: (given) => someOf(list.read(given)),
  change: (before = [], given) => someOf(list.change(before, given)),
  lacks: (before = [], given) => list.lacks(before, given),
};

function someOf(held: readonly string[]): readonly string[] | undefined {
  return held.length === 0 ? undefined : held;
}
