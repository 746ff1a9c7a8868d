// Owns the standard client oauth4webapi as a partner of the executive club sets it up and uses it.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import * as oauth from 'oauth4webapi';

import {
  type Jetway,
  type JetwayOptions,
  shippedProgramme,
  startJetway,
  type TestClient,
} from '../support/jetway.ts';
import { insecure, type noPkce } from './marked.ts';
import { callbackAfterLogin, endpointsOf, rejection } from './partner.ts';

/** The client as its owner would configure it: endpoints by hand, see the test of discovery. */
export interface Partner {
  readonly as: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly auth: oauth.ClientAuth;
  readonly redirectUri: string;
}

export type MakeAuth = (client: TestClient) => oauth.ClientAuth;

export const standardBasic: MakeAuth = ({ secret }) => oauth.ClientSecretBasic(secret);

/** The setting that lets this client talk to `credentials: raw`: its own six lines of Basic. */
export const rawBasic: MakeAuth =
  ({ secret }) =>
  (_as, { client_id: id }, _body, headers) => {
    headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`);
  };

export function partnerOf(jetway: Jetway, client: TestClient, makeAuth: MakeAuth): Partner {
  return {
    as: { ...endpointsOf(jetway.url) },
    client: { client_id: client.id },
    auth: makeAuth(client),
    redirectUri: client.redirectUri,
  };
}

export async function startClub(
  t: TestContext,
  over: readonly string[],
  more: JetwayOptions = {},
): Promise<Jetway> {
  const programmes = { 'executive-club': shippedProgramme('executive-club', ...over) };
  return startJetway(t, { programmes, ...more });
}

/** A club that takes this client as it is, and the client. */
export async function startWithPartner(
  t: TestContext,
  over = '',
): Promise<{ readonly jetway: Jetway; readonly partner: Partner }> {
  const jetway = await startClub(t, [over]);
  const partner = partnerOf(jetway, await jetway.addClient(), standardBasic);
  return { jetway, partner };
}

export function loginUrl(
  { as, client, redirectUri }: Partner,
  parameters: Readonly<Record<string, string>>,
): URL {
  const url = new URL(as.authorization_endpoint ?? '');
  const all = { client_id: client.client_id, response_type: 'code', redirect_uri: redirectUri };
  url.search = new URLSearchParams({ ...all, ...parameters }).toString();
  return url;
}

export async function redeem(
  { as, client, auth, redirectUri }: Partner,
  callback: URL,
  verifier: string | typeof noPkce,
  state: string | typeof oauth.expectNoState,
): Promise<oauth.TokenEndpointResponse> {
  const parameters = oauth.validateAuthResponse(as, client, callback, state);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    auth,
    parameters,
    redirectUri,
    verifier,
    insecure,
  );
  return oauth.processAuthorizationCodeResponse(as, client, response);
}

export async function refresh(
  { as, client, auth }: Partner,
  token: string,
): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.refreshTokenGrantRequest(as, client, auth, token, insecure);
  return oauth.processRefreshTokenResponse(as, client, response);
}

export async function clientCredentials(
  { as, client, auth }: Partner,
  parameters: Readonly<Record<string, string>> = {},
): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.clientCredentialsGrantRequest(
    as,
    client,
    auth,
    { ...parameters },
    insecure,
  );
  return oauth.processClientCredentialsResponse(as, client, response);
}

/** A login without state and PKCE, up to the callback. */
export async function logInPlainly(jetway: Jetway, partner: Partner): Promise<URL> {
  return callbackAfterLogin(loginUrl(partner, {}), await jetway.addMember());
}

/** The OAuth error that a request is rejected with; any other rejection fails the test. */
export async function responseError(promise: Promise<unknown>): Promise<oauth.ResponseBodyError> {
  const error = await rejection(promise);
  assert.ok(error instanceof oauth.ResponseBodyError, String(error));
  return error;
}
