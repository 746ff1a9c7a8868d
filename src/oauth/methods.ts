// Owns the methods by which clients authenticate. A row says what is known of one: its inputs, how it proves the
// client, and its words for operators and partners. Code that acts on it stands in programme/requests/credentials.ts.

interface Method {
  readonly proof: 'secret' | 'signature' | 'certificate' | 'assertion' | 'token' | 'nothing';
  /** It fills the Authorization header by itself. */
  readonly inHeader?: true;
  /** The inputs that it cannot do without. */
  readonly inputs: readonly string[];
  /** What a request holds, for operators: `{id}`, `{secret}`, `{signature}`, `{token}` and `{proof}` are wire names. */
  readonly expected: string;
  /** What a dialect offers, for comparing two versions of it. */
  readonly offered: string;
  /** What a partner sends, as Markdown; left out where it is no way of its own. */
  readonly partner?: string;
  /** Its scheme in OpenAPI documents, which have none for what a parameter proves. */
  readonly openapi?: 'basic' | 'bare_basic' | 'certificate';
}

const byCertificate = {
  proof: 'certificate',
  inputs: ['client_id'],
  partner: 'a certificate in the TLS handshake (RFC 8705), with `{id}` in the request',
  openapi: 'certificate',
} as const;

const rows = {
  basic: {
    proof: 'secret',
    inHeader: true,
    inputs: [],
    expected: 'Authorization: {scheme} and base64 of identifier:secret',
    offered: 'Authorization: Basic',
    partner: 'the header `Authorization: {scheme}`, with base64 of identifier, colon and secret',
    openapi: 'basic',
  },
  bare_basic: {
    proof: 'secret',
    inHeader: true,
    inputs: [],
    expected: 'Authorization: and that base64 alone',
    offered: 'Authorization without a scheme',
    partner: 'the header `Authorization` with that base64 alone, without the word Basic',
    openapi: 'bare_basic',
  },
  parameters: {
    proof: 'secret',
    inputs: ['client_id', 'client_secret'],
    expected: '{id} and {secret}',
    offered: 'client_id and client_secret as parameters',
    partner: '`{id}` and `{secret}` in the request',
  },
  // A secret without an identifier.
  secret: {
    proof: 'secret',
    inputs: ['client_secret'],
    expected: 'the secret alone in {proof}',
    offered: 'the secret alone',
    partner: '`{secret}` in the request, without an identifier',
  },
  // By its signing secret, which the request does not hold.
  signature: {
    proof: 'signature',
    inputs: ['client_id', 'client_signature'],
    expected: '{id} and {signature}',
    offered: 'client_id and a signature',
    partner: '`{id}` and `{signature}` in the request, which you make with your signing secret',
  },
  // What public clients do (RFC 7591).
  none: {
    proof: 'nothing',
    inputs: ['client_id'],
    expected: '{id} alone, of a public client',
    offered: 'client_id alone, of public clients',
  },
  // A public client of the file stands for the request.
  unnamed: {
    proof: 'nothing',
    inputs: [],
    expected: 'no credentials of any kind',
    offered: 'no credentials at all',
  },
  token: {
    proof: 'token',
    inputs: [],
    expected: 'a token of an earlier answer',
    offered: 'a token alone',
  },
  own_token: {
    proof: 'token',
    inputs: ['client_token'],
    expected: 'an access token of its own in {token}',
    offered: "a client's own access token",
    partner: 'an access token of your own in `{token}`',
  },
  // The name of OpenID Connect Core 9.
  private_key_jwt: {
    proof: 'assertion',
    inputs: ['client_assertion'],
    expected: 'an assertion that the client has signed',
    offered: 'an assertion signed by the client (RFC 7523)',
    partner: 'an assertion that you sign',
  },
  // The names of RFC 8705.
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
} as const satisfies Readonly<Record<string, Method>>;

export type AuthenticationMethod = keyof typeof rows;

export const methodRows: Readonly<Record<AuthenticationMethod, Method>> = rows;

export const authenticationMethods = Object.keys(rows) as readonly AuthenticationMethod[];

/** Assertions that the client's private key signs (RFC 7523 2.2). */
export const privateKeyJwt = 'private_key_jwt';

export const certificateMethods = authenticationMethods.filter(isByCertificate);

export function isBySecret(method: AuthenticationMethod): boolean {
  return methodRows[method].proof === 'secret';
}

/** Whether the method is one of public clients. */
export function isByNothing(method: AuthenticationMethod): boolean {
  return methodRows[method].proof === 'nothing';
}

export function isByCertificate(method: AuthenticationMethod): boolean {
  return methodRows[method].proof === 'certificate';
}

export function isHeaderMethod(method: AuthenticationMethod): boolean {
  return methodRows[method].inHeader === true;
}

/** Words of a method with the names of a dialect in place of those in braces. */
export function filled(words: string, names: Readonly<Record<string, string>>): string {
  return words.replaceAll(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole);
}
