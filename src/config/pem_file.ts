// Owns reading private keys, certificates and authorities from the operator's files.

import { createSecureContext } from 'node:tls';

import { readSecretFile, readSourceFile, UnreadableFile } from '../lib/read_file.ts';
import { shownPath } from './programme_files.ts';

/** Larger than certificate chains and a system's authorities. */
const mostBytes = 1024 * 1024;

/** A private key in PEM that only its owner may read (HOSTILE 56). */
export function readKey(path: string): string {
  const key = readSecretFile(path, mostBytes);
  expectUsable({ key }, 'a private key without a passphrase');
  return key;
}

/** A certificate, perhaps with its chain behind it. */
export function readCertificate(path: string): string {
  return readPem(path, 'cert');
}

export function readAuthorities(path: string): string {
  return readPem(path, 'ca');
}

/** What a file holds; undefined where it cannot be used. @param complain is told why */
export function orFault(
  path: string,
  read: (path: string) => string,
  complain: (message: string) => void,
): string | undefined {
  try {
    return read(path);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    complain(`${shownPath(path)} ${error.message}`);
    return undefined;
  }
}

function readPem(path: string, kind: 'cert' | 'ca'): string {
  const pem = readSourceFile(path, mostBytes);
  // Node ignores an unreadable authority, and then trusts no certificate.
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new UnreadableFile('holds no certificate in PEM');
  }
  expectUsable({ [kind]: pem }, 'a certificate in PEM');
  return pem;
}

function expectUsable(part: object, what: string): void {
  try {
    createSecureContext(part);
  } catch {
    throw new UnreadableFile(`is not ${what}`);
  }
}

/** Whether the key is that of the certificate, each of which is valid alone. */
export function isPair(certificate: string, key: string): boolean {
  try {
    createSecureContext({ cert: certificate, key });
    return true;
  } catch {
    return false;
  }
}

export const pairFault = 'the key is not that of the certificate';
