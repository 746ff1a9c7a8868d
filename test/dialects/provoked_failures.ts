// Owns requests that fail in earnest, for comparison with failures that a sandbox forces.

import { tokenFaults, loginFaults } from '../../src/contract/samples/faults.ts';
import type { SampleClient, SampleValues } from '../../src/contract/samples/proof.ts';
import {
  sampleLoginRequest,
  type SampleRequest,
  sampleTokenRequest,
} from '../../src/contract/samples/requests.ts';
import { verifyFaults } from '../../src/http/demo/demo.ts';
import type { Definition } from '../../src/language/definition.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
import { grantRows, type GrantType } from '../../src/oauth/grant.ts';
import { endpointsFor, logsIn, type Programme } from '../../src/programme/programme.ts';
import { endpointsOf } from '../../src/programme/requests/grant_places.ts';
import type { FailingStore } from '../support/failing_store.ts';

export interface Provoking {
  readonly programme: Programme;
  readonly definition: Definition;
  readonly by: SampleClient & Required<Pick<SampleClient, 'apiKey'>>;
  /** A client without any role, and with two redirect URIs. */
  readonly other: SampleClient;
  /** Those of a good login request. */
  readonly values: SampleValues;
  readonly failing: FailingStore;
}

/** A request that fails, and what must happen before it. */
export interface Provoked {
  readonly reason: string;
  readonly what: string;
  readonly request: SampleRequest;
  readonly first?: () => void;
}

export function* provokedFailures(scene: Provoking): Iterable<Provoked> {
  const { programme, by } = scene;
  for (const fault of tokenFaults(programme, by)) {
    // Of a body of JSON or XML, the sample repeats a parameter that is no input.
    const { json, raw } = fault.request;
    if (fault.reason !== 'repeated_parameter' || (json ?? raw) === undefined) yield fault;
  }
  yield* furtherTokenFaults(scene);
  yield* verifyFaults({ ...scene, redirectUri: '', dialect: '', base: '', member: nobody });
  if (logsIn(programme)) yield* wrongLogins(scene);
}

const nobody = { username: '', password: '' };

function* furtherTokenFaults({
  programme,
  definition,
  by,
  other,
  failing,
}: Provoking): Iterable<Provoked> {
  // A token that comes alone names no client without its role.
  const isByToken = definition.client.authentication.methods.includes('token');
  // Nor has it a token of its own.
  const isByOwn = (one: GrantType): boolean =>
    endpointsFor(programme, one)[0]?.authentication.methods.includes('own_token') === true;
  const grant = [...programme.grants].find(
    (one) => (!isByToken || grantRows[one].token === undefined) && !isByOwn(one),
  );
  const [place] = grant === undefined ? [] : endpointsOf(definition, grant);
  if (grant === undefined || place === undefined) return;
  const values = { code: 'x', refresh_token: 'x', username: 'x', password: 'x' };
  const good = sampleTokenRequest(programme, grant, by, values);
  const { form: _, json: _json, raw: xml, ...bodiless } = good;
  const raw = {
    type:
      xml?.type ??
      (good.json === undefined ? 'application/x-www-form-urlencoded' : 'application/json'),
    text: 'x'.repeat(70_000),
  };
  if (good.method !== 'GET') {
    const what = 'a body of 70 kB';
    yield { reason: 'body_too_large', what, request: { ...bodiless, raw } };
  }
  const roleless = sampleTokenRequest(programme, grant, other, values);
  yield { reason: 'grant_not_allowed', what: 'a client without the role', request: roleless };
  for (const [reason, error] of [
    ['server_error', new TypeError('broken')],
    ['temporarily_unavailable', new Unavailable('gone')],
  ] as const) {
    const first = (): void => {
      failing.fail('find client', error);
      // A secret alone names its client.
      failing.fail('findBy client', error);
    };
    yield { reason, what: error.message, request: good, first };
  }
}

function* wrongLogins({
  programme,
  definition,
  by,
  other: { client: other },
  values,
}: Provoking): Iterable<Provoked> {
  yield* loginFaults(programme, by, values);
  const {
    endpoint,
    pkce,
    redirect_uri: { login: rule },
  } = definition.authorize;
  const request = (changes: SampleValues, client = by.client): SampleRequest =>
    sampleLoginRequest(programme, client, { ...values, ...changes });
  const good = request({});
  const nameOf = (role: string): string => endpoint.inputs[role]?.name ?? role;
  const repeat = (role: string): SampleRequest => ({
    ...good,
    query: [...good.query, [nameOf(role), 'x']],
  });
  const unknown = { ...good, query: [...good.query, ['unheard_of', '1'] as const] };
  const roleless = request({ redirect_uri: other.redirectUris[0] }, other);
  const rows: readonly (readonly [string, SampleRequest, boolean?])[] = [
    ['ambiguous_request', repeat('client_id')],
    ['repeated_parameter', repeat('response_type')],
    ['unknown_parameter', unknown, endpoint.unknown === 'refuse'],
    ['missing_redirect_uri', request({ redirect_uri: null }, other), rule !== 'required'],
    ['missing_parameter', request({ code_challenge: null }), pkce !== 'off'],
    ['access_denied', roleless],
  ];
  for (const [reason, wrong, applies = true] of rows) {
    if (applies) yield { reason, what: 'at the login request', request: wrong };
  }
  const programmeName = Object.entries(endpoint.inputs).find(
    ([, input]) => input.must_equal === 'programme.identifier',
  );
  if (programmeName === undefined) return;
  const elsewhere = request({ [programmeName[0]]: 'Elsewhere' });
  yield { reason: 'programme_mismatch', what: 'another programme', request: elsewhere };
}
