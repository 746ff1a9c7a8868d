// Owns the compiled endpoints of introspection (RFC 7662) and revocation (RFC 7009): the RFCs'
// form, and the dialect's client authentication.

import { endpointRule, ownCause } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import type { WireRequest } from '../../oauth/wire_request.ts';
import type { Definition } from '../language/definition.ts';
import type { EndpointDefinition, InputDefinition } from '../language/input_schema.ts';
import {
  type ClientAuthentication,
  compileCredentials,
  type ReadCredentials,
} from './credentials.ts';
import { compileInputs, type Inputs } from './input_rules.ts';
import { compileReader, refuse } from './request_reader.ts';

/** Its functions throw only `Refusal`. */
export interface TokenManagementEndpoint {
  readonly path: string;
  readonly readInputs: (request: WireRequest) => Inputs;
  readonly readCredentials: ReadCredentials;
  readonly readToken: (inputs: Inputs) => string;
}

/** RFC 7662 2.1, RFC 7009 2.1. */
export const question = 'token';

const optional: InputDefinition = { required: false };

/** As in the RFCs: unknown parameters are ignored, repeated ones refused (RFC 6749 3.2). */
export const managementForm: EndpointDefinition = {
  path: '',
  methods: ['POST'],
  read: ['form'],
  media_types: [],
  repeated: 'refuse',
  unknown: 'ignore',
  empty: 'missing',
  inputs: {
    [question]: optional,
    token_type_hint: optional,
    client_id: optional,
    client_secret: optional,
  },
};

export const managementMethods: ReadonlySet<string> = new Set(managementForm.methods);

/** If gateways may ask, Basic is always accepted: gateways authenticate with it. */
export function managementAuthentication(
  { client: { authentication } }: Definition,
  { byGateways }: { readonly byGateways: boolean },
): ClientAuthentication {
  const { methods } = authentication;
  return byGateways
    ? { ...authentication, methods: [...new Set([...methods, 'basic' as const])] }
    : authentication;
}

export function compileTokenManagement(
  path: string,
  definition: Definition,
  asked: { readonly byGateways: boolean },
): TokenManagementEndpoint {
  const rules = compileInputs(managementForm, definition);
  const read = compileReader(managementForm, rules);
  return {
    path,
    readInputs: (request) => read(request, refuse),
    readCredentials: compileCredentials(managementAuthentication(definition, asked), rules),
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
