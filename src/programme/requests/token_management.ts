// Owns the endpoints of introspection (RFC 7662) and revocation (RFC 7009), compiled: the RFCs' form,
// and the dialect's own client authentication.

import { Refusal } from '../../oauth/failure.ts';
import type { WireRequest } from '../../oauth/wire_request.ts';
import type { Definition } from '../language/definition.ts';
import type { EndpointDefinition, InputDefinition } from '../language/input_schema.ts';
import { compileInputs, type Inputs } from './input_rules.ts';
import { compileReader, refuse } from './request_reader.ts';
import { compileCredentials, type TokenEndpoint } from './token_endpoint.ts';

/** Every function throws `Refusal`, and only that. */
export interface TokenManagementEndpoint {
  readonly path: string;
  readonly readInputs: (request: WireRequest) => Inputs;
  readonly readCredentials: TokenEndpoint['readCredentials'];
  /** The token in question. */
  readonly readToken: (inputs: Inputs) => string;
}

/** RFC 7662 2.1, RFC 7009 2.1. */
const question = 'token';

const optional: InputDefinition = { required: false };

/** As the RFCs have it; unknown parameters are ignored, repeated ones refused (RFC 6749 3.2). */
const form: Omit<EndpointDefinition, 'path'> = {
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

export const managementMethods: ReadonlySet<string> = new Set(form.methods);

/** Where gateways ask as well, Basic is always taken: gateways authenticate with it. */
export function compileTokenManagement(
  path: string,
  definition: Definition,
  asked: { readonly byGateways: boolean },
): TokenManagementEndpoint {
  const { authentication } = definition.client;
  const methods = asked.byGateways
    ? [...new Set([...authentication.methods, 'basic' as const])]
    : authentication.methods;
  const rules = compileInputs(form, definition);
  const read = compileReader({ ...form, path }, rules);
  return {
    path,
    readInputs: (request) => read(request, refuse),
    readCredentials: compileCredentials({ ...authentication, methods }, rules),
    readToken: (inputs) => {
      const token = inputs.get(question);
      if (token === undefined) throw new Refusal('missing_parameter', { parameter: question });
      return token;
    },
  };
}
