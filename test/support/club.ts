// Owns the executive club as tests meet it: its paths, a partner and a member of it, the requests
// they make and the answers in the club's dialect.

import type { TestContext } from 'node:test';

import { findStandingToken } from '../../src/engine/presented/access_token.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import {
  type Jetway,
  type JetwayOptions,
  shippedProgramme,
  startJetway,
  type TestClient,
  type TestMember,
} from './jetway.ts';
import { logIn } from './login.ts';
import { type Answer, post } from './wire.ts';

export const programme = 'executive-club' as ProgrammeId;

export const paths = {
  login: '/executive-club/auth/login',
  page: '/executive-club/login',
  grant: '/executive-club/api/grant',
  keys: '/executive-club/.well-known/jwks.json',
} as const;

/** Headers of every token and error answer (C-10). */
export const jsonHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  pragma: 'no-cache',
} as const;

/** A server with the club, a partner `client` and a `member`. */
export interface Club extends Jetway {
  readonly client: TestClient;
  readonly member: TestMember;
}

export interface ClubOptions extends JetwayOptions {
  /** YAML laid over the shipped file. */
  readonly over?: string | readonly string[];
}

export async function openClub(t: TestContext, options: ClubOptions = {}): Promise<Club> {
  const { over = '', ...rest } = options;
  const programmes = { [programme]: shippedProgramme(programme, ...[over].flat()) };
  const jetway = await startJetway(t, { programmes, ...rest });
  return { ...jetway, client: await jetway.addClient(), member: await jetway.addMember() };
}

type Fields = Readonly<Record<string, string>>;

/** A login request that is right but for what is said. */
export function loginTarget(client: { readonly id: string }, more: Fields = {}): string {
  const query = new URLSearchParams({ client_id: client.id, response_type: 'code', ...more });
  return `${paths.login}?${query.toString()}`;
}

/** A whole login of the club's member; the code that arrives at the partner. */
export function codeFor(
  club: Club,
  more: Fields = {},
  client: TestClient = club.client,
): Promise<string> {
  return logIn(club.url, loginTarget(client, more), club.member);
}

/** A token request by the club's partner unless headers say otherwise. */
export function askTokens(
  club: Club,
  fields: Parameters<typeof post>[2],
  headers: Fields = { authorization: club.client.basic },
): Promise<Answer> {
  return post(club.url, paths.grant, fields, headers);
}

/** A request for the partner's own token. */
export function askPartnerToken(
  club: Club,
  headers?: Parameters<typeof askTokens>[2],
): Promise<Answer> {
  return askTokens(club, { grant_type: 'client_credentials' }, headers);
}

export async function partnerTokenOf(club: Club): Promise<string> {
  return tokensIn(await askPartnerToken(club)).access_token;
}

export function redeem(club: Club, code: string, more: Fields = {}): Promise<Answer> {
  return askTokens(club, { grant_type: 'authorization_code', code, ...more });
}

export function refresh(club: Club, refreshToken: string, more: Fields = {}): Promise<Answer> {
  return askTokens(club, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more });
}

/** A token response of the club. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly ba_refresh_expires_in: number;
}

/** The tokens of an answer, which must be a success. */
export function tokensIn(answer: Answer): Tokens {
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body) as Tokens;
}

/** The tokens of a fresh login. */
export async function tokensOfLogin(club: Club, more: Fields = {}): Promise<Tokens> {
  return tokensIn(await redeem(club, await codeFor(club, more)));
}

/** Whether an access token is neither ended nor over; its client and member may be disabled. */
export async function isLive(club: Club, accessToken: string): Promise<boolean> {
  const service = club.services.get(programme);
  if (service === undefined) throw new Error('the club is not served');
  const found = await findStandingToken(service, accessToken, club.clock.now());
  return typeof found !== 'string' || found.endsWith('_disabled');
}

/** A refused token request, in full. */
export function refused(status: number, body: object, more: Fields = {}): Answer {
  return { status, headers: { ...jsonHeaders, ...more }, body: JSON.stringify(body) };
}

/** G-21: what an unknown, expired, used or foreign code gets. */
export const invalidCode: Answer = refused(400, { error: 'invalid_grant' });

/** G-19: what a refresh token that is no good gets. */
export const invalidRefreshToken: Answer = refused(400, {
  error: 'invalid_grant',
  error_description: 'invalid_token',
});

/** G-17. */
export const unknownClient: Answer = refused(
  401,
  { error: 'invalid_client' },
  { 'www-authenticate': 'Basic realm="Executive Club"' },
);

/** A redirect back to the partner, in full (G-4: no body). */
export function redirected(location: string): Answer {
  return {
    status: 302,
    headers: {
      location,
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'referrer-policy': 'no-referrer',
    },
    body: '',
  };
}
