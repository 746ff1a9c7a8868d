// Owns what a partner's page and OpenAPI document are made of: a programme, the address of
// the service, a partner, and its requests.

import { knownInput, question } from '../../language/known_inputs.ts';
import type { Instant } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import type { Client, ClientId, Role } from '../../oauth/client.ts';
import { grantRows, type GrantType } from '../../oauth/grant.ts';
import { endpointsFor, inputsOf, type Programme } from '../../programme/programme.ts';
import { comparedProperties } from '../../programme/requests/client_values.ts';
import type { TokenManagementEndpoint } from '../../programme/requests/token_management.ts';
import type { Sandbox } from '../../programme/sandbox.ts';
import type { Environment } from '../../store/contract.ts';
import { sampleTime } from '../samples/answers.ts';
import {
  type SampleClient,
  isPublicOnly,
  sampleProof,
  type SampleValues,
} from '../samples/proof.ts';
import {
  callHeaders,
  fittingValue,
  fillInputs,
  sampleLoginRequest,
  type SampleRequest,
  sampleTokenRequest,
} from '../samples/requests.ts';
import { variable } from './curl.ts';

export interface Guide {
  readonly programme: Programme;
  /** The public address of the service, without a trailing slash. */
  readonly base: string;
  readonly by: SampleClient;
  /** Whether the client is a registered one, not placeholders. */
  readonly isRegistered: boolean;
  /** Present where the partner can force failures. */
  readonly sandbox?: Sandbox;
  /** Left out of pages that are no deployment's. */
  readonly deployed?: Deployed;
}

/** What partners are told of a running service. */
export interface Deployed {
  readonly environment: Environment;
  /** When the page is made. */
  readonly at: Instant;
  /** Whom to ask for help, as the configuration has it. */
  readonly contact?: string;
  /** Gateways have a listener of their own, which partners do not reach: introspection is there alone. */
  readonly hasGateway: boolean;
}

export function makeGuide(
  programme: Programme,
  base: string,
  client?: Client,
  environment: Environment = 'staging',
  deployed?: Omit<Deployed, 'environment'>,
): Guide {
  const by = client ?? placeholderClient(programme);
  // What stands in an app can be read out of it: a public client has a key only where requests need it.
  const hasKey =
    by.isPublic !== true ||
    inputsOf(programme).some(({ must_equal: equal }) => equal === 'client.api_key');
  return {
    programme,
    base,
    by: {
      client: by,
      secret: variable('CLIENT_SECRET'),
      assertion: (use) => variable(use === 'client' ? 'CLIENT_ASSERTION' : 'ASSERTION'),
      ownToken: () => variable('CLIENT_TOKEN'),
      sign: () => variable('CLIENT_SIGNATURE'),
      ...present({ apiKey: hasKey ? variable('API_KEY') : undefined }),
    },
    isRegistered: client !== undefined,
    ...present({
      sandbox: environment === 'live' ? undefined : programme.sandbox,
      deployed: deployed && { ...deployed, environment },
    }),
  };
}

/** The endpoint at which partners can ask about tokens. */
export function introspectionFor({
  programme,
  deployed,
}: Pick<Guide, 'programme' | 'deployed'>): TokenManagementEndpoint | undefined {
  return deployed?.hasGateway === true ? undefined : programme.introspection;
}

function placeholderClient(programme: Programme): Client {
  const properties = comparedProperties(inputsOf(programme)).map(
    ({ name, input }) => [name, fittingValue(input, `YOUR-${name.toUpperCase()}`)] as const,
  );
  return {
    programme: programme.id,
    id: 'YOUR-CLIENT-ID' as ClientId,
    name: 'Your name',
    roles: ['member', 'partner'],
    ...(isPublicOnly(programme.clients.authentication) ? { isPublic: true } : {}),
    redirectUris: ['https://partner.example/callback'],
    secrets: [],
    apiKeys: [],
    businessContext: 'YourContext',
    partnerId: 'YourPartnerId',
    properties: Object.fromEntries(properties),
    status: 'active',
    createdAt: sampleTime,
  };
}

/** A registered client is told only of what it may do. */
export function isToldOf({ by: { client }, isRegistered }: Guide, role: Role): boolean {
  return !isRegistered || client.roles.includes(role);
}

/**
 * The token requests of a grant, one for each endpoint that serves it.
 *
 * @param held values in place of variables
 */
export function tokenRequests(
  { programme, by }: Pick<Guide, 'programme' | 'by'>,
  grant: GrantType,
  held: SampleValues = {},
): readonly { readonly name: string; readonly request: SampleRequest }[] {
  const isProved = grant === 'authorization_code' && programme.login.endpoint.pkce === 'required';
  const proof = isProved ? { code_verifier: variable('CODE_VERIFIER') } : {};
  const needed = grantRows[grant].needs.flatMap((role) => {
    const name = knownInput(role)?.sample;
    return name === undefined ? [] : [[role, variable(name)] as const];
  });
  const { repeatsRedirectUri } = programme.login.endpoint;
  const isRepeated = grant === 'authorization_code' && repeatsRedirectUri;
  const again = isRepeated ? { redirect_uri: by.client.redirectUris[0] } : {};
  // What came back with the code, or with that of the login.
  const isOfLogin = grant === 'authorization_code' || grant === 'refresh_token';
  const drawn = isOfLogin ? [...programme.login.draws.keys()] : [];
  const values = {
    ...Object.fromEntries(needed),
    ...proof,
    ...again,
    ...Object.fromEntries(drawn.map((name) => [name, variable(name.toUpperCase())])),
    ...held,
  };
  return endpointsFor(programme, grant).map(({ name }) => ({
    name,
    request: sampleTokenRequest(programme, grant, by, values, name),
  }));
}

export function loginRequest({ programme, by }: Guide): SampleRequest {
  const isProved = programme.login.endpoint.pkce === 'required';
  return sampleLoginRequest(programme, by.client, {
    redirect_uri: by.client.redirectUris[0],
    state: variable('STATE'),
    ...(isProved && {
      code_challenge: variable('CODE_CHALLENGE'),
      code_challenge_method: 'S256',
    }),
  });
}

/** A call to the API, whose address is a variable; the base of the request is empty. */
export function callRequest({ programme, by }: Guide): SampleRequest {
  const credentials = { ...present({ apiKey: by.apiKey }), token: variable('ACCESS_TOKEN') };
  const headers = callHeaders(programme, by.client, credentials, true);
  return { method: 'GET', path: variable('API_URL'), query: [], headers };
}

/** A request to revoke or introspect a token (RFC 7009, RFC 7662). */
export function managementRequest(
  { programme, by, base }: Guide,
  { path, reading }: TokenManagementEndpoint,
  token: string,
): SampleRequest {
  const { inputs, ...shown } = sampleProof(programme.clients.authentication, by);
  const known = { [question]: token, ...inputs };
  const needed = new Set([question, ...Object.keys(inputs)]);
  const request = fillInputs(reading, programme, by, known, needed);
  return { ...request, path: below({ base }, path), ...shown };
}

/** A path of the compiled programme below the address of the service. */
export function below({ base }: Pick<Guide, 'base'>, path: string): string {
  const { pathname } = new URL(base);
  return pathname === '/' ? path : path.slice(pathname.length);
}
