// Owns what is known of each method by which clients authenticate: its inputs, and its words for operators and
// partners. Code that acts on a method stands in requests/credentials.ts.

import type { AuthenticationMethod } from '../oauth/client.ts';

export interface Method {
  /** The inputs that it cannot do without. */
  readonly inputs: readonly string[];
  /** What a request holds, for operators: `{id}`, `{secret}` and `{proof}` are wire names. */
  readonly expected: string;
  /** What a dialect offers, for comparing two versions of it. */
  readonly offered: string;
  /** What a partner sends, as Markdown; left out where it is no way of its own. */
  readonly partner?: string;
  /** Its scheme in OpenAPI documents, which have none for what a parameter proves. */
  readonly openapi?: 'basic' | 'bare_basic' | 'certificate';
}

const byCertificate = {
  inputs: ['client_id'],
  partner: 'a certificate in the TLS handshake (RFC 8705), with `{id}` in the request',
  openapi: 'certificate',
} as const;

export const methodRows: Readonly<Record<AuthenticationMethod, Method>> = {
  basic: {
    inputs: [],
    expected: 'Authorization: {scheme} and base64 of identifier:secret',
    offered: 'Authorization: Basic',
    partner: 'the header `Authorization: {scheme}`, with base64 of identifier, colon and secret',
    openapi: 'basic',
  },
  bare_basic: {
    inputs: [],
    expected: 'Authorization: and that base64 alone',
    offered: 'Authorization without a scheme',
    partner: 'the header `Authorization` with that base64 alone, without the word Basic',
    openapi: 'bare_basic',
  },
  parameters: {
    inputs: ['client_id', 'client_secret'],
    expected: '{id} and {secret}',
    offered: 'client_id and client_secret as parameters',
    partner: '`{id}` and `{secret}` in the request',
  },
  secret: {
    inputs: ['client_secret'],
    expected: 'the secret alone in {proof}',
    offered: 'the secret alone',
    partner: '`{secret}` in the request, without an identifier',
  },
  none: {
    inputs: ['client_id'],
    expected: '{id} alone, of a public client',
    offered: 'client_id alone, of public clients',
  },
  token: {
    inputs: [],
    expected: 'a token of an earlier answer',
    offered: 'a token alone',
  },
  private_key_jwt: {
    inputs: ['client_assertion'],
    expected: 'an assertion that the client has signed',
    offered: 'an assertion signed by the client (RFC 7523)',
    partner: 'an assertion that you sign',
  },
  self_signed_tls_client_auth: {
    ...byCertificate,
    expected: 'the registered certificate',
    offered: 'client_id beside a registered certificate (RFC 8705)',
  },
  tls_client_auth: {
    ...byCertificate,
    expected: 'a certificate with the registered name',
    offered: 'client_id beside a certificate of a registered name (RFC 8705)',
  },
};

/** Words of a method with the names of a dialect in place of those in braces. */
export function filled(words: string, names: Readonly<Record<string, string>>): string {
  return words.replaceAll(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole);
}
