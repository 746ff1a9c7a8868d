// Owns a client's certificates (RFC 8705): a thumbprint of each is kept, not the certificate.

import { X509Certificate } from 'node:crypto';

import { instant } from '../../lib/clock.ts';
import { digest } from '../../lib/digest.ts';
import { dateOrNull, dateText } from '../../lib/duration.ts';
import { quote } from '../../lib/fault.ts';
import { readSourceFile, UnreadableFile } from '../../lib/read_file.ts';
import {
  type ClientCertificate,
  readCertificate,
  readName,
} from '../../oauth/client_certificate.ts';
import { type Uses, useText } from '../table.ts';
import { type Field, type Input, takingAway, textField, textsOf } from './fields.ts';

const [all, added] = ['certificate', 'add_certificate'];

/** Larger than any certificate with its chain. */
const mostBytes = 64 * 1024;

const file: Pick<Input, 'quoted' | 'check'> = {
  quoted: true,
  check: (path) => {
    const read = readFile(path);
    if (typeof read === 'string') return read;
    return read.expiresAt > instant(Date.now())
      ? undefined
      : `ended at ${dateText(read.expiresAt)}`;
  },
};

/** The first certificate of a PEM file; the end of a sentence that says why there is none. */
function readFile(path: string): ClientCertificate | string {
  try {
    return readCertificate(new X509Certificate(readSourceFile(path, mostBytes)));
  } catch (error) {
    return error instanceof UnreadableFile ? error.message : 'holds no certificate in PEM';
  }
}

function readFiles(paths: readonly string[]): readonly ClientCertificate[] {
  return paths.map(readFile).filter((read) => typeof read !== 'string');
}

export const certificates: Field<readonly ClientCertificate[] | undefined, 'certificates'> = {
  json: 'certificates',
  inputs: [
    {
      ...file,
      name: all,
      flags: '--certificate <file>',
      help: 'PEM file of a certificate it shows instead of a secret (RFC 8705)',
      helpAtSet: 'PEM file of a certificate, instead of those it has',
    },
    {
      ...file,
      name: added,
      onlyAtSet: true,
      flags: '--add-certificate <file>',
      help: 'PEM file of a certificate beside the newest it has',
    },
    takingAway('--no-certificate', 'let none of its certificates in any more'),
  ],
  read: (given) => {
    const read = readFiles(textsOf(given, all));
    return read.length === 0 ? undefined : read;
  },
  change: (before = [], given) => {
    if (given.has(all)) return readFiles(textsOf(given, all));
    const [fresh] = readFiles(textsOf(given, added));
    if (fresh === undefined) return before;
    const others = before.filter(({ thumbprint }) => thumbprint !== fresh.thumbprint);
    return [...others.slice(-1), fresh];
  },
  complaints: (given) =>
    given.has(all) && given.has(added)
      ? [{ message: '--certificate replaces all there are: leave out --add-certificate' }]
      : [],
  view: (held = [], uses) => viewsOf(held, uses),
  lines: (held = [], uses) =>
    viewsOf(held, uses).map(
      ({ fingerprint, expires_at, last_used_at }) =>
        `${fingerprint}, ends ${expires_at}, ${useText(last_used_at)}`,
    ),
};

function viewsOf(held: readonly ClientCertificate[], uses: Uses) {
  return held.map((one) => ({
    fingerprint: fingerprintOf(one),
    expires_at: dateText(one.expiresAt),
    last_used_at: dateOrNull(uses.get(one.thumbprint)),
  }));
}

/** As `openssl x509 -fingerprint -sha256` writes it. */
function fingerprintOf({ thumbprint }: ClientCertificate): string {
  const hex = Buffer.from(thumbprint, 'base64url').toString('hex').toUpperCase();
  return hex.replaceAll(/..(?=.)/g, '$&:');
}

const subject = 'certificate_subject';

export const certificateSubject: Field<string | undefined, typeof subject> = {
  ...textField(
    {
      name: subject,
      check: (text) =>
        readName(text) === undefined
          ? `must be a distinguished name as in RFC 4514, such as CN=partner,O=Partner, as openssl prints it with -nameopt RFC2253, or dns:, uri:, ip: or email: and a name, not ${quote(text)}`
          : undefined,
      flags: '--certificate-subject <name>',
      help: 'name in certificates that an authority vouches for, which it shows instead of a secret (RFC 8705)',
    },
    'let certificates of its name in no more',
  ),
  read: (given) => readName(textsOf(given, subject)[0] ?? ''),
  lines: (name, uses) =>
    name === undefined ? [] : [`${name}, ${useText(dateOrNull(uses.get(digest(name))))}`],
};
