// Owns one compiled token endpoint of a programme: each check of C-8 that needs no store.

import { authenticationAt, type ClientAuthentication } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import type { EndpointDefinition } from '../../language/input_schema.ts';
import type { Milliseconds } from '../../lib/clock.ts';
import type { Client } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import { byGrant, grantRows, type GrantType } from '../../oauth/grant.ts';
import type { WireRequest } from '../../oauth/wire_request.ts';
import { compileFormChooser, type FormChooser } from '../answers/forms.ts';
import { requestedLifetime } from './choices.ts';
import { compileCredentials, type ReadCredentials } from './credentials.ts';
import { compileEcho, type Sent } from './echo.ts';
import { compileGrantChoice, type EndpointGrant, type GrantChoice } from './grant_choice.ts';
import { grantsAt, needsInput, readsInput, wordAt } from './grant_places.ts';
import { checkInput } from './input_checks.ts';
import { missingFault, otherFault, unequalFault } from './input_faults.ts';
import { compileInputs, type Input, type Inputs, type SecretTest } from './inputs.ts';
import { compileReading, type Reading } from './reading.ts';
import { compileReader, refuse, wasEmpty } from './request_reader.ts';
import { undeclaredCredentials } from './unnamed_client.ts';

/** A token endpoint for the engine. Its functions throw only `Refusal`. */
export interface TokenEndpoint {
  /** Its name in the file. */
  readonly name: string;
  readonly path: string;
  readonly reading: Reading;
  readonly authentication: ClientAuthentication;
  readonly grants: readonly EndpointGrant[];
  readonly methods: ReadonlySet<string>;
  /** What a request without grant_type asks for, as the file says it. */
  readonly untold: EndpointDefinition['without_grant_type'];
  /** The name of the scope on the wire. */
  readonly scopeName: string;
  /** The form of the answer that a request chooses; undefined where none can. */
  readonly chosenForm: FormChooser | undefined;
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
  /** The lifetime that the request chooses for its access token; its inputs were checked. */
  readonly chosenLifetime: (inputs: Inputs) => Milliseconds | undefined;
  /** The names of its inputs that are held against what a login has drawn. */
  readonly drawn: readonly string[];
  /** Refuses a request for the lack of an input that only its grant needs. */
  readonly refuseMissing: (role: string, inputs: Inputs) => never;
  /** Refuses the value of an input for another one that its grant expects. */
  readonly refuseOther: (role: string, expected: string, came: string) => never;
}

export function compileTokenEndpoint(
  name: string,
  endpoint: EndpointDefinition,
  definition: Definition,
): TokenEndpoint {
  const grants = grantsAt(definition, name).flatMap((type): EndpointGrant[] => {
    const grant = definition.grants[type];
    return grant === undefined
      ? []
      : [{ type, wireValue: wordAt(definition, endpoint, type), role: grant.role }];
  });
  const kinds = grants.map(({ type }) => type);
  const reading = compileReading(endpoint, compileInputs(endpoint, definition, kinds), kinds);
  const { inputs: all } = reading;
  const authentication = authenticationAt(definition, endpoint);
  const { draws } = definition.authorize;
  const choice = compileGrantChoice(endpoint, all, grants);
  const [only, ...others] = grants;
  const undeclared = undeclaredCredentials(endpoint, definition, authentication);
  const read = compileReader(endpoint, [...all, ...undeclared]);
  const isShared = ({ inHeader, isOfGrants }: Input): boolean => inHeader && !isOfGrants;
  const compared = all.filter(({ clientTest }) => clientTest !== undefined);
  const headers = all.filter(isShared);
  const { requested } = definition.tokens.access;
  const inputOf = (role: string): Input => {
    const input = all.find((one) => one.role === role);
    if (input === undefined) throw new Error(`${name} reads no ${role}`);
    return input;
  };
  return {
    name,
    path: definition.base_path + endpoint.path,
    reading,
    authentication,
    grants,
    methods: new Set(endpoint.methods),
    untold: endpoint.without_grant_type,
    scopeName: all.find(({ role }) => role === 'scope')?.name ?? 'scope',
    chosenForm: compileFormChooser(definition, endpoint, all),
    readInputs: (request) => choice.ownInputs(read(request, refuse)),
    echo: compileEcho(definition, all),
    readCredentials: compileCredentials(authentication, [...all, ...undeclared], {
      // At its own endpoint whatever the request says.
      asksByAssertion: (inputs) =>
        (others.length === 0 ? only : choice.find(inputs))?.type === 'jwt_bearer',
      elsewhere: definition.client.authentication,
    }),
    checkHeaders: (inputs) => {
      for (const input of headers) checkInput(input, inputs, input.required);
    },
    checkClient: (inputs, client, isSecret) => {
      for (const input of compared) {
        const value = inputs.get(input.role);
        if (value !== undefined && input.clientTest?.holds(value, client, isSecret) === false) {
          const { reason, facts } = unequalFault(input, value);
          throw new Refusal(reason, facts);
        }
      }
    },
    selectGrant: compileGrantSelection(choice.choose),
    checkParameters: compileParameterChecks(all.filter((input) => !isShared(input))),
    chosenLifetime: (inputs) => {
      const value = inputs.get('access_lifetime');
      return requested && value !== undefined ? requestedLifetime(requested, value) : undefined;
    },
    drawn: all.flatMap(({ role }) => (Object.hasOwn(draws, role) ? [role] : [])),
    refuseMissing: (role, inputs) => {
      const { reason, facts } = missingFault(inputOf(role), wasEmpty(inputs, role));
      throw new Refusal(reason, facts);
    },
    refuseOther: (role, expected, came) => {
      const { reason, facts } = otherFault(inputOf(role), expected, came);
      throw new Refusal(reason, facts);
    },
  };
}

/** The grant of a request, if its client may have it. */
function compileGrantSelection(choose: GrantChoice['choose']): TokenEndpoint['selectGrant'] {
  return (inputs, client) => {
    const grant = choose(inputs);
    if (client.isPublic === true && grantRows[grant.type].isPublic !== true) {
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
function compileParameterChecks(all: readonly Input[]): TokenEndpoint['checkParameters'] {
  const checks = byGrant((type) =>
    all
      .filter(({ role }) => readsInput(type, role))
      .map((input) => ({ input, required: input.required || needsInput(type, input.role) })),
  );
  return (inputs, grant) => {
    for (const { input, required } of checks[grant]) checkInput(input, inputs, required);
  };
}
