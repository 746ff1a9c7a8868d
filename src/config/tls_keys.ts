// Owns the keys of the configuration that name the listeners' certificates.

import * as v from 'valibot';

import { present } from '../lib/present.ts';
import { key } from '../schema/notes.ts';
import type { Local } from './rows.ts';

/** Paths of PEM files. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
  /** Whether clients are asked for a certificate. */
  readonly asksClients: boolean;
  /** Vouch for certificates of clients. */
  readonly clientAuthorities?: string;
  readonly ciphers?: 'aead';
  /** What browsers are told to remember of the host (RFC 6797); of `listen` alone, which has pages. */
  readonly hsts?: (typeof hstsWords)[number];
}

const hstsWords = ['on', 'off', 'forget'] as const;

export const certifiedSchema = v.strictObject({
  certificate_file: key(v.string(), {
    text: 'The certificate in PEM, with its chain behind it.',
    example: './tls/certificate.pem',
  }),
  key_file: key(v.string(), {
    text: 'The key of the certificate, in PEM. Its owner alone may read it, and it has no passphrase.',
    example: './tls/key.pem',
  }),
  ciphers: key(v.exactOptional(v.picklist(['aead'])), {
    text: 'aead refuses clients of TLS 1.2 that have CBC alone.',
    example: 'aead',
    otherwise: 'CBC is taken, too',
  }),
});

export const tlsSchema = v.strictObject({
  ...certifiedSchema.entries,
  client_certificates: key(v.optional(v.boolean(), false), {
    text: 'Whether clients are asked for a certificate, for programmes that take one in place of a secret.',
    example: 'true',
  }),
  client_authorities_file: key(v.exactOptional(v.string()), {
    text: 'Certificates (PEM) of authorities that vouch for the certificates of clients. Clients are asked for one then.',
    example: './tls/clients.pem',
    otherwise: 'clients are known by the certificate that they registered',
  }),
  hsts: key(v.optional(v.picklist(hstsWords), 'on'), {
    text: 'on tells browsers that this host speaks https alone. off does not tell them. forget tells them to forget it.',
    example: 'off',
  }),
});

/** Paths are relative to the folder of the configuration. */
export function localFiles(
  tls: Partial<v.InferOutput<typeof tlsSchema>> & v.InferOutput<typeof certifiedSchema>,
  local: Local,
): TlsFiles {
  const authorities = tls.client_authorities_file;
  return present({
    certificate: local(tls.certificate_file),
    key: local(tls.key_file),
    asksClients: tls.client_certificates === true || authorities !== undefined,
    clientAuthorities: local(authorities),
    ciphers: tls.ciphers,
    hsts: tls.hsts,
  });
}
