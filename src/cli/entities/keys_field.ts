// Owns a client's public keys for assertions (RFC 7523): a set from a file, or the address of one.

import { digest } from '../../lib/digest.ts';
import { dateOrNull } from '../../lib/duration.ts';
import { readTextFile, UnreadableFile } from '../../lib/read_file.ts';
import { type ClientKey, type ClientKeys, keySetUrlFault } from '../../oauth/client_certificate.ts';
import { mostKeySetBytes, readKeySet, UnusableKeySet } from '../../token/assertions/key_set.ts';
import { type Uses, useText } from '../table.ts';
import { type Field, takingAway, textsOf } from './fields.ts';

const name = 'jwks';

function isAddress(text: string): boolean {
  return /^[a-z]+:\/\//i.test(text);
}

/** The keys of a file; the end of a sentence that says why there are none. */
function readFile(path: string): readonly ClientKey[] | string {
  try {
    return readKeySet(Buffer.from(readTextFile(path, mostKeySetBytes)));
  } catch (error) {
    if (error instanceof UnreadableFile || error instanceof UnusableKeySet) return error.message;
    throw error;
  }
}

export const assertionKeys: Field<ClientKeys | undefined, typeof name> = {
  json: name,
  label: 'assertion keys',
  inputs: [
    {
      name,
      quoted: true,
      check: (text) => {
        if (isAddress(text)) return keySetUrlFault(text);
        const read = readFile(text);
        return typeof read === 'string' ? read : undefined;
      },
      flags: '--jwks <file|url>',
      help: 'public keys with which it signs assertions (RFC 7523): a JWKS file, or the https address of one',
    },
    takingAway('--no-jwks', 'take no assertions of it any more'),
  ],
  read: (given) => {
    const [text] = textsOf(given, name);
    if (text === undefined) return undefined;
    if (isAddress(text)) return { url: text };
    const keys = readFile(text);
    return typeof keys === 'string' ? undefined : { keys };
  },
  view: (held, uses) => (held === undefined ? null : viewOf(held, uses)),
  lines: (held, uses) => {
    const view = held === undefined ? [] : viewOf(held, uses);
    if ('url' in view) return [`${view.url}, ${useText(view.last_used_at)}`];
    return view.map(
      ({ thumbprint, kid, type, last_used_at }) =>
        `${thumbprint}${kid === null ? '' : `, kid ${kid}`}, ${type}, ${useText(last_used_at)}`,
    );
  },
};

function viewOf(held: ClientKeys, uses: Uses) {
  if ('url' in held) return { url: held.url, last_used_at: dateOrNull(uses.get(digest(held.url))) };
  return held.keys.map(({ thumbprint, kid = null, algorithm, jwk }) => ({
    thumbprint,
    kid,
    type: algorithm ?? jwk['crv'] ?? jwk['kty'],
    last_used_at: dateOrNull(uses.get(thumbprint)),
  }));
}
