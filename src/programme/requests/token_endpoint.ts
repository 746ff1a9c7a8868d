// Owns one compiled token endpoint of a programme: each check of C-8 that needs no store.

import { basicToken, type CredentialEncoding, decodeCredentials } from '../../oauth/basic.ts';
import { type Client, isHeaderMethod, type Role } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import { grantInputs, type GrantType, grantTypes, inputsOfGrants } from '../../oauth/grant.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import type { PresentedCredentials, ProvenHeaders } from '../../token/proven_headers.ts';
import type { Definition } from '../language/definition.ts';
import type { EndpointDefinition } from '../language/input_schema.ts';
import { grantsAt, readsInput } from './grant_places.ts';
import {
  compileInputs,
  inputFault,
  type InputRule,
  type Inputs,
  type SecretTest,
} from './input_rules.ts';
import { compileReader, refuse } from './request_reader.ts';

/** A token endpoint for the engine. Its functions throw only `Refusal`. */
export interface TokenEndpoint {
  readonly path: string;
  readonly methods: ReadonlySet<string>;
  /** Checks media type, size, repeated and stray parameters. */
  readonly readInputs: (request: WireRequest) => Inputs;
  /** The client's credentials, by any of the dialect's methods; `known` is the cache. */
  readonly readCredentials: (
    request: WireRequest,
    inputs: Inputs,
    known: ProvenHeaders,
  ) => PresentedCredentials;
  /** Checks required headers, their shape, and the programme they name. */
  readonly checkHeaders: (inputs: Inputs) => void;
  /** Checks that client_id and context belong to the authenticated client. */
  readonly checkClient: (inputs: Inputs, client: Client, isSecret: SecretTest) => void;
  /** The requested grant; refused if the client may not use it. */
  readonly selectGrant: (inputs: Inputs, client: Client) => GrantType;
  /** Checks the parameters of the grant: presence and shape. */
  readonly checkParameters: (inputs: Inputs, grant: GrantType) => void;
}

/** Longer than any identifier and secret; longer headers are refused before decoding. */
const longestAuthorization = 4096;

export function compileTokenEndpoint(
  name: string,
  endpoint: EndpointDefinition,
  definition: Definition,
): TokenEndpoint {
  const rules = compileInputs(endpoint, definition);
  const read = compileReader(endpoint, rules);
  const isShared = (rule: InputRule): boolean =>
    endpoint.inputs[rule.role]?.in === 'header' && !inputsOfGrants.has(rule.role);
  const clientRules = rules.filter((rule) => rule.equalsClient !== undefined);
  const headerRules = rules.filter(isShared);
  return {
    path: definition.base_path + endpoint.path,
    methods: new Set(endpoint.methods),
    readInputs: (request) => read(request, refuse),
    readCredentials: compileCredentials(definition.client.authentication, rules),
    checkHeaders: (inputs) => {
      for (const rule of headerRules) checkInput(rule, inputs, rule.required);
    },
    checkClient: (inputs, client, isSecret) => {
      for (const rule of clientRules) {
        const value = inputs.get(rule.role);
        if (value !== undefined && rule.equalsClient?.(value, client, isSecret) === false) {
          throw new Refusal(rule.whenUnequal, { parameter: rule.told });
        }
      }
    },
    selectGrant: compileGrantSelection(name, rules, definition),
    checkParameters: compileParameterChecks(rules.filter((rule) => !isShared(rule))),
  };
}

/** Texts that count as missing, as blank fields do on the login page (P-13). */
const blankForms: ReadonlyMap<string, RegExp> = new Map([
  ['username', /^\s*$/],
  ['password', /^$/],
]);

/** Throws `Refusal` if a required input is missing, or a value has a wrong shape or comparison. */
export function checkInput(rule: InputRule, inputs: Inputs, required: boolean): void {
  const sent = inputs.get(rule.role);
  const isBlank = required && sent !== undefined && blankForms.get(rule.role)?.test(sent) === true;
  const fault = inputFault(rule, isBlank ? undefined : sent, required);
  if (fault !== undefined) throw new Refusal(fault, { parameter: rule.told });
}

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
): TokenEndpoint['readCredentials'] {
  const { credentials: encoding } = authentication;
  const methods = new Set(authentication.methods);
  const takesOwn = methods.has('self_signed_tls_client_auth');
  const takesNames = methods.has('tls_client_auth');
  const { readsHeader, idName, secretName, proof } = credentialNames(authentication, rules);
  return (request, inputs, known) => {
    const headers = headerValues(request, 'authorization').filter((value) => value !== '');
    const secret = inputs.get('client_secret');
    if (readsHeader && headers.length > 0) {
      // RFC 6749 2.3: a client uses one method of authentication in each request (HOSTILE 41).
      if (secret !== undefined) {
        throw new Refusal('authentication_ambiguous', { parameter: secretName });
      }
      return readToken(findToken(headers, methods), encoding, known);
    }
    const id = inputs.get('client_id');
    // RFC 8705 2: the certificate of the connection counts only where no other method is used.
    const shown =
      (takesOwn || takesNames) && secret === undefined ? request.certificate() : undefined;
    if (id !== undefined && shown !== undefined) {
      const { thumbprint, names, expiresAt } = shown;
      const claim = { names: takesNames ? names : [], expiresAt };
      const certificate = takesOwn ? { ...claim, thumbprint } : claim;
      return { id, secrets: () => [], certificate };
    }
    if (!methods.has('parameters') || id === undefined || secret === undefined) {
      // A client that sends its secret as a parameter has chosen that method.
      const isUnnamed = id === undefined && (!readsHeader || secret !== undefined);
      throw new Refusal('authentication_missing', { parameter: isUnnamed ? idName : proof });
    }
    return { id, secrets: () => [secret] };
  };
}

/** The base64 of the only Authorization header; undefined if its method is not the dialect's. */
function findToken(headers: readonly string[], methods: ReadonlySet<string>): string | undefined {
  const [header = ''] = headers;
  if (headers.length > 1 || header.length > longestAuthorization) return undefined;
  const scheme = methods.has('basic') ? basicToken(header) : undefined;
  return scheme ?? (methods.has('bare_basic') ? header.trim() : undefined);
}

/** A cached header saves the decoding, but no earlier check (C-8). */
function readToken(
  token: string | undefined,
  encoding: CredentialEncoding,
  provenHeaders: ProvenHeaders,
): PresentedCredentials {
  if (token !== undefined) {
    const fingerprint = provenHeaders.fingerprint(token);
    const known = provenHeaders.find(fingerprint);
    if (known !== undefined) {
      const secrets = (): readonly string[] => decodeCredentials(token, encoding)?.secrets ?? [];
      return { id: known.id, secrets, header: { fingerprint, proven: known.digest } };
    }
    const credentials = decodeCredentials(token, encoding);
    if (credentials !== undefined) {
      const { id, secrets } = credentials;
      return { id, secrets: () => secrets, header: { fingerprint } };
    }
  }
  throw new Refusal('authentication_malformed', { parameter: 'authorization' });
}

/** An endpoint of one grant may make grant_type optional, or not declare it. */
function compileGrantSelection(
  endpointName: string,
  rules: readonly InputRule[],
  definition: Definition,
): TokenEndpoint['selectGrant'] {
  const byWireValue = new Map<string, { readonly type: GrantType; readonly role: Role }>();
  for (const type of grantsAt(definition, endpointName)) {
    const grant = definition.grants[type];
    if (grant !== undefined) byWireValue.set(grant.grant_type ?? type, { type, role: grant.role });
  }
  const rule = rules.find((candidate) => candidate.role === 'grant_type');
  const [only] = byWireValue.values();
  return (inputs, client) => {
    const wireValue = inputs.get('grant_type');
    if (rule !== undefined && wireValue === undefined && (rule.required || byWireValue.size > 1)) {
      throw new Refusal(rule.whenMissing, { parameter: rule.told });
    }
    const grant = wireValue === undefined ? only : byWireValue.get(wireValue);
    if (grant === undefined) {
      throw new Refusal('unsupported_grant_type', { parameter: rule?.told ?? 'grant_type' });
    }
    if (!client.roles.includes(grant.role)) throw new Refusal('grant_not_allowed');
    return grant.type;
  };
}

/** Checks the inputs of a grant, also those in headers, only for that grant. */
function compileParameterChecks(rules: readonly InputRule[]): TokenEndpoint['checkParameters'] {
  const checksByGrant = new Map(
    grantTypes.map((type) => {
      const { needs } = grantInputs[type];
      const checks = rules
        .filter(({ role }) => readsInput(type, role))
        .map((rule) => ({ rule, required: rule.required || needs.includes(rule.role) }));
      return [type, checks] as const;
    }),
  );
  return (inputs, grant) => {
    for (const { rule, required } of checksByGrant.get(grant) ?? []) {
      checkInput(rule, inputs, required);
    }
  };
}
