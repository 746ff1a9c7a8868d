// Owns reading a client's credentials from a request, by the methods of the dialect.

import { basicToken, type CredentialEncoding, decodeCredentials } from '../../oauth/basic.ts';
import { type Cause, countOf, ownCause } from '../../oauth/cause.ts';
import { type AuthenticationMethod, isHeaderMethod } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import type { ProvenHeaders } from '../../token/proven_headers.ts';
import type { Definition } from '../language/definition.ts';
import type { InputRule, Inputs } from './input_rules.ts';
import type { PresentedCredentials, SecretCredentials } from './presented_credentials.ts';

/** `known` is the cache. */
export type ReadCredentials = (
  request: WireRequest,
  inputs: Inputs,
  known: ProvenHeaders,
) => PresentedCredentials;

/** Longer than any identifier and secret; longer headers are refused before decoding. */
const longestAuthorization = 4096;

export type ClientAuthentication = Definition['client']['authentication'];

/** Credentials by their wire names; `proof` is what is told to be missing. */
export function credentialNames(
  { methods }: ClientAuthentication,
  rules: readonly InputRule[],
): Readonly<Record<'idName' | 'secretName' | 'proof', string>> & { readonly readsHeader: boolean } {
  const nameOf = (role: string): string => rules.find((rule) => rule.role === role)?.told ?? role;
  const [idName, secretName] = [nameOf('client_id'), nameOf('client_secret')];
  const readsHeader = methods.some(isHeaderMethod);
  const unproven = methods.includes('parameters') ? secretName : 'client_certificate';
  return { readsHeader, idName, secretName, proof: readsHeader ? 'authorization' : unproven };
}

export function compileCredentials(
  authentication: ClientAuthentication,
  rules: readonly InputRule[],
): ReadCredentials {
  const { credentials: encoding } = authentication;
  const methods = new Set(authentication.methods);
  const takesOwn = methods.has('self_signed_tls_client_auth');
  const takesNames = methods.has('tls_client_auth');
  const { readsHeader, idName, secretName, proof } = credentialNames(authentication, rules);
  const words = { ...wayWords, parameters: `${idName} and ${secretName}` };
  const ways = authentication.methods.map((method) => words[method]).join(', or ');
  return (request, inputs, known) => {
    const headers = headerValues(request, 'authorization').filter((value) => value !== '');
    const secret = inputs.get('client_secret');
    if (readsHeader && headers.length > 0) {
      // RFC 6749 2.3: a client uses one method of authentication in each request (HOSTILE 41).
      if (secret !== undefined) {
        const came = `an Authorization header and ${secretName}`;
        const cause = credentialsCause(`one of ${ways}`, came, secretName);
        throw new Refusal('authentication_ambiguous', { parameter: secretName, cause });
      }
      const read = readToken(findToken(headers, methods), encoding, known);
      if (read !== undefined) return read;
      const cause = credentialsCause(ways, describeHeaders(headers));
      throw new Refusal('authentication_malformed', { parameter: 'authorization', cause });
    }
    const id = inputs.get('client_id');
    // RFC 8705 2: the certificate of the connection counts only where no other method is used.
    const shown =
      (takesOwn || takesNames) && secret === undefined ? request.certificate() : undefined;
    if (id !== undefined && shown !== undefined) {
      const { thumbprint, names, expiresAt } = shown;
      const claim = { names: takesNames ? names : [], expiresAt };
      const certificate = takesOwn ? { ...claim, thumbprint } : claim;
      return { kind: 'certificate', id, certificate };
    }
    if (!methods.has('parameters') || id === undefined || secret === undefined) {
      // A client that sends its secret as a parameter has chosen that method.
      const isUnnamed = id === undefined && (!readsHeader || secret !== undefined);
      const parameter = isUnnamed ? idName : proof;
      const cause = credentialsCause(ways, `no ${parameter}`, parameter);
      throw new Refusal('authentication_missing', { parameter, cause });
    }
    return { kind: 'secret', id, secrets: () => [secret] };
  };
}

/** The base64 of the only Authorization header; undefined if its method is not the dialect's. */
function findToken(headers: readonly string[], methods: ReadonlySet<string>): string | undefined {
  const [header = ''] = headers;
  if (headers.length > 1 || header.length > longestAuthorization) return undefined;
  const scheme = methods.has('basic') ? basicToken(header) : undefined;
  return scheme ?? (methods.has('bare_basic') ? header.trim() : undefined);
}

const wayWords: Readonly<Record<Exclude<AuthenticationMethod, 'parameters'>, string>> = {
  basic: 'Authorization: Basic and base64 of identifier:secret',
  bare_basic: 'Authorization: and that base64 alone',
  self_signed_tls_client_auth: 'the registered certificate',
  tls_client_auth: 'a certificate with the registered name',
};

function credentialsCause(expected: string, came: string, parameter = 'authorization'): Cause {
  return ownCause(['client', 'authentication', 'methods'], expected, came, parameter);
}

/** Schemes that clients send by mistake; any other first word may be a secret. */
const knownScheme = /^(?:basic|bearer|digest|dpop|negotiate|ntlm|token|apikey)(?= |$)/i;

function describeHeaders([header = '', ...others]: readonly string[]): string {
  if (others.length > 0) return countOf(others.length + 1, 'Authorization header');
  if (header.length > longestAuthorization) {
    return `an Authorization header of ${header.length} characters`;
  }
  const [scheme] = knownScheme.exec(header) ?? [];
  const kind = scheme === undefined ? 'an Authorization header without a known scheme' : scheme;
  if (scheme !== undefined && scheme.toLowerCase() !== 'basic') return `the scheme ${scheme}`;
  return `${kind}, not followed by what decodes to an identifier, ":" and a secret`;
}

/** A cached header saves the decoding, but no earlier check (C-8). */
function readToken(
  token: string | undefined,
  encoding: CredentialEncoding,
  provenHeaders: ProvenHeaders,
): SecretCredentials | undefined {
  if (token !== undefined) {
    const fingerprint = provenHeaders.fingerprint(token);
    const known = provenHeaders.find(fingerprint);
    if (known !== undefined) {
      const secrets = (): readonly string[] => decodeCredentials(token, encoding)?.secrets ?? [];
      const header = { fingerprint, proven: known.digest };
      return { kind: 'secret', id: known.id, secrets, header };
    }
    const credentials = decodeCredentials(token, encoding);
    if (credentials !== undefined) {
      const { id, secrets } = credentials;
      return { kind: 'secret', id, secrets: () => secrets, header: { fingerprint } };
    }
  }
  return undefined;
}
