// Owns a programme's demo: its partner, member, paths, and requests of partner and gateway.

import type { SampleFault } from '../../contract/samples/faults.ts';
import type { SampleClient, SampleValues } from '../../contract/samples/proof.ts';
import {
  callHeaders,
  sampleLoginRequest,
  type SampleRequest,
  sampleTokenRequest,
} from '../../contract/samples/requests.ts';
import { present } from '../../lib/present.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { programmePaths, servicePaths } from '../../oauth/own_paths.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import type { Programme } from '../../programme/programme.ts';
import type { VerificationMode } from '../../programme/requests/demand.ts';

/** A programme with a demo partner and member. */
export interface Demo {
  readonly programme: Programme;
  /** The file's base or variant, in words. */
  readonly dialect: string;
  readonly by: SampleClient & Required<Pick<SampleClient, 'apiKey'>>;
  readonly redirectUri: string;
  readonly member: { readonly username: string; readonly password: string };
  /** The PKCE verifier of its logins, if the programme requires PKCE. */
  readonly proof?: { readonly verifier: string; readonly challenge: string };
  readonly base: string;
}

/**
 * Paths of a programme's demo: `callback` is the partner's redirect URI, `commands` plain text, `partner`
 * the page for partners, and `tokens` takes clicks.
 */
export function demoPaths(
  programme: string,
): Readonly<Record<'callback' | 'commands' | 'partner' | 'tokens', string>> {
  const home = servicePaths.demo + programme;
  return {
    callback: `${home}/callback`,
    commands: `${home}/commands`,
    partner: `${home}/partner`,
    tokens: `${home}/tokens`,
  };
}

export function loginValues({ redirectUri, proof }: Demo, state?: string): SampleValues {
  return {
    redirect_uri: redirectUri,
    ...present({ state }),
    ...(proof && { code_challenge: proof.challenge, code_challenge_method: 'S256' }),
  };
}

export function loginRequest(demo: Demo, state?: string): SampleRequest {
  return sampleLoginRequest(demo.programme, demo.by.client, loginValues(demo, state));
}

/** `at` names the grant's endpoint; the first one if left out. */
export function tokenRequest(
  demo: Demo,
  grant: GrantType,
  values: SampleValues,
  at?: string,
): SampleRequest {
  const { programme, by, proof, redirectUri } = demo;
  if (grant !== 'authorization_code') return sampleTokenRequest(programme, grant, by, values, at);
  const again = programme.login.endpoint.repeatsRedirectUri && { redirect_uri: redirectUri };
  const proven = proof && { code_verifier: proof.verifier };
  return sampleTokenRequest(programme, grant, by, { ...values, ...proven, ...again }, at);
}

interface GatewayCredentials {
  readonly apiKey?: string;
  readonly token?: string;
}

/** The request in which a gateway asks whether credentials are valid. */
export function verifyRequest(
  { programme, by }: Demo,
  mode: VerificationMode,
  credentials: GatewayCredentials = { apiKey: by.apiKey },
): SampleRequest {
  const isNaming = programme.verification.comparedHeaders.some(({ required }) => required);
  const headers = callHeaders(programme, by.client, credentials, isNaming);
  const path = programme.ownPath + programmePaths.verify + mode;
  return { method: 'GET', path, query: [], headers };
}

/** A gateway's requests with one fault each; `held` is a live token and its kind. */
export function verifyFaults(
  demo: Demo,
  held?: { readonly token: string; readonly kind: 'member' | 'client' },
): readonly SampleFault[] {
  const other = held?.kind === 'client' ? 'member' : 'client';
  const misused = `a ${held?.kind}'s token where a ${other}'s is asked for`;
  const faults: readonly (readonly [
    FailureReason,
    string,
    VerificationMode,
    GatewayCredentials,
  ])[] = [
    ['missing_api_key', `no ${demo.programme.verification.apiKeyHeader.toLowerCase()}`, 'none', {}],
    ['invalid_api_key', 'a wrong API key', 'none', { apiKey: 'wrong' }],
    ['missing_token', 'no authorization', 'member', {}],
    ['invalid_token', 'a token that was never issued', 'member', { token: 'wrong' }],
    ...(held ? [['insufficient_scope', misused, other, { token: held.token }] as const] : []),
  ];
  return faults.map(([reason, what, mode, credentials]) => ({
    reason,
    what,
    request: verifyRequest(demo, mode, credentials),
  }));
}
