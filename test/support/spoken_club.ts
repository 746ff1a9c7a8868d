// Owns one programme as its callers and gateways meet it, whatever its dialect.

import type { TestContext } from 'node:test';

import type { ProgrammeId } from '../../src/oauth/client.ts';
import { refused as executiveRefusal, tokensIn } from './club.ts';
import { addGateway, introspect, managed, verify } from './gateway.ts';
import {
  type Jetway,
  type JetwayOptions,
  shippedProgramme,
  startJetway,
  type TestClient,
  type TestMember,
} from './jetway.ts';
import { logIn } from './login.ts';
import * as partner from './partner_club.ts';
import { type Answer, post } from './wire.ts';

/** What a login ends with. */
export interface Issued {
  readonly code: string;
  readonly access: string;
  readonly refresh: string;
}

/** A programme with all that its file can turn on, a partner and a member. */
export interface SpokenClub {
  /** For people: how tests name it. */
  readonly name: string;
  readonly jetway: Jetway;
  readonly programme: ProgrammeId;
  /** Path of its own endpoints, without the first slash. */
  readonly base: string;
  readonly client: TestClient;
  readonly loginTarget: string;
  readonly loginMethod: string;
  /** Documents that are served whatever becomes of the programme. */
  readonly published: readonly string[];
  /** What its dialect says of maintenance and outages. */
  readonly unavailable: (seconds: number) => Answer;
  /** A login, as far as the code that the partner gets. */
  readonly code: () => Promise<string>;
  readonly login: () => Promise<Issued>;
  readonly redeem: (code: string) => Promise<Answer>;
  readonly refresh: (token: string) => Promise<Answer>;
}

/** The same, and a gateway of it. */
export interface Site extends SpokenClub {
  /** Authorization of the gateway. */
  readonly gateway: string;
}

export type SiteName = 'jwt' | 'partner';

const jwt = 'tokens: { access: { format: jwt } }\n';
const gold = 'name: Gold\nprogramme_identifier: Gold\nbase_path: /gold-club\n';

const sources = {
  jwt: ['gold-club', shippedProgramme('executive-club', gold, jwt, managed)],
  partner: ['second-club', shippedProgramme('second-club', managed)],
} as const;

/** One server with sites side by side; their partners have one identifier and secret by variant. */
export async function openSites(
  t: TestContext,
  names: readonly SiteName[],
  options: JetwayOptions = {},
): Promise<readonly Site[]> {
  const programmes = Object.fromEntries(names.map((name) => sources[name]));
  const jetway = await startJetway(t, { ...options, programmes });
  return Promise.all(names.map((name) => openSite(jetway, name)));
}

/** The two partner-login clubs on one base path, told apart by their selector. */
export const sharedPath = {
  programmes: {
    'second-club': shippedProgramme('second-club', managed, selected(true)),
    'third-club': shippedProgramme('third-club', managed, selected(false)),
  },
  second: partner.namesOf('second-club', 'SecondClub', '/clubs', '/clubs/second-club'),
  third: partner.namesOf('third-club', 'ThirdClub', '/clubs', '/clubs/third-club'),
} as const;

function selected(isDefault: boolean): string {
  return `base_path: /clubs\nselector: { input: programme, default: ${isDefault} }\n`;
}

async function openSite(jetway: Jetway, name: SiteName): Promise<Site> {
  const [base] = sources[name];
  const programme = base as ProgrammeId;
  const gateway = await addGateway(jetway, programme);
  if (name === 'partner') {
    return { ...partnerClub(await partner.joinClub(jetway, partner.secondClub)), name, gateway };
  }
  const client = await jetway.addClient({ programme });
  const member = await jetway.addMember({ programme });
  return { ...executiveClub({ ...jetway, client, member }, programme), name, gateway };
}

/** A partner-login club at its server. */
export function partnerClub(club: partner.PartnerClub): SpokenClub {
  const { programme, client, own, paths } = club;
  const code = (): Promise<string> => partner.codeFor(club);
  const redeem = (spent: string): Promise<Answer> => partner.redeem(club, spent);
  return {
    name: programme,
    jetway: club,
    programme,
    base: own.slice(1),
    client,
    loginTarget: partner.loginTarget(club),
    loginMethod: 'POST',
    published: [paths.keys, `/.well-known/oauth-authorization-server${own}`],
    unavailable: (seconds) =>
      partner.refused(500, 'temporarily_unavailable', 'Temporarily unavailable', {
        'retry-after': String(seconds),
      }),
    code,
    redeem,
    refresh: (token) => partner.refresh(club, token),
    login: () => issuedBy({ code, redeem }),
  };
}

/** The executive club, or another of its dialect, at its server. */
export function executiveClub(
  jetway: Jetway & { readonly client: TestClient; readonly member: TestMember },
  programme: ProgrammeId,
): SpokenClub {
  const { client, member } = jetway;
  const loginTarget = `/${programme}/auth/login?client_id=${client.id}&response_type=code`;
  const grant = (fields: Readonly<Record<string, string>>): Promise<Answer> =>
    post(jetway.url, `/${programme}/api/grant`, fields, { authorization: client.basic });
  const code = (): Promise<string> => logIn(jetway.url, loginTarget, member);
  const redeem = (spent: string): Promise<Answer> =>
    grant({ grant_type: 'authorization_code', code: spent });
  return {
    name: programme,
    jetway,
    programme,
    base: programme,
    client,
    loginTarget,
    loginMethod: 'GET',
    published: [`/.well-known/oauth-authorization-server/${programme}`],
    unavailable: (seconds) =>
      executiveRefusal(
        503,
        { error: 'temporarily_unavailable' },
        { 'retry-after': String(seconds) },
      ),
    code,
    redeem,
    refresh: (token) => grant({ grant_type: 'refresh_token', refresh_token: token }),
    login: () => issuedBy({ code, redeem }),
  };
}

async function issuedBy({ code, redeem }: Pick<SpokenClub, 'code' | 'redeem'>): Promise<Issued> {
  const spent = await code();
  const tokens = tokensIn(await redeem(spent));
  return { code: spent, access: tokens.access_token, refresh: tokens.refresh_token };
}

/** What each endpoint says of an access token: verify's status, and whether introspection calls it active. */
export async function standing({ jetway, base, gateway }: Site, token: string): Promise<string> {
  const { status } = await verify(jetway, base, 'member', { token });
  const told = await introspect(jetway, base, gateway, token);
  const { active } = JSON.parse(told.body) as { readonly active?: boolean };
  return `${status} ${active === true ? 'active' : 'inactive'}`;
}

export const good = '200 active';
export const refused = '401 inactive';
