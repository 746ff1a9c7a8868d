// Owns TLS of the listening servers: versions, ciphers, and certificates that change while they run.

import { constants } from 'node:crypto';
import type { RequestListener, ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';

import { counters } from '../lib/metrics/families.ts';
import {
  namesOf,
  type PresentedCertificate,
  readCertificate,
} from '../oauth/client_certificate.ts';

/** What a server proves itself with, and whom it believes; PEM texts. */
export interface TlsMaterial {
  readonly certificate: string;
  readonly key: string;
  /** Whether clients are asked for a certificate; without one they are served as well. */
  readonly asksClients: boolean;
  /** The only authorities that vouch for certificates of clients; none if left out. */
  readonly clientAuthorities?: string;
  /** Also those that older clients need, if left out. */
  readonly ciphers?: 'aead';
}

/** Only with forward secrecy: those of TLS 1.3, and of TLS 1.2 the ones of RFC 9325 4.2. */
const aead = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
];
/** Last, CBC: older clients have nothing else. */
const usual = [...aead, 'ECDHE+SHA256', 'ECDHE+SHA384'];

const withoutAead = counters(
  'jetway_tls_handshakes_without_aead_total',
  'TLS handshakes at all listeners whose cipher is not authenticated (CBC): what ciphers: aead would refuse.',
)();

function countCipher(socket: TLSSocket): void {
  if (!/GCM|CCM|POLY1305/.test(socket.getCipher().name)) withoutAead.add();
}

function contextOf(material: TlsMaterial): SecureContextOptions {
  const { certificate, key, clientAuthorities } = material;
  const ciphers = [...(material.ciphers === 'aead' ? aead : usual), '!aNULL'].join(':');
  return {
    cert: certificate,
    key,
    // Without a list Node would believe the public authorities.
    ca: clientAuthorities ?? [],
    minVersion: 'TLSv1.2',
    ciphers,
    honorCipherOrder: true,
    // Renegotiation costs a server more than its client.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/** @param handshakeTimeout milliseconds; Node's own are 120,000 (HOSTILE 47) */
export function createTlsServer(
  material: TlsMaterial,
  options: ServerOptions,
  handshakeTimeout: number,
  listener: RequestListener,
): Server {
  const asked = { requestCert: material.asksClients, rejectUnauthorized: false };
  const own = { ...contextOf(material), ...asked, handshakeTimeout };
  return createServer({ ...options, ...own }, listener).on('secureConnection', countCipher);
}

/**
 * New connections get the new certificate, and those that are open go on. Sessions of before are not
 * resumed: their tickets have other keys. Throws where the material cannot be used, and then changes
 * nothing.
 */
export function renewTls(server: Server, material: TlsMaterial): void {
  server.setSecureContext(contextOf(material));
  // Node reads it at each new connection.
  (server as { requestCert?: boolean }).requestCert = material.asksClients;
}

/** Reads the certificate of a connection's client; parsed once for a connection. */
export function certificateReader(socket: Socket): () => PresentedCertificate | undefined {
  return isSecure(socket) ? () => certificateOf(socket) : noCertificate;
}

/** Its class is not asked for: a server without TLS does not load it. */
function isSecure(socket: Socket): socket is TLSSocket {
  return 'encrypted' in socket;
}

function noCertificate(): undefined {}

const certificates = new WeakMap<TLSSocket, PresentedCertificate>();

function certificateOf(socket: TLSSocket): PresentedCertificate | undefined {
  const known = certificates.get(socket);
  if (known !== undefined) return known;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const names = socket.authorized ? namesOf(certificate) : [];
  const presented = { ...readCertificate(certificate), names };
  certificates.set(socket, presented);
  return presented;
}
