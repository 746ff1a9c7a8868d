// Owns what a demo knows of one programme, and the requests that its partner and its gateway make.

import type { FailureReason } from '../../oauth/failure.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { programmePaths, servicePaths } from '../../oauth/own_paths.ts';
import type { Definition } from '../../programme/language/definition.ts';
import type { Programme } from '../../programme/programme.ts';
import type { SampleFault } from '../../programme/requests/sample_faults.ts';
import {
  type SampleClient,
  sampleLoginRequest,
  type SampleRequest,
  sampleTokenRequest,
  type SampleValues,
} from '../../programme/requests/sample_request.ts';
import type { VerificationMode } from '../../programme/requests/verification.ts';

/** A programme with somebody to use it. */
export interface Demo {
  readonly programme: Programme;
  readonly definition: Definition;
  /** What the programme's file is laid over, in words. */
  readonly dialect: string;
  readonly by: Required<SampleClient>;
  readonly redirectUri: string;
  readonly member: { readonly username: string; readonly password: string };
  /** Proof key of its logins, where the programme asks for one. */
  readonly proof?: { readonly verifier: string; readonly challenge: string };
  /** Where the demo listens. */
  readonly base: string;
}

/** Path of a programme's demo: its own page, and others below it. */
export function demoPath(programme: string): string {
  return servicePaths.demo + programme;
}

export function demoCallbackPath(programme: string): string {
  return `${demoPath(programme)}/callback`;
}

/** Where its commands are, as plain text. */
export function commandsPath(programme: string): string {
  return `${demoPath(programme)}/commands`;
}

/** Where tokens are got, and shown. */
export function tokensPath(programme: string): string {
  return `${demoPath(programme)}/tokens`;
}

/** What a login request of the demo partner holds. */
export function loginValues({ redirectUri, proof }: Demo, state?: string): SampleValues {
  return {
    redirect_uri: redirectUri,
    ...(state === undefined ? {} : { state }),
    ...(proof && { code_challenge: proof.challenge, code_challenge_method: 'S256' }),
  };
}

export function loginRequest(demo: Demo, state?: string): SampleRequest {
  return sampleLoginRequest(demo.definition, demo.by.client, loginValues(demo, state));
}

/** A token request by a grant; `at` says which of its endpoints, where it is not the first. */
export function tokenRequest(
  demo: Demo,
  grant: GrantType,
  values: SampleValues,
  at?: string,
): SampleRequest {
  const { definition, by, proof } = demo;
  const proven = grant === 'authorization_code' && proof ? { code_verifier: proof.verifier } : {};
  return sampleTokenRequest(definition, grant, by, { ...values, ...proven }, at);
}

/** What a gateway asks: may a request with such credentials pass? */
export function verifyRequest(
  { programme, definition, by }: Demo,
  mode: VerificationMode,
  credentials: { readonly apiKey?: string; readonly token?: string } = { apiKey: by.apiKey },
): SampleRequest {
  const { apiKey, token } = credentials;
  const { apiKeyHeader, toldHeaders } = programme.verification;
  const required = definition.verify.headers === 'required' ? toldHeaders : [];
  const headers = [
    ...required.map(({ name, valueFor }) => [name, valueFor(by.client) ?? ''] as const),
    ...(apiKey === undefined ? [] : [[apiKeyHeader, apiKey] as const]),
    ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const]),
  ];
  return {
    method: 'GET',
    path: programme.ownPath + programmePaths.verify + mode,
    query: [],
    headers,
  };
}

/** Such questions with one thing wrong; `held` is a good token, and whose it is. */
export function verifyFaults(
  demo: Demo,
  held?: { readonly token: string; readonly kind: 'member' | 'client' },
): readonly SampleFault[] {
  const fault = (
    reason: FailureReason,
    what: string,
    ...[mode, credentials]: [VerificationMode, { apiKey?: string; token?: string }]
  ): SampleFault => ({ reason, what, request: verifyRequest(demo, mode, credentials) });
  const key = demo.programme.verification.apiKeyHeader.toLowerCase();
  const other = held?.kind === 'client' ? 'member' : 'client';
  return [
    fault('missing_api_key', `no ${key}`, 'none', {}),
    fault('invalid_api_key', 'a wrong API key', 'none', { apiKey: 'wrong' }),
    fault('missing_token', 'no authorization', 'member', {}),
    fault('invalid_token', 'a token that was never issued', 'member', { token: 'wrong' }),
    ...(held === undefined
      ? []
      : [
          fault(
            'insufficient_scope',
            `a ${held.kind}'s token where a ${other}'s is asked for`,
            other,
            {
              token: held.token,
            },
          ),
        ]),
  ];
}
