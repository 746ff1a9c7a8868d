// Owns what a dialect must go on doing: take the requests that its own file describes, with whatever
// the service gives out in them, and let no more pass than it did.

import assert from 'node:assert/strict';

import {
  authorizationOf,
  fittingValue,
  sampleLoginRequest,
  type SampleRequest,
  sampleTokenRequest,
} from '../../../src/contract/samples/requests.ts';
import type { Definition } from '../../../src/language/definition.ts';
import type { EndpointDefinition } from '../../../src/language/input_schema.ts';
import type { Instant } from '../../../src/lib/clock.ts';
import type { Client, ClientId } from '../../../src/oauth/client.ts';
import { LoginRefusal, Refusal } from '../../../src/oauth/failure.ts';
import { type GrantType, grantTypes } from '../../../src/oauth/grant.ts';
import { newPlace } from '../../../src/oauth/place.ts';
import { RequestRecord } from '../../../src/oauth/request_record.ts';
import type { WireRequest } from '../../../src/oauth/wire_request.ts';
import { compileProgramme, inputsOf, type Programme } from '../../../src/programme/programme.ts';
import { comparedProperties } from '../../../src/programme/requests/client_values.ts';
import { endpointsOf } from '../../../src/programme/requests/grant_places.ts';
import type { LoadedProgramme } from '../../../src/rules/load.ts';
import { ProvenHeaders } from '../../../src/token/proven_headers.ts';
import { firstRefreshText } from '../../../src/token/sealed/refresh_text.ts';
import { signingFor, testKey } from '../../support/assertions.ts';
import { multipartText, multipartType } from '../../support/multipart.ts';
import { signingBy } from '../../support/signing.ts';

const signer = testKey();
const now = Date.parse('2026-01-02T03:04:05Z') as Instant;
const secret = 'Q-_z'.repeat(11).slice(0, 43);
const apiKey = `jw_staging_${'z_-Q'.repeat(11).slice(0, 43)}`;
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const redirectUri = 'https://partner.example/a/callback?from=club';
const jwt = ['eyJ'.padEnd(115, 'a'), 'b'.repeat(300), 'c'.repeat(86)].join('.');

interface Compiled {
  readonly definition: Definition;
  readonly programme: Programme;
  readonly client: Client;
}

export function compiled({ id, definition }: LoadedProgramme): Compiled {
  const programme = compileProgramme(id, definition, 'https://tokens.example');
  const client: Client = {
    programme: id,
    id: programme.clients.newIdentifier(),
    name: 'Partner',
    roles: ['member', 'partner'],
    redirectUris: [redirectUri],
    secrets: [],
    apiKeys: [],
    businessContext: 'PartnerContextOfTwentySix',
    partnerId: 'Partner000001',
    properties: Object.fromEntries([
      ...(programme.clients.assertions?.properties ?? []).map(
        (name) => [name, `of-${name}`] as const,
      ),
      ...comparedProperties(inputsOf(programme)).map(
        ({ name, input }) => [name, fittingValue(input)] as const,
      ),
    ]),
    status: 'active',
    createdAt: now,
  };
  return { definition, programme, client };
}

/** Takes a login and each grant at each endpoint, with each scope there is. */
export function assertRoundTrip(one: Compiled): void {
  const { definition, programme } = one;
  const scopes = [undefined, ...programme.scope.values];
  for (const scope of scopes) {
    if (definition.grants.authorization_code !== undefined) assertLogin(one, scope);
    for (const grant of grantTypes) {
      for (const place of endpointsOf(definition, grant)) assertGrant(one, grant, place, scope);
    }
  }
}

function assertLogin(one: Compiled, scope: string | undefined): void {
  const { definition, programme, client } = one;
  const { endpoint: read, pkce } = definition.authorize;
  const wanted = scope !== undefined && read.inputs['scope'] !== undefined ? { scope } : {};
  const sample = sampleLoginRequest(programme, client, {
    redirect_uri: redirectUri,
    ...(pkce === 'off' ? {} : { code_challenge: challenge, code_challenge_method: 'S256' }),
    ...wanted,
  });
  const { endpoint } = programme.login;
  const reading = endpoint.read(wire(sample));
  assert.equal(endpoint.clientId(reading), client.id);
  assert.ok(programme.clients.isIdentifier(client.id));
  endpoint.checkProgramme(reading);
  assert.equal(endpoint.redirectUri(reading, client), redirectUri);
  endpoint.checkRequest(reading, client);
  programme.scope.check(reading.inputs.get('scope'));
  assert.equal(reading.inputs.get('scope'), wanted.scope);
}

function assertGrant(
  one: Compiled,
  grant: GrantType,
  [name, read]: readonly [string, EndpointDefinition],
  scope: string | undefined,
): void {
  const { definition, programme, client } = one;
  const isJwt = definition.tokens.refresh.format === 'jwt';
  const clock = { now: () => now };
  const assertion = signingFor({ programme, clock }, client, signer);
  const [sign, ownToken] = [signingBy(secret), () => 'aZ09-_'.repeat(20)];
  const by = { client, secret, assertion, sign, ownToken };
  for (const verifier of [43, 128].map((length) => 'aZ09-._~'.repeat(16).slice(0, length))) {
    const values: Record<string, string> = {
      ...(grant === 'authorization_code' ? { code: programme.code.generate() } : {}),
      ...(grant === 'authorization_code' && definition.authorize.pkce !== 'off'
        ? { code_verifier: verifier, redirect_uri: redirectUri }
        : {}),
      ...(grant === 'refresh_token'
        ? { refresh_token: isJwt ? jwt : firstRefreshText(newPlace(now)).text }
        : {}),
      ...(grant === 'password' ? typed(read) : {}),
      ...(scope !== undefined && read.inputs['scope'] !== undefined ? { scope } : {}),
    };
    const keys = Object.entries(read.inputs).filter(([, i]) => i.must_equal === 'client.api_key');
    for (const [role] of keys) values[role] = apiKey;
    const sample = sampleTokenRequest(programme, grant, by, values, name);
    const inputs = accepted(one, sample, name);
    for (const role of Object.keys(values)) {
      if (read.inputs[role] !== undefined) assert.equal(inputs.get(role), values[role], role);
    }
  }
}

/** What a member types is as long as the dialect lets it be. */
function typed({ inputs }: EndpointDefinition): Record<string, string> {
  const fitting = ['username', 'password'].map((role) => [
    role,
    fittingValue(inputs[role] ?? { required: true }),
  ]);
  return Object.fromEntries(fitting) as Record<string, string>;
}

/** The inputs of a token request that goes through every check before the store is asked. */
function accepted({ programme, client }: Compiled, sample: SampleRequest, name: string) {
  const endpoint = programme.tokenEndpoints.find((one) => one.name === name);
  assert.ok(endpoint);
  const request = wire(sample);
  const inputs = endpoint.readInputs(request);
  const credentials = endpoint.readCredentials(request, inputs, new ProvenHeaders());
  assert.equal(credentials.id ?? client.id, client.id);
  if ('secrets' in credentials) assert.ok(credentials.secrets().includes(secret));
  else assert.equal(credentials.id ?? client.id, client.id);
  endpoint.checkHeaders(inputs);
  endpoint.checkClient(inputs, client, (text) => text === apiKey);
  endpoint.checkParameters(inputs, endpoint.selectGrant(inputs, client));
  programme.scope.check(inputs.get('scope'));
  return inputs;
}

/** Whatever did not pass a gateway before, by level or by scope, does not pass it now. */
export function assertFloors(before: Programme, { programme: after }: Compiled): void {
  const words = before.scope.values;
  for (const held of [undefined, ...words]) {
    for (const floor of ['', ...words.flatMap((word) => [`level=${word}`, `scope=${word}`])]) {
      const passes = [before, after].map((one) => passesFloor(one, floor, held));
      assert.ok(passes[0] === true || passes[1] === false, `${held} passes ${floor || 'no floor'}`);
    }
  }
  for (const [index, low] of after.scope.levels.entries()) {
    for (const high of after.scope.levels.slice(index + 1)) {
      assert.ok(!passesFloor(after, `level=${high}`, low), `${low} passes ${high}`);
      assert.ok(passesFloor(after, `level=${low}`, high), `${high} does not pass ${low}`);
    }
  }
}

function passesFloor(
  { verification }: Programme,
  floor: string,
  held: string | undefined,
): boolean {
  try {
    const demand = verification.readDemand('member', floor);
    assert.ok(demand);
    verification.checkScope(demand, held);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** What was held against a client is still: nobody gets in with a value of somebody else's. */
export function assertComparisons(before: Compiled, after: Compiled): void {
  for (const grant of grantTypes) {
    for (const [name, { inputs }] of endpointsOf(before.definition, grant)) {
      for (const [role, { must_equal: comparison }] of Object.entries(inputs)) {
        if (comparison === undefined || !hasEndpoint(after, grant, name)) continue;
        const foreign = { ...before.client, id: foreignId(before), businessContext: 'Other' };
        const properties = Object.fromEntries(
          Object.keys(foreign.properties).map((key) => [key, 'foreign']),
        );
        const theirs: Client = { ...foreign, partnerId: 'Foreign00001', properties };
        const wrong = comparison === 'client.api_key' ? 'jw_live_other' : undefined;
        const values = {
          ...(wrong === undefined ? {} : { [role]: wrong }),
          ...(role === 'client_id' ? { client_id: theirs.id } : {}),
        };
        const by = { client: theirs, secret };
        const sample = sampleTokenRequest(before.programme, grant, by, values, name);
        assert.ok(
          isRefused(() => accepted(after, sample, name)),
          `${name}.${role} of another`,
        );
      }
    }
  }
}

function foreignId({ programme, client }: Compiled): ClientId {
  for (;;) {
    const id = programme.clients.newIdentifier();
    if (id !== client.id) return id;
  }
}

function hasEndpoint({ definition }: Compiled, grant: GrantType, name: string): boolean {
  return endpointsOf(definition, grant).some(([one]) => one === name);
}

function isRefused(act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch (error) {
    if (error instanceof Refusal || error instanceof LoginRefusal) return true;
    if (error instanceof assert.AssertionError) return true;
    throw error;
  }
}

/** A sample request as it reaches the engine. */
function wire({
  method,
  path,
  query,
  headers,
  credentials,
  form,
  multipart,
  json,
  raw,
}: SampleRequest): WireRequest {
  const text = (pairs: readonly (readonly [string, string])[]): string =>
    new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
  const members = JSON.stringify(json ?? '').replace(/^""$/, '');
  const [asForm, formType] =
    multipart === true
      ? [multipartText, multipartType]
      : [text, 'application/x-www-form-urlencoded'];
  const body = raw?.text ?? (form === undefined ? members : asForm(form));
  const type = raw?.type ?? (form === undefined ? 'application/json' : formType);
  const authorization = credentials && authorizationOf(credentials);
  return {
    method,
    path,
    query: text(query),
    rawHeaders: [
      ...headers.flat(),
      ...(authorization === undefined ? [] : ['Authorization', authorization]),
      ...(body === '' ? [] : ['Content-Type', type]),
    ],
    body: Buffer.from(body),
    address: () => '192.0.2.1',
    certificate: () => undefined,
    record: new RequestRecord('POST'),
    hangUp: () => new AbortController().signal,
  };
}
