// Owns a client's public keys for assertions (RFC 7523): a set from a file, or the address of one.

import type { Instant } from '../../lib/clock.ts';
import { type Digest, digest } from '../../lib/digest.ts';
import { readTextFile, UnreadableFile } from '../../lib/read_file.ts';
import type { Client } from '../../oauth/client.ts';
import { type ClientKey, type ClientKeys, keySetUrlFault } from '../../oauth/client_certificate.ts';
import { mostKeySetBytes, readKeySet, UnusableKeySet } from '../../token/assertions/key_set.ts';
import { dateOrNull } from '../table.ts';
import { useText } from './certificates_field.ts';
import { type Field, takingAway, textsOf } from './fields.ts';
import type { Shown } from './shown.ts';

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

export const assertionKeys: Field<ClientKeys | undefined> = {
  json: name,
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
};

/** @param uses last uses, recorded at most once an hour */
export function showKeys(
  { assertionKeys: held }: Client,
  uses: ReadonlyMap<Digest, Instant>,
): Shown {
  const label = 'assertion keys';
  if (held === undefined) return { json: name, label, value: null, lines: [] };
  if ('url' in held) {
    const last_used_at = dateOrNull(uses.get(digest(held.url)));
    const lines = [`${held.url}, ${useText(last_used_at)}`];
    return { json: name, label, value: { url: held.url, last_used_at }, lines };
  }
  const views = held.keys.map(({ thumbprint, kid = null, algorithm, jwk }) => ({
    thumbprint,
    kid,
    type: algorithm ?? jwk['crv'] ?? jwk['kty'],
    last_used_at: dateOrNull(uses.get(thumbprint)),
  }));
  const lines = views.map(
    ({ thumbprint, kid, type, last_used_at }) =>
      `${thumbprint}${kid === null ? '' : `, kid ${kid}`}, ${type}, ${useText(last_used_at)}`,
  );
  return { json: name, label, value: views, lines };
}
