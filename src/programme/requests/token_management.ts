// Owns the compiled endpoints of introspection (RFC 7662) and revocation (RFC 7009): the RFCs'
// form, and the dialect's client authentication.

import type { ClientAuthentication } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import type { EndpointDefinition, InputDefinition } from '../../language/input_schema.ts';
import { hint, question } from '../../language/known_inputs.ts';
import { signedInputs } from '../../language/signature_schema.ts';
import { present } from '../../lib/present.ts';
import { endpointRule, ownCause } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import { isByNothing, privateKeyJwt } from '../../oauth/methods.ts';
import type { WireRequest } from '../../oauth/wire_request.ts';
import { compileCredentials, type ReadCredentials } from './credentials.ts';
import { compileInputs, type Inputs } from './inputs.ts';
import { assertionInputs, undeclaredCredentials } from './presented_credentials.ts';
import { compileReading, type Reading } from './reading.ts';
import { compileReader, refuse } from './request_reader.ts';

/** Its functions throw only `Refusal`. */
export interface TokenManagementEndpoint {
  readonly path: string;
  readonly reading: Reading;
  readonly authentication: ClientAuthentication;
  readonly readInputs: (request: WireRequest) => Inputs;
  readonly readCredentials: ReadCredentials;
  readonly readToken: (inputs: Inputs) => string;
}

const optional: InputDefinition = { required: false };

export const managementMethods: ReadonlySet<string> = new Set(['POST']);

/**
 * As in the RFCs: unknown parameters are ignored, known ones refused where they are repeated (RFC 6749 3.2). Credentials that
 * the dialect reads from headers of their own are read there.
 */
function managementForm({ client, token_endpoints }: Definition): EndpointDefinition {
  const { methods } = client.authentication;
  const signed = methods.includes(privateKeyJwt) ? assertionInputs : [];
  const inHeader = (role: string): InputDefinition => {
    const found = Object.values(token_endpoints)
      .flatMap(({ inputs }) => inputs[role] ?? [])
      .find((input) => input.in === 'header');
    return found === undefined ? optional : { ...optional, ...placeOf(found) };
  };
  return {
    path: '',
    methods: ['POST'],
    read: ['form'],
    media_types: [],
    repeated: 'refuse',
    unknown: 'ignore',
    empty: 'missing',
    inputs: {
      [question]: optional,
      [hint]: optional,
      client_id: inHeader('client_id'),
      client_secret: inHeader('client_secret'),
      ...Object.fromEntries(signed.map((role) => [role, inHeader(role)])),
      ...signatureInputs(client.authentication, token_endpoints),
    },
  };
}

/** What a client signs, and its signature, as a token endpoint reads them: the RFCs have no names for these. */
function signatureInputs(
  { methods, signature }: ClientAuthentication,
  endpoints: Definition['token_endpoints'],
): EndpointDefinition['inputs'] {
  if (!methods.includes('signature') || signature === undefined) return {};
  const { inputs } =
    Object.values(endpoints).find((one) => one.inputs['client_signature'] !== undefined) ?? {};
  const roles = ['client_signature', ...signedInputs(signature)].filter(
    (role) => role !== 'client_id',
  );
  return Object.fromEntries(
    roles.flatMap((role) => {
      const input = inputs?.[role];
      return input === undefined || input.in === 'path' ? [] : [[role, input]];
    }),
  );
}

function placeOf({ in: place, name, scheme }: InputDefinition): Partial<InputDefinition> {
  return present({ in: place, name, scheme });
}

/**
 * If gateways may ask, Basic is always accepted: gateways authenticate with it. Public clients cannot
 * ask, since RFC 7662 2.1 wants askers to prove themselves.
 */
function managementAuthentication(
  { client: { authentication } }: Definition,
  { byGateways }: { readonly byGateways: boolean },
): ClientAuthentication {
  if (!byGateways) return authentication;
  const { methods, secret_half: half } = authentication;
  const proofs = methods.filter((method) => !isByNothing(method));
  return {
    ...authentication,
    methods: [...new Set([...proofs, 'basic' as const])],
    // The other half of a gateway's credentials tells it apart.
    ...(half === undefined ? {} : { secret_half: 'either' }),
  };
}

export function compileTokenManagement(
  path: string,
  definition: Definition,
  asked: { readonly byGateways: boolean },
): TokenManagementEndpoint {
  const form = managementForm(definition);
  const kinds = ['management'] as const;
  const authentication = managementAuthentication(definition, asked);
  const asAsked = { ...definition, client: { ...definition.client, authentication } };
  const reading = compileReading(form, compileInputs(form, asAsked, kinds), kinds);
  const rules = [...reading.inputs, ...undeclaredCredentials(form, asAsked, authentication)];
  const read = compileReader(form, rules);
  const schemes = asked.byGateways ? ['Basic'] : [];
  return {
    path,
    reading,
    authentication,
    readInputs: (request) => read(request, refuse),
    readCredentials: compileCredentials(authentication, rules, { schemes }),
    readToken: (inputs) => {
      const token = inputs.get(question);
      if (token === undefined) {
        const cause = ownCause(endpointRule(), question, `no ${question}`, question);
        throw new Refusal('missing_parameter', { parameter: question, cause });
      }
      return token;
    },
  };
}
