// Owns what a partner's page and OpenAPI document are made of: a contract, the address of
// the service, a partner, and its requests.

import { present } from '../../lib/present.ts';
import type { Client, ClientId } from '../../oauth/client.ts';
import type { GrantType } from '../../oauth/grant.ts';
import type { Environment } from '../../store/contract.ts';
import { type Contract, describeContract } from '../contract/contract.ts';
import { sampleTime } from '../contract/samples.ts';
import type { Definition } from '../language/definition.ts';
import { question } from '../language/known_inputs.ts';
import type { Programme } from '../programme.ts';
import { comparedProperties } from '../requests/client_values.ts';
import { endpointsOf } from '../requests/grant_places.ts';
import type { Input } from '../requests/inputs.ts';
import {
  type SampleClient,
  type SampleValues,
  isPublicOnly,
  sampleProof,
} from '../requests/sample_proof.ts';
import {
  callHeaders,
  fittingValue,
  fillInputs,
  sampleLoginRequest,
  type SampleRequest,
  sampleTokenRequest,
} from '../requests/sample_request.ts';
import { managementForm } from '../requests/token_management.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { variable } from './snippets/variables.ts';

export interface Guide {
  readonly contract: Contract;
  /** The public address of the service, without a trailing slash. */
  readonly base: string;
  readonly by: SampleClient;
  /** Whether the client is a registered one, not placeholders. */
  readonly isRegistered: boolean;
  /** Present where the partner can force failures. */
  readonly sandbox?: Sandbox;
}

export function makeGuide(
  definition: Definition,
  programme: Programme,
  base: string,
  client?: Client,
  environment: Environment = 'staging',
): Guide {
  const contract = describeContract(definition, programme);
  const by = client ?? placeholderClient(programme, definition);
  // What stands in an app can be read out of it: a public client has a key only where requests need it.
  const hasKey =
    by.isPublic !== true ||
    inputsOf(contract).some(({ must_equal: equal }) => equal === 'client.api_key');
  return {
    contract,
    base,
    by: {
      client: by,
      secret: variable('CLIENT_SECRET'),
      assertion: (use) => variable(use === 'client' ? 'CLIENT_ASSERTION' : 'ASSERTION'),
      ...present({ apiKey: hasKey ? variable('API_KEY') : undefined }),
    },
    isRegistered: client !== undefined,
    ...present({ sandbox: environment === 'live' ? undefined : programme.sandbox }),
  };
}

/** The inputs of the login request and of every token endpoint. */
export function inputsOf({ login, tokenEndpoints }: Contract): readonly Input<unknown>[] {
  const readings = [login?.reading, ...tokenEndpoints.map(({ reading }) => reading)];
  return readings.flatMap((reading): readonly Input<unknown>[] => reading?.inputs ?? []);
}

function placeholderClient({ id }: Programme, definition: Definition): Client {
  const properties = comparedProperties(definition).map(
    ({ name, input }) => [name, fittingValue(input, `YOUR-${name.toUpperCase()}`)] as const,
  );
  return {
    programme: id,
    id: 'YOUR-CLIENT-ID' as ClientId,
    name: 'Your name',
    roles: ['member', 'partner'],
    ...(isPublicOnly(definition) ? { isPublic: true } : {}),
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

/** What each grant needs, in variables. */
const grantValues: Readonly<Record<GrantType, SampleValues>> = {
  authorization_code: { code: variable('CODE') },
  refresh_token: { refresh_token: variable('REFRESH_TOKEN') },
  client_credentials: {},
  token_exchange: { subject_token: variable('ACCESS_TOKEN') },
  jwt_bearer: {},
  password: { username: variable('MEMBER_USERNAME'), password: variable('MEMBER_PASSWORD') },
};

/** The token requests of a grant, one for each endpoint that serves it. */
export function tokenRequests(
  { contract: { definition }, by }: Guide,
  grant: GrantType,
): readonly { readonly name: string; readonly request: SampleRequest }[] {
  const isProved = grant === 'authorization_code' && definition.authorize.pkce === 'required';
  const proof = isProved ? { code_verifier: variable('CODE_VERIFIER') } : {};
  const values = { ...grantValues[grant], ...proof };
  return endpointsOf(definition, grant).map(([name]) => ({
    name,
    request: sampleTokenRequest(definition, grant, by, values, name),
  }));
}

export function loginRequest({ contract: { definition }, by }: Guide): SampleRequest {
  const isProved = definition.authorize.pkce === 'required';
  return sampleLoginRequest(definition, by.client, {
    redirect_uri: by.client.redirectUris[0],
    state: variable('STATE'),
    ...(isProved && {
      code_challenge: variable('CODE_CHALLENGE'),
      code_challenge_method: 'S256',
    }),
  });
}

/** A call to the API, whose address is a variable; the base of the request is empty. */
export function callRequest({ contract: { programme }, by }: Guide): SampleRequest {
  const credentials = { ...present({ apiKey: by.apiKey }), token: variable('ACCESS_TOKEN') };
  const headers = callHeaders(programme, by.client, credentials, true);
  return { method: 'GET', path: variable('API_URL'), query: [], headers };
}

/** A request to revoke or introspect a token (RFC 7009, RFC 7662). */
export function managementRequest(
  { contract: { definition }, by }: Guide,
  path: string,
  token: string,
): SampleRequest {
  const { inputs, ...shown } = sampleProof(definition, by);
  const endpoint = { ...managementForm(definition), path };
  const proof = Object.keys(inputs);
  const known = { [question]: token, ...inputs };
  const request = fillInputs(endpoint, definition, by, known, new Set([question, ...proof]));
  return { ...request, path, ...shown };
}

/** A path of the compiled programme below the address of the service. */
export function below({ base }: Guide, path: string): string {
  const { pathname } = new URL(base);
  return pathname === '/' ? path : path.slice(pathname.length);
}
