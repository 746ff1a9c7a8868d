// Owns one compiled token endpoint of a programme: each check of C-8 that needs no store.

import { describeName, ownCause } from '../../oauth/cause.ts';
import { type Client, type Role } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import {
  byGrant,
  grantInputs,
  type GrantType,
  inputsOfGrants,
  publicGrants,
} from '../../oauth/grant.ts';
import type { WireRequest } from '../../oauth/wire_request.ts';
import type { Definition } from '../language/definition.ts';
import type { EndpointDefinition } from '../language/input_schema.ts';
import { compileCredentials, type ReadCredentials } from './credentials.ts';
import { compileEcho, type Sent } from './echo.ts';
import { grantsAt, readsInput } from './grant_places.ts';
import {
  compileInputs,
  inputFault,
  type InputRule,
  type Inputs,
  type SecretTest,
  unequalFault,
} from './input_rules.ts';
import { compileReader, refuse, wasEmpty } from './request_reader.ts';

/** A token endpoint for the engine. Its functions throw only `Refusal`. */
export interface TokenEndpoint {
  readonly path: string;
  readonly methods: ReadonlySet<string>;
  /** The name of the scope on the wire. */
  readonly scopeName: string;
  /** Checks media type, size, repeated and stray parameters. */
  readonly readInputs: (request: WireRequest) => Inputs;
  /** The values that answers may repeat; undefined where none does. */
  readonly echo: ((inputs: Inputs) => Sent) | undefined;
  /** The client's credentials, by any of the dialect's methods; `known` is the cache. */
  readonly readCredentials: ReadCredentials;
  /** Checks required headers, their shape, and the programme they name. */
  readonly checkHeaders: (inputs: Inputs) => void;
  /** Checks that client_id and context belong to the authenticated client. */
  readonly checkClient: (inputs: Inputs, client: Client, isSecret: SecretTest) => void;
  /** The requested grant; refused if the client may not use it. */
  readonly selectGrant: (inputs: Inputs, client: Client) => GrantType;
  /** Checks the parameters of the grant: presence and shape. */
  readonly checkParameters: (inputs: Inputs, grant: GrantType) => void;
}

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
    scopeName: rules.find(({ role }) => role === 'scope')?.told ?? 'scope',
    readInputs: (request) => read(request, refuse),
    echo: compileEcho(definition, rules),
    readCredentials: compileCredentials(
      definition.client.authentication,
      rules,
      asksByAssertion(name, definition),
    ),
    checkHeaders: (inputs) => {
      for (const rule of headerRules) checkInput(rule, inputs, rule.required);
    },
    checkClient: (inputs, client, isSecret) => {
      for (const rule of clientRules) {
        const value = inputs.get(rule.role);
        if (value !== undefined && rule.equalsClient?.(value, client, isSecret) === false) {
          const { reason, facts } = unequalFault(rule, value);
          throw new Refusal(reason, facts);
        }
      }
    },
    selectGrant: compileGrantSelection(name, rules, definition),
    checkParameters: compileParameterChecks(rules.filter((rule) => !isShared(rule))),
  };
}

/** Whether a request asks for the grant `jwt_bearer`, by its `grant_type` or at its own endpoint. */
function asksByAssertion(
  endpointName: string,
  definition: Definition,
): (inputs: Inputs) => boolean {
  const types = grantsAt(definition, endpointName);
  const wireValue = definition.grants.jwt_bearer?.grant_type;
  if (wireValue === undefined || !types.includes('jwt_bearer')) return () => false;
  if (types.length === 1) return () => true;
  return (inputs) => inputs.get('grant_type') === wireValue;
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
  const value = isBlank ? undefined : sent;
  const cameEmpty = isBlank || (sent === undefined && wasEmpty(inputs, rule.role));
  const fault = inputFault(rule, value, required, cameEmpty);
  if (fault !== undefined) throw new Refusal(fault.reason, fault.facts);
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
  const offered = [...byWireValue.keys()].join(', ');
  return (inputs, client) => {
    const wireValue = inputs.get('grant_type');
    const isNeeded = rule !== undefined && (rule.required || byWireValue.size > 1);
    if (isNeeded && wireValue === undefined) checkInput(rule, inputs, true);
    const grant = wireValue === undefined ? only : byWireValue.get(wireValue);
    if (grant === undefined) {
      const parameter = rule?.told ?? 'grant_type';
      const came = wireValue === undefined ? 'none' : describeName(wireValue);
      const cause = ownCause(['grants'], `${parameter}: one of ${offered}`, came, parameter);
      throw new Refusal('unsupported_grant_type', { parameter, cause });
    }
    if (client.isPublic === true && !publicGrants.has(grant.type)) {
      const came = 'a public client, which proves nothing';
      const cause = { rule: ['grants', grant.type], expected: 'a confidential client', came };
      throw new Refusal('grant_not_allowed', { cause });
    }
    if (!client.roles.includes(grant.role)) {
      const came = `a client with ${rolesOf(client)}`;
      const roleRule = ['grants', grant.type, 'role'];
      const cause = { rule: roleRule, expected: `a client with the role ${grant.role}`, came };
      throw new Refusal('grant_not_allowed', { cause });
    }
    return grant.type;
  };
}

/** The roles of a client in words. */
export function rolesOf({ roles }: Client): string {
  return roles.length === 0 ? 'no role' : `the role ${roles.join(' and ')}`;
}

/** Checks the inputs of a grant, also those in headers, only for that grant. */
function compileParameterChecks(rules: readonly InputRule[]): TokenEndpoint['checkParameters'] {
  const checks = byGrant((type) =>
    rules
      .filter(({ role }) => readsInput(type, role))
      .map((rule) => ({
        rule,
        required: rule.required || grantInputs[type].needs.includes(rule.role),
      })),
  );
  return (inputs, grant) => {
    for (const { rule, required } of checks[grant]) checkInput(rule, inputs, required);
  };
}
