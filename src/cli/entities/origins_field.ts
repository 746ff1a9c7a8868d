// Owns a client's origins: pages of these may read its answers (CORS).

import { isLoopback } from '../../lib/ip_address.ts';
import { longestOrigin } from '../../oauth/client.ts';
import { type Field, type Input, listField, takingAway } from './fields.ts';

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

const [all, added, removed] = ['origins', 'add_origins', 'remove_origins'];

const checked: Pick<Input, 'many' | 'quoted' | 'check'> = {
  many: true,
  quoted: true,
  check: originFault,
};

const list = listField('origin', { all, added, removed });

export const origins: Field<readonly string[] | undefined, 'origins'> = {
  json: 'origins',
  inputs: [
    {
      ...checked,
      name: all,
      flags: '--origin <origin...>',
      help: 'origin of pages that may read its answers, such as https://app.example, of a public client; may be repeated',
      helpAtSet: 'origins of its pages, instead of all it has',
    },
    {
      ...checked,
      name: added,
      onlyAtSet: true,
      flags: '--add-origin <origin...>',
      help: 'origins beside those it has',
    },
    {
      name: removed,
      onlyAtSet: true,
      flags: '--remove-origin <origin...>',
      help: 'origins it is not to have any more',
    },
    takingAway('--no-origin', 'let no pages read its answers any more'),
  ],
  read: (given) => someOf(list.read(given)),
  change: (before = [], given) => someOf(list.change(before, given)),
  complaints: list.complaints,
  lacks: (before = [], given) => list.lacks(before, given),
};

function someOf(held: readonly string[]): readonly string[] | undefined {
  return held.length === 0 ? undefined : held;
}
