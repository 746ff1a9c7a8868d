// Owns a programme's demo: its partner, member, paths, and the requests of partner and gateway that can be clicked, each
// with what its answer means.

import { tokenRequests } from '../../contract/partner/guide.ts';
import { type SampleFault, loginFaults, tokenFaults } from '../../contract/samples/faults.ts';
import type { SampleClient, SampleValues } from '../../contract/samples/proof.ts';
import {
  type SampleRequest,
  authorizationOf,
  callHeaders,
  sampleLoginRequest,
  usualValue,
} from '../../contract/samples/requests.ts';
import { drawnProperty } from '../../language/vocabularies.ts';
import { listed, present } from '../../lib/present.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { programmePaths, servicePaths } from '../../oauth/own_paths.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import { type TokenName, takeToken, tokenPlace } from '../../programme/answers/token_place.ts';
import { type Programme, endpointsFor } from '../../programme/programme.ts';
import type { VerificationMode } from '../../programme/requests/verification.ts';

export interface SampleAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a sample request; follows no redirect. */
export async function sendSample(base: string, request: SampleRequest): Promise<SampleAnswer> {
  const { method, path, query, credentials, form, multipart, json, raw } = request;
  const headers = new Headers(request.headers.map(([name, value]) => [name, value]));
  if (credentials !== undefined) {
    headers.set('authorization', authorizationOf(credentials));
  }
  if (json !== undefined) headers.set('content-type', 'application/json');
  if (raw !== undefined) headers.set('content-type', raw.type);
  const search = encoded(query)?.toString() ?? '';
  const body =
    raw?.text ?? (json && JSON.stringify(json)) ?? (multipart === true ? parts : encoded)(form);
  const response = await fetch(base + path + (search === '' ? '' : `?${search}`), {
    method,
    headers,
    redirect: 'manual',
    ...present({ body }),
  });
  const cookies = response.headers.getSetCookie();
  return {
    status: response.status,
    headers: {
      ...Object.fromEntries(response.headers),
      ...(cookies.length > 0 && { 'set-cookie': cookies.join('\n') }),
    },
    body: await response.text(),
  };
}

function parts(pairs: SampleRequest['form'] = []): FormData {
  const body = new FormData();
  for (const [name, value] of pairs) body.append(name, value);
  return body;
}

function encoded(pairs: SampleRequest['form']): URLSearchParams | undefined {
  return pairs && new URLSearchParams(pairs.map(([name, value]) => [name, value]));
}

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

/** Requests by a grant, one for each endpoint that serves it: of values that are not given, with variables. */
export function requestsBy(
  { programme, by, proof }: Demo,
  grant: GrantType,
  values: SampleValues = {},
): readonly SampleRequest[] {
  const isProved = grant === 'authorization_code' && proof !== undefined;
  const held = { ...values, ...(isProved && { code_verifier: proof.verifier }) };
  return tokenRequests({ programme, by }, grant, held).map(({ request }) => request);
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
  const audience = credentials.token === undefined ? undefined : namedAudience(programme, by, mode);
  const named = audience === undefined ? mode : `${mode},audience=${encodeURIComponent(audience)}`;
  const path = programme.ownPath + programmePaths.verify + named;
  return { method: 'GET', path, query: [], headers };
}

/** The API of a kind of tokens, where no request gets one without naming it: its gateway names it, too. */
function namedAudience(
  programme: Programme,
  by: Demo['by'],
  mode: VerificationMode,
): string | undefined {
  if (mode === 'none') return undefined;
  const isOwn = mode === 'client';
  const endpoints = endpointsFor(programme, isOwn ? 'client_credentials' : 'authorization_code');
  const named = [
    ...(isOwn ? [] : programme.login.endpoint.reading.inputs),
    ...endpoints.flatMap(({ reading }) => reading.inputs),
  ].find(({ role, required }) => role === 'resource' && required);
  return named && usualValue(named, programme, by);
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

/** What a visitor has by now; the page keeps it in its forms. */
export interface Held {
  readonly code?: string;
  /** Of a token: whose it is. */
  readonly kind?: string;
  readonly access?: string;
  readonly refresh?: string;
  /** The refresh token of the first answer. */
  readonly first?: string;
  /** `yes` once a refresh was refused. */
  readonly ended?: string;
  /** What the login has drawn. */
  readonly [drawn: `drawn.${string}`]: string;
}

/** What a redirect tells of what its login has drawn. */
export function drawnIn(
  { programme: { login } }: Demo,
  fields: Readonly<Record<string, string>>,
): Held {
  return Object.fromEntries(
    Array.from(login.draws, ([name, { parameter }]) => [
      drawnProperty(name),
      fields[parameter] ?? '',
    ]),
  );
}

/** A request that a button sends. */
export interface Click {
  /** Unique within its programme. */
  readonly key: string;
  /** The endpoints that answer a request with one thing wrong; absent for a step of the story. */
  readonly group?: string;
  readonly label: string;
  readonly what: string;
  readonly request: SampleRequest;
  /** Of a request for tokens. */
  readonly grant?: GrantType;
  /** What is told of a good answer, and of a refusal. */
  readonly good?: string;
  readonly refused?: string;
}

/** The steps that the visitor's tokens allow, and every request with one fault. */
export function clicksOf(demo: Demo, held: Held): readonly Click[] {
  const { grants, refresh: rules } = demo.programme;
  const { code, access, refresh, first, ended } = held;
  const names = [...demo.programme.login.draws.keys()];
  const drawn = Object.fromEntries(names.map((name) => [name, held[`drawn.${name}`]]));
  const asking = (grant: GrantType, values: SampleValues): Pick<Click, 'grant' | 'request'> => {
    const [request] = requestsBy(demo, grant, values);
    if (request === undefined) throw new Error(`${demo.programme.name} has no grant ${grant}`);
    return { grant, request };
  };
  const begins = { what: '', good: 'The partner has tokens now.', refused: 'There are none.' };
  const canRefresh = grants.has('refresh_token') && ended === undefined;
  const seconds = `${rules.grace / 1000} seconds`;
  return listed<Click>([
    code !== undefined && {
      key: 'code',
      label: 'Exchange the code for tokens',
      ...begins,
      ...asking('authorization_code', { code, ...drawn }),
    },
    grants.has('password') && {
      key: 'password',
      label: 'Get this member’s tokens by password',
      ...begins,
      ...asking('password', demo.member),
    },
    grants.has('client_credentials') && {
      key: 'own',
      label: 'Get a token for the partner',
      ...begins,
      ...asking('client_credentials', {}),
    },
    access !== undefined && {
      key: 'verify',
      label: 'Verify',
      what: 'Ask as a gateway does whether a request with this token may pass.',
      request: verifyRequest(demo, kindOf(held), { token: access }),
      good: 'It may. The X-Auth headers tell the API who is calling.',
      refused: 'It may not: the token has ended, although its time has not come.',
    },
    canRefresh &&
      refresh !== undefined && {
        key: 'refresh',
        label: 'Refresh',
        what: 'Get new tokens for the refresh token.',
        ...asking('refresh_token', { refresh_token: refresh, ...drawn }),
        good: 'New tokens. Where refresh tokens rotate, the one that was sent is spent now.',
        refused: 'The refresh token is good no more.',
      },
    canRefresh &&
      first !== undefined &&
      first !== refresh && {
        key: 'replay',
        label: 'The first refresh token again',
        what: `As after a lost answer: within ${seconds} it gets the same one. Once its successor was used, it must be a thief’s.`,
        ...asking('refresh_token', { refresh_token: first, ...drawn }),
        good: 'The same tokens (a JWT with a new signature): nobody is logged out by a lost answer.',
        refused: `Two hold tokens of this login, or the retry came after ${seconds}: all of its tokens have ended.`,
      },
    faultsOf(demo, held),
  ]);
}

function kindOf({ kind }: Held): 'client' | 'member' {
  return kind === 'client' ? 'client' : 'member';
}

function faultsOf(demo: Demo, held: Held): readonly Click[] {
  const { programme, by } = demo;
  const { access, ended } = held;
  const token = ended === undefined && access !== undefined ? access : undefined;
  const hasLogin = programme.grants.has('authorization_code');
  const groups = {
    'At the token endpoints': tokenFaults(programme, by),
    'At verify, as a gateway passes them on': verifyFaults(
      demo,
      token === undefined ? undefined : { token, kind: kindOf(held) },
    ),
    'At the login': hasLogin ? loginFaults(programme, by, loginValues(demo)) : [],
  };
  return Object.entries(groups).flatMap(([group, faults]) =>
    faults.map(({ reason, what, request }) => ({
      key: `${group} ${reason}`,
      group,
      label: reason,
      what,
      request,
    })),
  );
}

/** A click's answer, and what the visitor has then. */
export interface Sent {
  readonly answer: SampleAnswer;
  readonly isRefused: boolean;
  readonly held: Held;
}

export async function send(demo: Demo, { request, grant }: Click, before: Held): Promise<Sent> {
  const { programme, by, base } = demo;
  const answer = await sendSample(base, request);
  if (grant === undefined) return { answer, isRefused: answer.status !== 200, held: before };
  const token = (name: TokenName): string | undefined =>
    answer.status === programme.layouts.tokens.status
      ? takeToken(tokenPlace(programme, by.client, grant, name), answer)
      : undefined;
  const access = token('accessToken');
  const refresh = token('refreshToken');
  const isRefresh = grant === 'refresh_token';
  if (access === undefined) {
    return { answer, isRefused: true, held: isRefresh ? { ...before, ended: 'yes' } : before };
  }
  const kind = grant === 'client_credentials' ? 'client' : 'member';
  const { code: _spent, ended: _former, ...kept } = before;
  const held: Held = isRefresh
    ? { ...before, access }
    : { ...kept, kind, access, first: refresh ?? '' };
  return { answer, isRefused: false, held: refresh === undefined ? held : { ...held, refresh } };
}
