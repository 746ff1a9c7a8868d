// Owns reading private keys, certificates and authorities from the operator's files: those of Jetway's own listeners,
// and the authorities of key sets.

import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';

import type { TlsMaterial } from '../http/tls.ts';
import { instant } from '../lib/clock.ts';
import { positionAt } from '../lib/document.ts';
import { dateText } from '../lib/duration.ts';
import { type Fault, FaultsError, errorAt, warningAt } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import { UnreadableFile, readSecretFile, readSourceFile } from '../lib/read_file.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import { certificateMethods } from '../oauth/methods.ts';
import type { Programme } from '../programme/programme.ts';
import type { Config } from './config.ts';
import { shownPath } from './programme_files.ts';
import type { TlsFiles } from './tls_keys.ts';

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

/** What the files hold now. */
export interface TlsReading {
  /** Of `listen`; absent where it has no TLS, and where the files have faults. */
  readonly tls?: TlsMaterial;
  /** Of `gateway`. */
  readonly gatewayTls?: TlsMaterial;
  /** Of key sets: what the file holds, in PEM. */
  readonly jwksAuthoritiesFile?: string;
  /** Errors and warnings, at the keys of the configuration. */
  readonly faults: readonly Fault[];
}

/** A certificate that ends within this is warned of. */
const warningTime = 14 * 86_400_000;

/**
 * Reads the TLS files of a configuration. A listener one of whose files has an error gets no
 * material: a server that runs keeps what it has.
 *
 * @param now milliseconds since the epoch, by which certificates are valid
 */
export function readTls(config: Config, now: number = Date.now()): TlsReading {
  const { tls, gatewayTls, jwksAuthoritiesFile: path } = config;
  const { hostname } = new URL(config.publicUrl);
  const read = tls && readFiles(config, 'tls', tls, now, hostname);
  const readGateway = gatewayTls && readFiles(config, 'gateway_tls', gatewayTls, now);
  const faults = [...(read?.faults ?? []), ...(readGateway?.faults ?? [])];
  const key = ['jwks_authorities_file'];
  const at = positionAt(config.document, key);
  return present({
    tls: read?.material,
    gatewayTls: readGateway?.material,
    jwksAuthoritiesFile:
      path && orFault(path, readAuthorities, (message) => faults.push(errorAt(at, key, message))),
    faults,
  });
}

/** Paths of every file that `readTls` reads. */
export function tlsPaths({ tls, gatewayTls, jwksAuthoritiesFile }: Config): readonly string[] {
  const own = [tls, gatewayTls].flatMap((one) => [
    one?.certificate,
    one?.key,
    one?.clientAuthorities,
  ]);
  return [...own, jwksAuthoritiesFile].filter((path) => path !== undefined);
}

/** The same as `readTls`, where a server is to begin with them. Throws `FaultsError` for any error. */
export function expectTls(config: Config): TlsReading {
  const reading = readTls(config);
  const errors = reading.faults.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new FaultsError(errors);
  return reading;
}

/** Warns of certificates that a dialect takes from clients, and that `listen` does not ask for. */
export function unaskedFaults(
  { tls }: Config,
  { clients }: Programme,
  document: YamlNode,
): readonly Fault[] {
  const { methods } = clients.authentication;
  const path = ['client', 'authentication', 'methods'];
  return certificateMethods.flatMap((method) => {
    const key =
      method === 'tls_client_auth' ? 'client_authorities_file' : 'client_certificates: true';
    const isAsked =
      method === 'tls_client_auth' ? tls?.clientAuthorities !== undefined : tls?.asksClients;
    if (!methods.includes(method) || isAsked === true) return [];
    const message = `no client can use ${method}: the configuration has no tls with ${key}`;
    return [warningAt('certificates_unasked', positionAt(document, path), path, message)];
  });
}

interface ListenerReading {
  readonly material?: TlsMaterial;
  readonly faults: readonly Fault[];
}

/** @param hostname the one that the certificate should be for */
function readFiles(
  { document, environment }: Config,
  setting: 'tls' | 'gateway_tls',
  files: TlsFiles,
  now: number,
  hostname?: string,
): ListenerReading {
  const faults: Fault[] = [];
  const note = (key: string, message: string, warning?: string): void => {
    const path = [setting, key];
    const at = positionAt(document, path);
    faults.push(
      warning === undefined ? errorAt(at, path, message) : warningAt(warning, at, path, message),
    );
  };
  const read = (key: string, path: string, reader: (path: string) => string): string =>
    orFault(path, reader, (message) => note(key, message)) ?? '';
  const certificate = read('certificate_file', files.certificate, readCertificate);
  const key = read('key_file', files.key, readKey);
  const { asksClients, clientAuthorities: path, ciphers } = files;
  if (environment === 'live' && ciphers === undefined) note('ciphers', laxCiphers, 'lax_ciphers');
  const clientAuthorities = path && read('client_authorities_file', path, readAuthorities);
  if (faults.length === 0 && !isPair(certificate, key)) note('key_file', pairFault);
  if (certificate !== '') {
    for (const [message, warning] of certificateFaults(certificate, now, hostname)) {
      note('certificate_file', `${shownPath(files.certificate)} ${message}`, warning);
    }
  }
  if (faults.some(({ severity }) => severity === 'error')) return { faults };
  const material = present({ certificate, key, asksClients, clientAuthorities, ciphers });
  return { material, faults };
}

const laxCiphers =
  'TLS 1.2 also takes ciphers without authentication (CBC), which RFC 9325 4.2 advises against: set ciphers: aead once jetway_tls_handshakes_without_aead_total stays at 0';

/** A year, in seconds. */
const hstsAge = 31_536_000;

/**
 * Headers of pages that came by our own TLS. A browser applies them to all ports of the host (RFC 6797 8.2):
 * they are for a host that public_url has by its name alone, and say nothing of others below it.
 */
export function hstsHeaders({ tls, publicUrl }: Config): Readonly<Record<string, string>> {
  const { hostname, port } = new URL(publicUrl);
  const isNamed = isIP(plainHost(hostname)) === 0 && !/(?:^|\.)localhost$/.test(hostname);
  if (tls === undefined || tls.hsts === 'off' || !isNamed || port !== '') return {};
  return { 'Strict-Transport-Security': `max-age=${tls.hsts === 'forget' ? 0 : hstsAge}` };
}

/** Without the brackets of an IPv6 address. */
function plainHost(hostname: string): string {
  return hostname.replaceAll(/[[\]]/g, '');
}

/** Named where it is a warning. */
type CertificateFault = readonly [message: string, warning?: string];

/** Faults of the first certificate of a chain, the server's own. */
function certificateFaults(
  pem: string,
  now: number,
  hostname: string | undefined,
): readonly CertificateFault[] {
  const certificate = new X509Certificate(pem);
  const from = instant(certificate.validFromDate.getTime());
  const to = instant(certificate.validToDate.getTime());
  const faults: CertificateFault[] = [];
  if (now < from) {
    faults.push([`is not valid before ${dateText(from)}: is this machine's clock right?`]);
  } else if (now >= to) {
    faults.push([`ended at ${dateText(to)}: get a new one`]);
  } else if (to - now < warningTime) {
    faults.push([`ends at ${dateText(to)}: renew it`, 'certificate_ends_soon']);
  }
  if (hostname !== undefined && !isFor(certificate, hostname)) {
    const message = `is not for ${hostname}, the host of public_url: clients refuse it`;
    faults.push([message, 'certificate_of_another_host']);
  }
  return faults;
}

/** @param hostname a name, or an address, in brackets where it is IPv6 */
function isFor(certificate: X509Certificate, hostname: string): boolean {
  const address = plainHost(hostname);
  const matched =
    isIP(address) === 0 ? certificate.checkHost(hostname) : certificate.checkIP(address);
  return matched !== undefined;
}
