// Owns one compiled token endpoint of a programme: each check of C-8 that needs no store, which grant a request asks
// for, and which of its values the answer may repeat. What a file says must leave no request with two answers;
// src/rules/grant_choice.ts holds it to that.

import { type ClientAuthentication, authenticationAt } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import type { EndpointDefinition, InputDefinition } from '../../language/input_schema.ts';
import { knownInput } from '../../language/known_inputs.ts';
import { writtenValues } from '../../language/value_tree.ts';
import { sentPrefix } from '../../language/vocabularies.ts';
import type { Milliseconds } from '../../lib/clock.ts';
import { describeName, endpointRule, ownCause } from '../../oauth/cause.ts';
import type { Client, Role } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import { type GrantType, byGrant, grantRows } from '../../oauth/grant.ts';
import type { WireRequest } from '../../oauth/wire_request.ts';
import { type FormChooser, compileFormChooser } from '../answers/forms.ts';
import { layoutsOf } from '../answers/layouts.ts';
import { requestedLifetime } from './choices.ts';
import { type ReadCredentials, compileCredentials } from './credentials.ts';
import { grantsAt, needsInput, readsInput, wordAt } from './grant_places.ts';
import { checkInput, missingFault, otherFault, unequalFault } from './input_faults.ts';
import { type Input, type Inputs, type SecretTest, compileInputs } from './inputs.ts';
import { undeclaredCredentials } from './presented_credentials.ts';
import { type Reading, compileReading, isReadAlike } from './reading.ts';
import { compileReader, refuse, wasEmpty } from './request_reader.ts';

/** Values by their names in files: `sent.echo_token`. */
type Sent = Readonly<Record<string, string>>;

/** Longer values are left out: an answer is no place to store them. */
const longest = 200;

/** Whether a value sent for the input can open something. */
export function isSecretInput(role: string, input: InputDefinition): boolean {
  return (
    knownInput(role)?.isSecret === true ||
    input.scheme !== undefined ||
    input.in === 'cookie' ||
    input.must_equal === 'client.api_key'
  );
}

/** Names of the inputs whose values some answer repeats. */
export function repeatedInputs(definition: Definition): readonly string[] {
  const layouts = layoutsOf(definition).filter((layout) => layout.repeatsRequest);
  const names = new Set(layouts.flatMap(({ fields }) => [...writtenValues(fields)]));
  return [...names].flatMap((name) =>
    name.startsWith(sentPrefix) ? [name.slice(sentPrefix.length)] : [],
  );
}

/** A function that picks them from a request's inputs; undefined where no answer repeats any. */
function compileEcho(
  definition: Definition,
  inputsHere: readonly Input[],
): ((inputs: Inputs) => Sent) | undefined {
  const repeated = new Set(repeatedInputs(definition));
  const told = inputsHere.filter(({ role }) => repeated.has(role));
  if (told.length === 0) return undefined;
  return (inputs) => {
    const sent: Record<string, string> = {};
    for (const { role, fits } of told) {
      const value = inputs.get(role);
      if (value === undefined || value.length > longest || !fits(value)) continue;
      sent[sentPrefix + role] = value;
    }
    return sent;
  };
}

/** A grant as one endpoint serves it. */
interface EndpointGrant {
  readonly type: GrantType;
  /** The value of `grant_type` that asks for it. */
  readonly wireValue: string;
  /** The role that its clients need. */
  readonly role: Role;
}

interface GrantChoice {
  /** The grant that a request asks for; undefined if it asks for none here, or for several. */
  readonly find: (inputs: Inputs) => EndpointGrant | undefined;
  /** The same; refuses a request that asks for none or several. */
  readonly choose: (inputs: Inputs) => EndpointGrant;
  /** The inputs that were read under a name that inputs of other grants have too: those of the grant stay. */
  readonly ownInputs: (inputs: Map<string, string>) => Inputs;
}

function compileGrantChoice(
  { without_grant_type: otherwise }: EndpointDefinition,
  inputsHere: readonly Input[],
  grants: readonly EndpointGrant[],
): GrantChoice {
  const byWord = new Map(grants.map((grant) => [grant.wireValue, grant]));
  const word = inputsHere.find(({ role }) => role === 'grant_type');
  const [first] = byWord.values();
  const usual = byWord.size === 1 ? first : grants.find(({ type }) => type === otherwise);
  const byInputs = byWord.size > 1 && otherwise === 'inputs' ? compileByInputs(grants) : undefined;
  const offered = [...byWord.keys()].join(', ');
  const find = (inputs: Inputs): EndpointGrant | undefined => {
    const sent = inputs.get('grant_type');
    return sent === undefined ? (usual ?? byInputs?.(inputs)) : byWord.get(sent);
  };
  const isNeeded = word?.required === true || (usual === undefined && byInputs === undefined);
  const choose = (inputs: Inputs): EndpointGrant => {
    const sent = inputs.get('grant_type');
    if (word !== undefined && isNeeded && sent === undefined) checkInput(word, inputs, true);
    const grant = find(inputs);
    if (grant !== undefined) return grant;
    if (sent === undefined && byInputs !== undefined) refuseInputs(inputs, inputsHere, grants);
    const parameter = word?.name ?? 'grant_type';
    const came = sent === undefined ? 'none' : describeName(sent);
    const cause = ownCause(['grants'], `${parameter}: one of ${offered}`, came, parameter);
    throw new Refusal('unsupported_grant_type', { parameter, cause });
  };
  return { find, choose, ownInputs: compileOwnInputs(inputsHere, find) };
}

/** The grant whose inputs came: the one that needs none, if those of no other did. */
function compileByInputs(grants: readonly EndpointGrant[]): GrantChoice['find'] {
  const telling = grants.map((grant) => ({ grant, roles: grantRows[grant.type].needs }));
  const bare = telling.find(({ roles }) => roles.length === 0)?.grant;
  return (inputs) => {
    const [one, another] = telling.filter(({ roles }) => roles.some((role) => inputs.has(role)));
    return another === undefined ? (one?.grant ?? bare) : undefined;
  };
}

/** C-8: where `grant_type` is judged. */
function refuseInputs(
  inputs: Inputs,
  inputsHere: readonly Input[],
  grants: readonly EndpointGrant[],
): never {
  const nameOf = (role: string): string =>
    inputsHere.find((input) => input.role === role)?.name ?? role;
  const telling = grants.map(({ type }) => grantRows[type].needs);
  const all = telling.flat().map(nameOf);
  const [one, other] = telling.flatMap((roles) => roles.find((role) => inputs.has(role)) ?? []);
  const isMissing = one === undefined || other === undefined;
  const parameter = (isMissing ? all[0] : nameOf(other)) ?? 'grant_type';
  const came = isMissing ? 'none of them' : `${nameOf(one)} and ${parameter}`;
  const expected = `what one grant needs: ${all.join(', ')}`;
  const cause = ownCause(endpointRule('without_grant_type'), expected, came, parameter);
  throw new Refusal(isMissing ? 'missing_parameter' : 'invalid_parameter', { parameter, cause });
}

function compileOwnInputs(
  inputsHere: readonly Input[],
  find: GrantChoice['find'],
): GrantChoice['ownInputs'] {
  const shared = inputsHere.filter((input) =>
    inputsHere.some((other) => other.role !== input.role && isReadAlike(input, other)),
  );
  if (shared.length === 0) return (inputs) => inputs;
  return (inputs) => {
    const grant = find(inputs);
    for (const { role } of shared) {
      if (grant === undefined || !readsInput(grant.type, role)) inputs.delete(role);
    }
    return inputs;
  };
}

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
