// Owns the compiled sandbox of a programme: which failure a request asks for, and which an endpoint has.

import type { ClientAuthentication } from '../language/client_schema.ts';
import type { SandboxDefinition } from '../language/sandbox_schema.ts';
import type { LoginFailureReason } from '../oauth/login_reasons.ts';
import { parseFormOrNone } from '../oauth/parameters.ts';
import { headerValues, type WireRequest } from '../oauth/wire_request.ts';
import type { LoginEndpoint } from './login/endpoint.ts';
import {
  loginFailures,
  managementFailures,
  type PossibleFailures,
  tokenFailures,
  verificationFailures,
} from './requests/possible_failures.ts';
import type { TokenEndpoint } from './requests/token_endpoint.ts';
import type { TokenManagementEndpoint } from './requests/token_management.ts';
import type { VerificationRules } from './requests/verification.ts';

/** The parts of a request in which it can ask for a failure. */
export type Asking = Pick<WireRequest, 'query' | 'rawHeaders' | 'record'>;

export interface Sandbox {
  /** Where a request names the failure that it wants. */
  readonly places: SandboxDefinition;
  /** What the request asks for, known or not; undefined where it asks for nothing. */
  readonly asked: (request: Omit<Asking, 'record'>) => string | undefined;
  /** By path, of the endpoints that clients and gateways call. */
  readonly failuresAt: ReadonlyMap<string, PossibleFailures>;
  readonly loginFailures: PossibleFailures<LoginFailureReason>;
  readonly verificationFailures: PossibleFailures;
}

/** The parts of a compiled programme that can fail. */
interface Endpoints {
  readonly tokenEndpoints: readonly TokenEndpoint[];
  readonly clients: { readonly authentication: ClientAuthentication };
  readonly introspection?: TokenManagementEndpoint;
  readonly revocation?: TokenManagementEndpoint;
  readonly login: { readonly endpoint: LoginEndpoint };
  readonly verification: VerificationRules;
}

export function compileSandbox(
  sandbox: SandboxDefinition,
  { tokenEndpoints, clients, introspection, revocation, login, verification }: Endpoints,
): Sandbox {
  const management = [
    [introspection, { byGateways: true }],
    [revocation, { byGateways: false }],
  ] as const;
  return {
    places: sandbox,
    asked: compileAsked(sandbox),
    failuresAt: new Map([
      ...tokenEndpoints.map(
        (endpoint) => [endpoint.path, tokenFailures(endpoint, clients.authentication)] as const,
      ),
      ...management.flatMap(([endpoint, asked]) =>
        endpoint === undefined
          ? []
          : [[endpoint.path, managementFailures(endpoint, asked)] as const],
      ),
    ]),
    loginFailures: loginFailures(login.endpoint),
    verificationFailures: verificationFailures(verification),
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
