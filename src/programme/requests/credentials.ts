// Owns reading a client's credentials from a request, by the methods of the dialect.

import { type ClientAuthentication, readsHeader } from '../../language/client_schema.ts';
import { signedInputs } from '../../language/signature_schema.ts';
import {
  decodeCredentials,
  decodeSecret,
  longestAuthorization,
  tokenAfter,
} from '../../oauth/basic.ts';
import { type Cause, faulty, ownCause } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import { grantRows, grantTypes, tokensOfGrants } from '../../oauth/grant.ts';
import {
  filled,
  methodRows,
  type AuthenticationMethod,
  isHeaderMethod,
  privateKeyJwt,
} from '../../oauth/methods.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import type { ProvenHeaders } from '../../token/proven_headers.ts';
import { onlyProofs } from './grant_places.ts';
import type { Input, Inputs } from './inputs.ts';
import {
  type PresentedCredentials,
  type SignatureCredentials,
  type TokenCredentials,
  compileAssertionReader,
  compileUnnamed,
  headerCause,
  signRequest,
} from './presented_credentials.ts';

/** `known` is the cache. */
export type ReadCredentials = (
  request: WireRequest,
  inputs: Inputs,
  known: ProvenHeaders,
) => PresentedCredentials;

/** Credentials by their wire names; `proof` is what is told to be missing. */
export function credentialNames(
  authentication: ClientAuthentication,
  rules: readonly Input[],
): Readonly<Record<'idName' | 'secretName' | 'proof', string>> {
  const nameOf = (role: string): string => rules.find((rule) => rule.role === role)?.name ?? role;
  const [idName, secretName] = [nameOf('client_id'), nameOf('client_secret')];
  const { methods } = authentication;
  // An endpoint may read nothing else of its clients.
  const token = provingToken(authentication, rules);
  if (token !== undefined) return { idName: token.name, secretName, proof: token.name };
  const proofs = [
    [readsHeader(authentication), 'authorization'],
    [methods.includes('secret'), secretName],
    [methods.includes('none'), idName],
    [methods.includes('parameters'), secretName],
    [methods.includes('signature'), nameOf('client_signature')],
    [methods.includes('own_token'), nameOf('client_token')],
    [methods.includes(privateKeyJwt), rules.find(isAssertion)?.name ?? 'client_assertion'],
    [methods.includes('unnamed'), idName],
  ] as const;
  const [, proof] = proofs.find(([isRead]) => isRead) ?? [true, 'client_certificate'];
  return { idName, secretName, proof };
}

/** The input of the token that alone can prove a client, where the endpoint reads no credentials. */
export function provingToken<Rule extends Pick<Input, 'role'>>(
  authentication: ClientAuthentication,
  rules: readonly Rule[],
): Rule | undefined {
  const readsMore = rules.some(({ role }) => credentialRoles.has(role));
  if (readsMore || readsHeader(authentication)) return undefined;
  const tokens = authentication.methods.includes('token') ? tokensOfGrants : [];
  return rules.find(({ role }) => tokens.includes(role));
}

const credentialRoles: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'client_assertion',
  'client_signature',
  'client_token',
  'assertion',
]);

function isAssertion({ role }: Input): boolean {
  return role === 'client_assertion' || role === 'assertion';
}

interface Surroundings {
  /** Whether the assertion of a request proves its client; that of none, if left out. */
  readonly asksByAssertion?: (inputs: Inputs) => boolean;
  /** How clients prove themselves at other endpoints. */
  readonly elsewhere?: ClientAuthentication;
  /** Words before the credentials, besides that of the dialect. */
  readonly schemes?: readonly string[];
}

export function compileCredentials(
  authentication: ClientAuthentication,
  rules: readonly Input[],
  { asksByAssertion = () => false, elsewhere = authentication, schemes = [] }: Surroundings,
): ReadCredentials {
  const { scheme, when_both: whenBoth } = authentication;
  const methods = new Set(authentication.methods);
  const inHeader = readsHeader(authentication);
  const readHeader = compileHeader(authentication, [scheme, ...schemes]);
  const reading = {
    schemes: [scheme, ...schemes],
    encoding: authentication.credentials,
    charset: authentication.basic_charset,
    half: methods.has('secret') ? authentication.secret_half : undefined,
    takesBare: methods.has('bare_basic'),
  };
  const names = credentialNames(authentication, rules);
  const { idName, secretName, proof } = names;
  const secretAt = proof === 'authorization' ? `Authorization or ${secretName}` : secretName;
  const nameOf = (role: string): string => rules.find((rule) => rule.role === role)?.name ?? role;
  const [tokenName, signatureName] = [nameOf('client_token'), nameOf('client_signature')];
  const words = {
    scheme,
    id: idName,
    secret: secretName,
    proof: secretAt,
    token: tokenName,
    signature: signatureName,
  };
  const ways = authentication.methods
    .map((method) => filled(methodRows[method].expected, words))
    .join(', or ');
  const readCertificate = compileCertificate(methods);
  const readSignature = compileSignature(authentication, nameOf);
  // The header is the input's own that has its scheme; those of several grants can share it.
  const ownHeaders = rules
    .filter(({ wireName, inHeader: isHeader }) => isHeader && wireName === 'authorization')
    .map(({ role }) => role);
  const assertions = compileAssertionReader(authentication, rules, asksByAssertion);
  const readUnnamed = compileUnnamed(authentication, rules, ownHeaders);
  const ambiguous = (came: string, parameter: string): Refusal => {
    const rule = ['client', 'authentication', 'when_both'];
    const cause = { ...credentialsCause(`one of ${ways}`, came, parameter), rule };
    return new Refusal('authentication_ambiguous', { parameter, cause });
  };
  const namesItself =
    methods.has('secret') ||
    methods.has('signature') ||
    methods.has('own_token') ||
    methods.has(privateKeyJwt);
  // HOSTILE 41, by endpoint: what proves a client elsewhere is not passed over here.
  const isHeaderForeign = readsHeader(elsewhere) && !inHeader;
  const foreign = foreignProofs(authentication, elsewhere, rules);
  const refuseForeign = (parameter: string): never => {
    const cause = credentialsCause(ways, `${parameter}, which proves clients elsewhere`, parameter);
    throw new Refusal('authentication_malformed', { parameter, cause });
  };
  const missing = (id: string | undefined, secret: string | undefined): Refusal => {
    // A client that sends its secret as a parameter has chosen that method.
    const isUnnamed = secret !== undefined || (!inHeader && !namesItself);
    const parameter = id === undefined && isUnnamed ? idName : names.proof;
    const told = credentialsCause(ways, `no ${parameter}`, parameter);
    const isUncertified = id !== undefined && secret === undefined && readCertificate !== undefined;
    const cause = isUncertified ? faulty(told, 'certificate_missing') : told;
    return new Refusal('authentication_missing', { parameter, cause });
  };
  return (request, inputs, known) => {
    const secret = inputs.get('client_secret');
    const sent = foreign.find(({ role }) => inputs.has(role));
    if (sent !== undefined) refuseForeign(sent.name);
    const token = methods.has('own_token') ? inputs.get('client_token') : undefined;
    const signature = methods.has('signature') ? inputs.get('client_signature') : undefined;
    const isFree = !ownHeaders.some((role) => inputs.has(role));
    if ((inHeader || isHeaderForeign) && isFree) {
      const headers = headerValues(request, 'authorization').filter((value) => value !== '');
      if (headers.length > 0) {
        if (isHeaderForeign) refuseForeign('authorization');
        // RFC 6749 2.3: a client uses one method of authentication in each request (HOSTILE 41).
        if (whenBoth === 'refuse') {
          const came = 'an Authorization header and';
          if (secret !== undefined) throw ambiguous(`${came} ${secretName}`, secretName);
          if (token !== undefined) throw ambiguous(`${came} ${tokenName}`, tokenName);
          if (signature !== undefined) throw ambiguous(`${came} ${signatureName}`, signatureName);
          if (assertions?.isSent(inputs) === true) {
            throw ambiguous(`${came} an assertion`, assertions.told);
          }
        }
        const read = readHeader(headers, known);
        if (read !== undefined) return read;
        const cause = headerCause(credentialsCause(ways, ''), headers, reading);
        throw new Refusal('authentication_malformed', { parameter: 'authorization', cause });
      }
    }
    if (signature !== undefined) {
      const others: readonly (readonly [came: unknown, name: string])[] = [
        [secret, secretName],
        [token, tokenName],
        [assertions?.isSent(inputs) === true ? '' : undefined, 'an assertion'],
      ];
      const [, other] = others.find(([came]) => came !== undefined) ?? [];
      if (other !== undefined) throw ambiguous(`${signatureName} and ${other}`, signatureName);
      return readSignature(inputs, signature);
    }
    if (assertions !== undefined) {
      if (secret !== undefined && assertions.isSent(inputs)) {
        throw ambiguous(`${secretName} and an assertion`, secretName);
      }
      if (token !== undefined && assertions.isSent(inputs)) {
        throw ambiguous(`${tokenName} and an assertion`, tokenName);
      }
      const isRead = secret === undefined && token === undefined;
      const assertion = isRead ? assertions.read(inputs) : undefined;
      if (assertion !== undefined) return assertion;
    }
    const id = inputs.get('client_id');
    if (token !== undefined) {
      if (secret !== undefined) throw ambiguous(`${secretName} and ${tokenName}`, tokenName);
      return { kind: 'own_token', id, token };
    }
    if (secret !== undefined) {
      const secrets = (): readonly string[] => [secret];
      if (id !== undefined && methods.has('parameters')) return { kind: 'secret', id, secrets };
      if (methods.has('secret')) return { kind: 'secret_alone', secrets };
    } else if (id !== undefined) {
      const shown = readCertificate?.(request, id);
      if (shown !== undefined) return shown;
      if (methods.has('none')) return { kind: 'none', id };
    }
    const shown = secret === undefined ? shownToken(methods, inputs) : undefined;
    const found = shown ?? readUnnamed(request, inputs);
    if (found !== undefined) return found;
    throw missing(id, secret);
  };
}

/** Refuses a request without one of the values that are signed: of two texts one could else be the other. */
function compileSignature(
  { signature: recipe }: ClientAuthentication,
  nameOf: (role: string) => string,
): (inputs: Inputs, signature: string) => SignatureCredentials {
  const valueIn = (inputs: Inputs, role: string): string => {
    const value = inputs.get(role);
    if (value !== undefined) return value;
    const parameter = nameOf(role);
    const rule = ['client', 'authentication', 'signature'];
    const cause = ownCause(rule, `${parameter} beside the signature`, `no ${parameter}`, parameter);
    throw new Refusal('authentication_missing', { parameter, cause });
  };
  return (inputs, signature) => {
    if (recipe === undefined) throw new Error('the dialect does not say what clients sign');
    const id = valueIn(inputs, 'client_id');
    const values = new Map(signedInputs(recipe).map((role) => [role, valueIn(inputs, role)]));
    const valueOf = (role: string): string => values.get(role) ?? '';
    return {
      kind: 'signature',
      id,
      signature,
      signedBy: (secret) => signRequest(recipe, valueOf, secret),
    };
  };
}

function shownToken(
  methods: ReadonlySet<AuthenticationMethod>,
  inputs: Inputs,
): TokenCredentials | undefined {
  const takesLogin = methods.has('token');
  const takesOwn = methods.has('own_token');
  for (const grant of grantTypes) {
    const token = inputs.get(grantRows[grant].token ?? '');
    const isTaken = takesLogin || (takesOwn && grant === 'token_exchange');
    if (token !== undefined && isTaken)
      return { kind: 'token', grant, token, takesLogin, takesOwn };
  }
  return undefined;
}

/** Inputs that do nothing but prove a client, and do it at other endpoints. A secret too many is told apart. */
function foreignProofs(
  { methods }: ClientAuthentication,
  elsewhere: ClientAuthentication,
  rules: readonly Input[],
): readonly Input[] {
  const inputsOf = (some: readonly AuthenticationMethod[]): ReadonlySet<string> =>
    new Set(some.flatMap((method) => methodRows[method].inputs));
  const [own, others] = [inputsOf(methods), inputsOf(elsewhere.methods)];
  return rules.filter(
    ({ role }) =>
      role !== 'client_secret' && onlyProofs.has(role) && others.has(role) && !own.has(role),
  );
}

/** RFC 8705 2: the certificate of the connection, which counts only where no other method is used. */
function compileCertificate(
  methods: ReadonlySet<AuthenticationMethod>,
): ((request: WireRequest, id: string) => PresentedCredentials | undefined) | undefined {
  const takesOwn = methods.has('self_signed_tls_client_auth');
  const takesNames = methods.has('tls_client_auth');
  if (!takesOwn && !takesNames) return undefined;
  return (request, id) => {
    const shown = request.certificate();
    if (shown === undefined) return undefined;
    const { thumbprint, names, expiresAt } = shown;
    const claim = { names: takesNames ? names : [], expiresAt };
    const certificate = takesOwn ? { ...claim, thumbprint } : claim;
    return { kind: 'certificate', id, certificate };
  };
}

type ReadHeader = (
  headers: readonly string[],
  known: ProvenHeaders,
) => PresentedCredentials | undefined;

/** Reads the only Authorization header; undefined if its method is not the dialect's. */
function compileHeader(
  {
    methods,
    credentials: encoding,
    basic_charset: charset,
    secret_half: half,
  }: ClientAuthentication,
  schemes: readonly string[],
): ReadHeader {
  const takesScheme = half !== undefined || methods.includes('basic');
  const takesBare = methods.includes('bare_basic');
  const takesNone = methods.includes('none');
  const isPair = methods.some(isHeaderMethod);
  const readToken = tokenAfter(schemes);
  return (headers, known) => {
    const [header = ''] = headers;
    if (headers.length > 1 || header.length > longestAuthorization) return undefined;
    const scheme = takesScheme ? readToken(header) : undefined;
    const token = scheme ?? (takesBare ? header.trim() : undefined);
    if (token === undefined) return undefined;
    if (half !== undefined) {
      const secrets = decodeSecret(token, encoding, half, charset);
      if (secrets.length > 0) return { kind: 'secret_alone', secrets: () => secrets };
      if (!isPair) return undefined;
    }
    // A cached header saves the decoding, but no earlier check (C-8).
    const fingerprint = known.fingerprint(token);
    const proof = known.find(fingerprint);
    if (proof !== undefined) {
      const secrets = (): readonly string[] =>
        decodeCredentials(token, encoding, charset)?.secrets ?? [];
      const cached = { fingerprint, proven: proof.digest };
      return { kind: 'secret', id: proof.id, secrets, header: cached };
    }
    const credentials = decodeCredentials(token, encoding, charset);
    if (credentials === undefined) return undefined;
    const { id, secrets } = credentials;
    // RFC 6749 2.3.1: a secret that is empty can be left out.
    if (takesNone && secrets[0] === '') return { kind: 'none', id };
    return { kind: 'secret', id, secrets: () => secrets, header: { fingerprint } };
  };
}

function credentialsCause(expected: string, came: string, parameter = 'authorization'): Cause {
  return ownCause(['client', 'authentication', 'methods'], expected, came, parameter);
}
