// Owns a partner-login club as tests meet it: its paths, a partner and a member of it, the requests
// they make and the answers in the club's dialect.

import type { TestContext } from 'node:test';

import type { ProgrammeId } from '../../src/oauth/client.ts';
import { jsonHeaders } from './club.ts';
import {
  type ClientOptions,
  type Jetway,
  type JetwayOptions,
  shippedProgramme,
  startJetway,
  type TestClient,
  type TestMember,
} from './jetway.ts';
import { openLogin, submitLogin } from './login.ts';
import { type Answer, ask, post } from './wire.ts';

/** What a club is called on the wire. */
export interface ClubNames {
  readonly programme: ProgrammeId;
  /** What partners send as programme-identifier. */
  readonly identifier: string;
  /** For people; the realm of its challenges. */
  readonly name: string;
  /** Where its login page and key set are. */
  readonly own: string;
  readonly paths: {
    readonly login: string;
    readonly key: string;
    readonly refresh: string;
    readonly page: string;
    readonly keys: string;
  };
}

/** A server with the club, a partner `client` and a `member`. */
export interface PartnerClub extends Jetway, ClubNames {
  readonly client: TestClient;
  readonly member: TestMember;
}

/** What the club's partner was given at onboarding, besides identifier and secret. */
export const context = 'PartnerContext';
const partnerId = 'Partner000001';

/** The headers that name the club and the partner, at the token endpoints and at the API. */
export function naming(
  identifier: string,
  of: string = context,
): Readonly<Record<'programme-identifier' | 'business-context-identifier', string>> {
  return { 'programme-identifier': identifier, 'business-context-identifier': of };
}

/** A shipped club's names; `base` and `own` where the file mounts it elsewhere. */
export function namesOf(
  programme: string,
  identifier: string,
  base = `/${programme}`,
  own: string = base,
): ClubNames {
  return {
    programme: programme as ProgrammeId,
    identifier,
    name: identifier.replace(/(?<=[a-z])(?=[A-Z])/, ' '),
    own,
    paths: {
      login: `${base}/secure/code`,
      key: `${base}/secure/key`,
      refresh: `${base}/secure/refresh`,
      page: `${own}/login`,
      keys: `${own}/.well-known/jwks.json`,
    },
  };
}

export const secondClub: ClubNames = namesOf('second-club', 'SecondClub');
export const thirdClub: ClubNames = namesOf('third-club', 'ThirdClub');

export interface PartnerClubOptions extends JetwayOptions {
  readonly names?: ClubNames;
  /** YAML laid over the shipped file. */
  readonly over?: string | readonly string[];
}

export async function openPartnerClub(
  t: TestContext,
  options: PartnerClubOptions = {},
): Promise<PartnerClub> {
  const { names = secondClub, over = '', ...rest } = options;
  const programmes = { [names.programme]: shippedProgramme(names.programme, ...[over].flat()) };
  return joinClub(await startJetway(t, { programmes, ...rest }), names);
}

/** A club among those of a running server, with a partner and a member of its own. */
export async function joinClub(
  jetway: Jetway,
  names: ClubNames,
  client: ClientOptions = {},
): Promise<PartnerClub> {
  const { programme } = names;
  return {
    ...jetway,
    ...names,
    client: await addPartner({ ...jetway, ...names }, client),
    member: await jetway.addMember({ programme }),
  };
}

/** One more partner of the club. */
export function addPartner(
  { addClient, programme }: Pick<PartnerClub, 'addClient' | 'programme'>,
  { more, ...rest }: ClientOptions = {},
): Promise<TestClient> {
  const usual = { programme, id: 'Partner1', roles: ['member'] as const };
  return addClient({
    ...usual,
    ...rest,
    more: { businessContext: context, partnerId, ...more },
  });
}

/** Fields of a request; one that is undefined is left out. */
export type Fields = Readonly<Record<string, string | undefined>>;

function present(fields: Fields): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
}

/** A login request that is right but for what is said. */
export function loginTarget(club: PartnerClub, more: Fields = {}): string {
  const query = present({
    response_type: 'code',
    client_id: club.client.id,
    'programme-identifier': club.identifier,
    'business-context-identifier': context,
    ...more,
  });
  return `${club.paths.login}?${new URLSearchParams(query).toString()}`;
}

export function askLogin(club: PartnerClub, more: Fields = {}): Promise<Answer> {
  return ask(club.url, loginTarget(club, more), { method: 'POST' });
}

/** A whole login of the club's member; the address the browser is sent back to. */
export async function returnFrom(club: PartnerClub, more: Fields = {}): Promise<URL> {
  const login = await openLogin(club.url, loginTarget(club, more), 'POST');
  const answer = await submitLogin(club.url, login, club.member);
  const { location } = answer.headers;
  if (location === undefined) throw new Error(`no way back: ${answer.status} ${answer.body}`);
  return new URL(location);
}

export async function codeFor(club: PartnerClub, more: Fields = {}): Promise<string> {
  const back = await returnFrom(club, more);
  const code = back.searchParams.get('code');
  if (code === null) throw new Error(`no code: ${back.href}`);
  return code;
}

/** Headers of a token request that is right but for what is said. */
export function headersOf(club: PartnerClub, more: Fields = {}): Readonly<Record<string, string>> {
  const { identifier, client } = club;
  return Object.fromEntries(
    present({
      authorization: client.basic,
      'programme-identifier': identifier,
      'business-context-identifier': context,
      ...more,
    }),
  );
}

/** A refresh at /secure/key (P-9). */
export function refreshAtKey(club: PartnerClub, refreshToken: string): Promise<Answer> {
  return askKey(club, { grant_type: 'refresh_token', refresh_token: refreshToken });
}

/** A request to /secure/key. */
export function askKey(club: PartnerClub, query: Fields, headers: Fields = {}): Promise<Answer> {
  const target = `${club.paths.key}?${new URLSearchParams(present(query)).toString()}`;
  return ask(club.url, target, { method: 'POST', headers: headersOf(club, headers) });
}

export function redeem(
  club: PartnerClub,
  code: string,
  more: Fields = {},
  headers: Fields = {},
): Promise<Answer> {
  return askKey(club, { grant_type: 'authorization_code', code, ...more }, headers);
}

/** A request to /secure/refresh. */
export function refresh(
  club: PartnerClub,
  refreshToken: string,
  more: Fields = {},
  headers: Fields = {},
): Promise<Answer> {
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, ...more };
  return post(club.url, club.paths.refresh, present(fields), headersOf(club, headers));
}

/** A token response of the club. */
export interface PartnerTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope?: string;
  readonly jti: number;
  readonly token_Information: Readonly<Record<string, string>>;
}

/** The tokens of an answer, which must be a success. */
export function tokensIn(answer: Answer): PartnerTokens {
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body) as PartnerTokens;
}

/** The tokens of a fresh login. */
export async function tokensOfLogin(club: PartnerClub, more: Fields = {}): Promise<PartnerTokens> {
  return tokensIn(await redeem(club, await codeFor(club, more)));
}

/** A refused token request, in full. */
export function refused(
  status: number,
  error: string,
  description: string,
  more: Readonly<Record<string, string>> = {},
): Answer {
  const body = JSON.stringify({ error, error_description: description });
  return { status, headers: { ...jsonHeaders, ...more }, body };
}

export function badRequest(description: string): Answer {
  return refused(400, 'invalid_request', description);
}

/** P-2: what an unknown, expired, used or foreign code gets. */
export const invalidCode: Answer = refused(400, 'invalid_grant', 'Invalid authorization code');

export const invalidRefreshToken: Answer = refused(400, 'invalid_grant', 'Invalid refresh token');
