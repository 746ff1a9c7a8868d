// Owns the compiled sandbox of a programme: which failure a request asks for, and which an endpoint has.

import type { LoginFailureReason } from '../../oauth/login_reasons.ts';
import { parseFormOrNone } from '../../oauth/parameters.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import type { Definition } from '../language/definition.ts';
import { loginRequestFailures } from '../login/possible_failures.ts';
import {
  managementFailures,
  type PossibleFailures,
  tokenFailures,
  verificationFailures,
} from '../requests/possible_failures.ts';
import type { SandboxDefinition } from './sandbox_schema.ts';

/** The parts of a request in which it can ask for a failure. */
export type Asking = Pick<WireRequest, 'query' | 'rawHeaders' | 'record'>;

export interface Sandbox {
  /** What the request asks for, known or not; undefined where it asks for nothing. */
  readonly asked: (request: Omit<Asking, 'record'>) => string | undefined;
  /** By path, of the endpoints that clients and gateways call. */
  readonly failuresAt: ReadonlyMap<string, PossibleFailures>;
  readonly loginFailures: PossibleFailures<LoginFailureReason>;
  readonly verificationFailures: PossibleFailures;
}

/** `basePath` and `ownPath` are those of the compiled programme. */
export function compileSandbox(
  sandbox: SandboxDefinition,
  definition: Definition,
  { basePath, ownPath }: { readonly basePath: string; readonly ownPath: string },
): Sandbox {
  const { token_endpoints: endpoints, introspection, revocation } = definition;
  const management = [
    [introspection, { byGateways: true }],
    [revocation, { byGateways: false }],
  ] as const;
  return {
    asked: compileAsked(sandbox),
    failuresAt: new Map([
      ...Object.entries(endpoints).map(
        ([name, endpoint]) =>
          [basePath + endpoint.path, tokenFailures(definition, name, endpoint)] as const,
      ),
      ...management.flatMap(([endpoint, asked]) =>
        endpoint === undefined
          ? []
          : [[ownPath + endpoint.path, managementFailures(definition, asked)] as const],
      ),
    ]),
    loginFailures: loginRequestFailures(definition),
    verificationFailures: verificationFailures(definition),
  };
}

/** Several values are one that is unknown. */
function compileAsked({ header, parameter }: SandboxDefinition): Sandbox['asked'] {
  const headerName = header?.toLowerCase();
  return ({ query, rawHeaders }) => {
    const sent = [
      ...(headerName === undefined ? [] : headerValues({ rawHeaders }, headerName)),
      ...(parameter === undefined ? [] : (parseFormOrNone(query).get(parameter) ?? [])),
    ];
    return sent.length === 0 ? undefined : sent.join(', ');
  };
}
