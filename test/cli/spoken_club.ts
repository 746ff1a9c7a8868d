// Owns the three shipped programmes as callers meet them on a running server, whichever dialect they
// speak, and as an operator sets them up from the command line.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import * as executive from '../support/club.ts';
import { shippedLogos, shippedProgramme } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import * as partner from '../support/partner_club.ts';
import { type Answer, ask, post } from '../support/wire.ts';
import { jetwayJson, workFolder } from './command.ts';

export const member = { username: 'ann', password: 'a good password' };

/** Turns on what the shipped files leave off. */
const everything =
  'introspection: { path: /introspect }\nrevocation: { path: /revoke }\nmetadata: on\n';

/** Members who are locked after two wrong passwords. */
export const tight = `${everything}login: { lockout: { attempts: 2 } }\n`;

/** A club as a caller meets it, whichever dialect it speaks. */
export interface Spoken {
  readonly id: string;
  readonly own: string;
  readonly loginTarget: string;
  readonly loginMethod: string;
  readonly basic: string;
  /** What its dialect says of maintenance and outages. */
  readonly unavailable: (seconds: number) => Answer;
  readonly redeem: (url: string, code: string) => Promise<Answer>;
  readonly refresh: (url: string, token: string) => Promise<Answer>;
  /** Documents that go on. */
  readonly published: readonly string[];
}

interface Onboarded {
  readonly client_id: string;
  readonly client_secret: string;
}

/** A member, and a partner who may send three token requests a day. */
async function onboard(
  folder: string,
  programme: string,
  more: readonly string[],
): Promise<Onboarded> {
  const args = ['client', 'add', '--programme', programme, '--name', 'Some Partner'];
  const budget = ['--throttle-limit', '3', '--throttle-window', '1d'];
  const uri = ['--redirect-uri', partner.callback, '--role', 'member'];
  const made = await jetwayJson(folder, [...args, ...uri, ...budget, ...more]);
  const add = ['member', 'add', '--programme', programme, '--username', member.username];
  await jetwayJson(folder, [...add, '--password-stdin'], member.password);
  return made as Onboarded;
}

function clientOf({ client_id: id, client_secret: secret }: Onboarded): executive.Club['client'] {
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  return { id, secret, redirectUri: partner.callback, basic };
}

async function executiveClub(folder: string): Promise<Spoken> {
  const client = clientOf(await onboard(folder, executive.programme, ['--role', 'partner']));
  const at = (url: string) => ({ url, client }) as executive.Club;
  return {
    id: executive.programme,
    own: '/executive-club',
    loginTarget: executive.loginTarget(client),
    loginMethod: 'GET',
    basic: client.basic,
    unavailable: (seconds) =>
      executive.refused(
        503,
        { error: 'temporarily_unavailable' },
        { 'retry-after': String(seconds) },
      ),
    redeem: (url, code) => executive.redeem(at(url), code),
    refresh: (url, token) => executive.refresh(at(url), token),
    published: ['/.well-known/oauth-authorization-server/executive-club'],
  };
}

export async function partnerClub(folder: string, names: partner.ClubNames): Promise<Spoken> {
  const more = ['--business-context', partner.context, '--partner-id', partner.partnerId];
  const client = clientOf(await onboard(folder, names.programme, more));
  const at = (url: string) => ({ ...names, url, client }) as partner.PartnerClub;
  return {
    id: names.programme,
    own: names.own,
    loginTarget: partner.loginTarget(at('')),
    loginMethod: 'POST',
    basic: client.basic,
    unavailable: (seconds) =>
      partner.refused(500, 'temporarily_unavailable', 'Temporarily unavailable', {
        'retry-after': String(seconds),
      }),
    redeem: (url, code) => partner.redeem(at(url), code),
    refresh: (url, token) => partner.refresh(at(url), token),
    published: [names.paths.keys, `/.well-known/oauth-authorization-server${names.own}`],
  };
}

export interface Site {
  readonly folder: string;
  readonly clubs: readonly Spoken[];
}

export async function openSite(t: TestContext): Promise<Site> {
  const files: Record<string, string> = {};
  for (const name of ['executive-club', 'second-club', 'third-club']) {
    files[`programmes/${name}.yaml`] = shippedProgramme(name, tight);
  }
  const folder = workFolder(t, { ...files, ...shippedLogos() });
  const clubs = [
    await executiveClub(folder),
    await partnerClub(folder, partner.secondClub),
    await partnerClub(folder, partner.thirdClub),
  ];
  return { folder, clubs };
}

/** A code that arrives at the partner. */
export async function codeFor(url: string, club: Spoken): Promise<string> {
  const login = await openLogin(url, club.loginTarget, club.loginMethod);
  return codeIn(await submitLogin(url, login, member));
}

export function codeIn(answer: Answer): string {
  const code = URL.parse(answer.headers['location'] ?? '')?.searchParams.get('code');
  assert.ok(code, `${answer.status} ${answer.body}`);
  return code;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

export function tokensIn(answer: Answer): Tokens {
  assert.equal(answer.status, 200, answer.body);
  return JSON.parse(answer.body) as Tokens;
}

export function verify(url: string, { own }: Spoken, token: string): Promise<Answer> {
  return ask(url, `${own}/verify/member`, { headers: { authorization: `Bearer ${token}` } });
}

export function manage(
  url: string,
  { own, basic }: Spoken,
  what: string,
  token: string,
): Promise<Answer> {
  return post(url, `${own}/${what}`, { token }, { authorization: basic });
}

export function assertDifficulties(answer: Answer, seconds: number): void {
  const { 'retry-after': wait, ...headers } = answer.headers;
  assert.equal(wait, String(seconds));
  const title = 'You cannot log in at the moment';
  assert.deepEqual(readPage({ ...answer, headers }), {
    status: 503,
    title,
    heading: title,
    text: ['We are having difficulties. Please try again later.'],
  });
}
