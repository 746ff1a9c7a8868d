// Owns the keys of the configuration that name the listeners' certificates.

import * as v from 'valibot';

import { present } from '../lib/present.ts';

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
  certificate_file: v.string(),
  key_file: v.string(),
  ciphers: v.exactOptional(v.picklist(['aead'])),
});

export const tlsSchema = v.strictObject({
  ...certifiedSchema.entries,
  client_certificates: v.optional(v.boolean(), false),
  client_authorities_file: v.exactOptional(v.string()),
  hsts: v.optional(v.picklist(hstsWords), 'on'),
});

/** Paths are relative to the folder of the configuration. */
export function localFiles(
  tls: Partial<v.InferOutput<typeof tlsSchema>> & v.InferOutput<typeof certifiedSchema>,
  local: (name: string) => string,
): TlsFiles {
  const authorities = tls.client_authorities_file;
  return present({
    certificate: local(tls.certificate_file),
    key: local(tls.key_file),
    asksClients: tls.client_certificates === true || authorities !== undefined,
    clientAuthorities: authorities === undefined ? undefined : local(authorities),
    ciphers: tls.ciphers,
    hsts: tls.hsts,
  });
}
