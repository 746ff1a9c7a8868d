// Owns what a request presents to prove its client: assertions, signatures, no credentials at all, which are one
// client's where the file says so, and why an Authorization header is not credentials.

import type { ClientAuthentication } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import type { EndpointDefinition, InputDefinition } from '../../language/input_schema.ts';
import { type RequestSignature, methodOf } from '../../language/signature_schema.ts';
import { isProperty } from '../../language/tokens/assertion_schema.ts';
import type { Digest } from '../../lib/digest.ts';
import { suggest } from '../../lib/suggest.ts';
import {
  type BasicCharset,
  type CredentialEncoding,
  type SecretHalf,
  credentialsFault,
  decodeCredentials,
  longestAuthorization,
} from '../../oauth/basic.ts';
import { type Cause, countOf, faulty, ownCause } from '../../oauth/cause.ts';
import type { CertificateClaim } from '../../oauth/client_certificate.ts';
import { Refusal } from '../../oauth/failure.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { isByCertificate, privateKeyJwt } from '../../oauth/methods.ts';
import type { ProofFault } from '../../oauth/proofs/proof_faults.ts';
import { secretWord, signatureOf } from '../../oauth/proofs/signature.ts';
import { type WireRequest, headerValues } from '../../oauth/wire_request.ts';
import {
  type Assertion,
  type AssertionUse,
  readAssertion,
} from '../../token/assertions/assertion.ts';
import { AssertionFault } from '../../token/assertions/claims.ts';
import type { Fingerprint } from '../../token/proven_headers.ts';
import { onlyProofs } from './grant_places.ts';
import { type Input, type Inputs, compileInputs } from './inputs.ts';
import { wasEmpty } from './request_reader.ts';

/** A new kind needs a row in `prove` (engine/authentication/client.ts). */
export type PresentedCredentials =
  | SecretCredentials
  | LoneSecret
  | CertificateCredentials
  | AssertionCredentials
  | SignatureCredentials
  | PublicCredentials
  | TokenCredentials
  | OwnTokenCredentials;

export interface SecretCredentials {
  readonly kind: 'secret';
  readonly id: string;
  /** The possible readings of the secret; a cached header is decoded only by this call. */
  readonly secrets: () => readonly string[];
  /** The header's fingerprint and, if it is cached, the digest it proved. */
  readonly header?: { readonly fingerprint: Fingerprint; readonly proven?: Digest };
}

/** A secret without an identifier, by which the client is found. */
export interface LoneSecret {
  readonly kind: 'secret_alone';
  readonly id?: never;
  /** The possible readings of the secret. */
  readonly secrets: () => readonly string[];
}

/** RFC 8705: what the dialect takes of a certificate. */
export interface CertificateCredentials {
  readonly kind: 'certificate';
  readonly id: string;
  readonly certificate: CertificateClaim;
}

/** The identifier of a client that claims to be public (RFC 6749 3.2.1). */
interface PublicCredentials {
  readonly kind: 'none';
  readonly id: string;
  /** The request named nobody: the file did. */
  readonly isUnnamed?: true;
}

/** A token of an earlier answer, which names its client and is all that proves it. */
export interface TokenCredentials {
  readonly kind: 'token';
  readonly id?: never;
  /** The only grant that it proves anything for. */
  readonly grant: GrantType;
  readonly token: string;
  /** Whether a token that the client got for itself proves it, and whether any token of a login does. */
  readonly takesOwn: boolean;
  readonly takesLogin: boolean;
}

/** An access token of the client's own, beside what the grant needs. */
export interface OwnTokenCredentials {
  readonly kind: 'own_token';
  /** As the request says besides. */
  readonly id: string | undefined;
  readonly token: string;
}

/** A signature by the client's signing secret. */
export interface SignatureCredentials {
  readonly kind: 'signature';
  readonly id: string;
  readonly signature: string;
  /** The signature that the text must have by a secret. */
  readonly signedBy: (secret: string) => string;
}

/** RFC 7523: a JWT of which nothing is proved, not even the identifier. */
export interface AssertionCredentials {
  readonly kind: 'assertion';
  readonly id: string;
  readonly assertion: Assertion;
  readonly use: AssertionUse;
}

/** RFC 7523 2.2. */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The inputs of RFC 7521 4.2. */
export const assertionInputs = ['client_assertion', 'client_assertion_type'] as const;

interface AssertionReader {
  /** The wire name of `client_assertion`. */
  readonly told: string;
  readonly isSent: (inputs: Inputs) => boolean;
  /** Undefined where there is none. Throws `Refusal` for what cannot be read. */
  readonly read: (inputs: Inputs) => AssertionCredentials | undefined;
}

/**
 * @param asksByAssertion whether a request asks for the grant `jwt_bearer`: then its assertion proves its
 * client too, where no other credentials came (RFC 7521 4.1)
 */
export function compileAssertionReader(
  { methods, assertion: { issuer, sub } }: Definition['client']['authentication'],
  rules: readonly Input[],
  asksByAssertion: (inputs: Inputs) => boolean,
): AssertionReader | undefined {
  if (!methods.includes(privateKeyJwt)) return undefined;
  const told = (role: string): string => rules.find((rule) => rule.role === role)?.name ?? role;
  const expectsType = rules.some(({ role }) => role === 'client_assertion_type');
  const refusal = (role: string, expected: string, came: string, fault?: ProofFault): Refusal => {
    const rule = ['client', 'authentication', 'methods'];
    const own = ownCause(rule, `${told(role)}: ${expected}`, came, told(role));
    const cause = fault === undefined ? own : faulty(own, fault, came);
    // Of a grant, whatever is wrong with its assertion gets one answer.
    return role === 'assertion'
      ? new Refusal('invalid_assertion', { cause })
      : new Refusal('authentication_malformed', { parameter: told(role), cause });
  };
  const missing = (role: string): Refusal => {
    const rule = ['client', 'authentication', 'assertion'];
    const cause = ownCause(rule, `${told(role)} beside the assertion`, 'none', told(role));
    return new Refusal('authentication_missing', { parameter: told(role), cause });
  };
  const read = (inputs: Inputs, role: string, use: AssertionUse): AssertionCredentials => {
    const found = readAssertion(inputs.get(role) ?? '', use);
    if (found instanceof AssertionFault) {
      throw refusal(role, found.expected, found.message, found.fault);
    }
    const isNamedByIssuer = issuer === 'client.id';
    const claimed = use === 'client' && !isProperty(sub) ? found.subject : undefined;
    const id = inputs.get('client_id') ?? (isNamedByIssuer ? found.issuer : claimed);
    if (id === undefined) {
      // It speaks of somebody else.
      if (isProperty(sub)) throw missing('client_id');
      throw refusal(role, 'a JWT that names its client', 'one that names none');
    }
    return { kind: 'assertion', id, assertion: found, use };
  };
  return {
    told: told('client_assertion'),
    isSent: (inputs) => inputs.has('client_assertion'),
    read: (inputs) => {
      if (!inputs.has('client_assertion')) {
        const isProof = inputs.has('assertion') && asksByAssertion(inputs);
        return isProof ? read(inputs, 'assertion', 'grant') : undefined;
      }
      const type = inputs.get('client_assertion_type');
      if (expectsType && type !== assertionType) {
        throw refusal(
          'client_assertion_type',
          assertionType,
          type === undefined ? 'none' : 'another',
        );
      }
      return read(inputs, 'client_assertion', 'client');
    },
  };
}

/** Whether requests without credentials are answered. */
export function takesUnnamed({ methods }: Pick<ClientAuthentication, 'methods'>): boolean {
  return methods.includes('unnamed');
}

/** What names or proves a client, by standard names. */
const standardNames = [
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
] as const;

/** No file can declare an input of such a name. */
const undeclared = 'undeclared ';

/**
 * Credentials that the endpoint does not declare, by their standard names and those of the dialect's other
 * endpoints: they are read only so that a client that sends them is not taken for one without credentials.
 */
export function undeclaredCredentials(
  endpoint: EndpointDefinition,
  definition: Definition,
  authentication: ClientAuthentication,
): readonly Input[] {
  if (!takesUnnamed(authentication)) return [];
  const declared = new Set(Object.entries(endpoint.inputs).map(sentAs));
  const standard = standardNames.map((name): Named => [name, { required: false }]);
  const others = [definition.authorize.endpoint, ...Object.values(definition.token_endpoints)]
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([role, input]) => {
      const { in: place, within } = input;
      const isPlain = within === undefined && place !== 'cookie' && place !== 'path';
      // That header is a credential wherever it comes.
      return isPlain && isCredential(role) && sentAs([role, input]) !== 'header authorization';
    });
  const inputs = Object.fromEntries(
    [...standard, ...others].flatMap(([role, input]): Named[] => {
      const { in: place, name = role } = input;
      const isHeader = place === 'header';
      const key = sentAs([role, input]);
      // There unknown parameters are refused by name.
      if (declared.has(key) || (endpoint.unknown === 'refuse' && !isHeader)) return [];
      return [[undeclared + key, { name, required: false, ...(isHeader && { in: 'header' }) }]];
    }),
  );
  return compileInputs({ ...endpoint, inputs }, definition, []);
}

type Named = readonly [role: string, input: InputDefinition];

function sentAs([role, { in: place, name = role }]: Named): string {
  return place === 'header' ? `header ${name.toLowerCase()}` : name;
}

function isCredential(role: string): boolean {
  return role === 'client_id' || onlyProofs.has(role) || role.startsWith(undeclared);
}

/**
 * The credentials of the client that stands for a request without any; undefined where one came, however wrong
 * or empty.
 *
 * @param rules the inputs that are read, those of `undeclaredCredentials` too
 * @param ownHeaders the inputs that come in the Authorization header
 */
export function compileUnnamed(
  { methods, unnamed_client: id }: ClientAuthentication,
  rules: readonly Input[],
  ownHeaders: readonly string[],
): (
  request: Pick<WireRequest, 'rawHeaders' | 'certificate'>,
  inputs: Inputs,
) => PublicCredentials | undefined {
  if (id === undefined || !takesUnnamed({ methods })) return () => undefined;
  const unnamed: PublicCredentials = { kind: 'none', id, isUnnamed: true };
  const credentials = rules.filter(({ role }) => isCredential(role));
  const readsCertificate = methods.some(isByCertificate);
  return (request, inputs) => {
    const isOwn = ownHeaders.some((role) => inputs.has(role));
    const isProven =
      credentials.some(
        ({ role, inHeader, wireName }) =>
          inputs.has(role) ||
          wasEmpty(inputs, role) ||
          // One without its scheme is no value, and none the less a credential.
          (inHeader && wireName !== 'authorization' && headerValues(request, wireName).length > 0),
      ) ||
      (!isOwn && headerValues(request, 'authorization').length > 0) ||
      (readsCertificate && request.certificate() !== undefined);
    return isProven ? undefined : unnamed;
  };
}

/** Schemes that clients send by mistake; any other first word may be a secret. */
const knownScheme = /^(?:basic|bearer|digest|dpop|negotiate|ntlm|token|apikey)(?= |$)/i;

interface Reading {
  readonly schemes: readonly string[];
  readonly encoding: CredentialEncoding;
  readonly charset: BasicCharset;
  readonly half: SecretHalf | undefined;
  readonly takesBare: boolean;
}

/** @param cause of any header, which tells what is expected */
export function headerCause(
  cause: Cause,
  [header = '', ...others]: readonly string[],
  reading: Reading,
): Cause {
  const { schemes } = reading;
  if (others.length > 0) {
    const came = countOf(others.length + 1, 'Authorization header');
    return faulty(cause, 'several_headers', came);
  }
  if (header.length > longestAuthorization) {
    const came = `an Authorization header of ${header.length} characters`;
    return faulty(cause, 'header_too_long', came);
  }
  const word = knownScheme.exec(header)?.[0];
  const [first = '', ...tokens] = header.trim().split(/\s+/);
  const isOwn = schemes.some((scheme) => scheme.toLowerCase() === first.toLowerCase());
  if (word !== undefined && !isOwn) return faulty(cause, 'other_scheme', `the scheme ${word}`);
  const fault = isOwn
    ? afterScheme(header, tokens, reading)
    : withoutScheme(first, tokens, reading);
  const told = faulty(cause, fault);
  const token = tokens[0] ?? first;
  const isForeign = fault === 'credentials_not_utf8' && reading.charset === 'utf-8';
  if (!isForeign || decodeCredentials(token, 'raw', 'utf-8_or_iso-8859-1') === undefined)
    return told;
  const expected = 'identifier and secret in UTF-8 inside the base64';
  return { ...told, rule: ['client', 'authentication', 'basic_charset'], expected };
}

function afterScheme(
  header: string,
  [token, ...more]: readonly string[],
  { encoding, half }: Reading,
): ProofFault {
  if (token === undefined) return 'scheme_alone';
  if (more.length > 0) return 'credentials_wrapped';
  const isSpaced = /^\S+ +\S+$/.test(header.trim());
  return isSpaced ? credentialsFault(token, encoding, half) : 'scheme_separator';
}

function withoutScheme(
  first: string,
  more: readonly string[],
  { schemes, encoding, half, takesBare }: Reading,
): ProofFault {
  const plain = first.toLowerCase().replace(/:$/, '');
  const names = schemes.map((scheme) => scheme.toLowerCase());
  if (more.length > 0) {
    const isNear = names.includes(plain) || suggest(plain, names) !== undefined;
    if (isNear) return 'scheme_misspelled';
    return takesBare ? 'credentials_wrapped' : 'scheme_missing';
  }
  const isGlued = names.some(
    (name) =>
      first.toLowerCase().startsWith(name) &&
      decodeCredentials(first.slice(name.length).replace(/^:/, ''), encoding) !== undefined,
  );
  if (isGlued) return 'scheme_separator';
  return takesBare ? credentialsFault(first, encoding, half) : 'scheme_missing';
}

/** @param valueOf the value of an input that is signed; of each there is one */
export function signRequest(
  recipe: RequestSignature,
  valueOf: (role: string) => string,
  secret: string,
): string {
  const values = recipe.of.map((one) => (one === secretWord ? secret : valueOf(one)));
  return signatureOf(methodOf(recipe), values.join(recipe.separator), secret);
}
