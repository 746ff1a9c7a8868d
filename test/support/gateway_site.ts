// Owns one programme as hostile tests of its gateway's endpoints meet it, whatever its dialect.

import type { TestContext } from 'node:test';

import type { ProgrammeId } from '../../src/oauth/client.ts';
import { tokensIn } from './club.ts';
import { addGateway, introspect, managed, verify } from './gateway.ts';
import {
  type Jetway,
  type JetwayOptions,
  shippedProgramme,
  startJetway,
  type TestClient,
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

/** A programme with all that its file can turn on, a partner, a member and a gateway's credential. */
export interface Site {
  /** For people: how tests name it. */
  readonly name: string;
  readonly jetway: Jetway;
  readonly programme: ProgrammeId;
  /** Path of its own endpoints, without the first slash. */
  readonly base: string;
  readonly client: TestClient;
  /** Authorization of a gateway. */
  readonly gateway: string;
  /** A login, as far as the code that the partner gets. */
  readonly code: () => Promise<string>;
  readonly login: () => Promise<Issued>;
  readonly redeem: (code: string) => Promise<Answer>;
  readonly refresh: (token: string) => Promise<Answer>;
}

export const siteNames = ['opaque', 'jwt', 'partner', 'neighbour'] as const;
export type SiteName = (typeof siteNames)[number];

const jwt = 'tokens: { access: { format: jwt } }\n';
const gold = 'name: Gold\nprogramme_identifier: Gold\nbase_path: /gold-club\n';

const sources = {
  opaque: ['executive-club', shippedProgramme('executive-club', managed)],
  jwt: ['gold-club', shippedProgramme('executive-club', gold, jwt, managed)],
  partner: ['second-club', shippedProgramme('second-club', managed)],
  neighbour: ['third-club', shippedProgramme('third-club', managed)],
} as const;

/** One server with sites side by side; their partners have one identifier and secret by variant. */
export async function openSites(
  t: TestContext,
  names: readonly SiteName[] = siteNames,
  options: JetwayOptions = {},
): Promise<readonly Site[]> {
  const programmes = Object.fromEntries(names.map((name) => sources[name]));
  const jetway = await startJetway(t, { ...options, programmes });
  return Promise.all(names.map((name) => openSite(jetway, name)));
}

/** The two partner-login clubs on one base path, told apart by their selector. */
export async function openSharedSites(t: TestContext): Promise<readonly [Site, Site]> {
  const over = (isDefault: boolean): string =>
    `base_path: /clubs\nselector: { input: programme, default: ${isDefault} }\n`;
  const programmes = {
    'second-club': shippedProgramme('second-club', managed, over(true)),
    'third-club': shippedProgramme('third-club', managed, over(false)),
  };
  const jetway = await startJetway(t, { programmes });
  const open = (name: 'partner' | 'neighbour', id: string, identifier: string): Promise<Site> => {
    const own = `/clubs/${id}`;
    return openPartnerSite(jetway, name, partner.namesOf(id, identifier, '/clubs', own));
  };
  return [
    await open('partner', 'second-club', 'SecondClub'),
    await open('neighbour', 'third-club', 'ThirdClub'),
  ];
}

async function openPartnerSite(
  jetway: Jetway,
  name: SiteName,
  names: partner.ClubNames,
): Promise<Site> {
  const club = await partner.joinClub(jetway, names);
  const { programme, client } = club;
  return {
    name,
    jetway,
    programme,
    base: club.own.slice(1),
    gateway: await addGateway(jetway, programme),
    client,
    code: () => partner.codeFor(club),
    login: async () => {
      const code = await partner.codeFor(club);
      const tokens = partner.tokensIn(await partner.redeem(club, code));
      return { code, access: tokens.access_token, refresh: tokens.refresh_token };
    },
    redeem: (code) => partner.redeem(club, code),
    refresh: (token) => partner.refresh(club, token),
  };
}

async function openSite(jetway: Jetway, name: SiteName): Promise<Site> {
  if (name === 'partner') return openPartnerSite(jetway, name, partner.secondClub);
  if (name === 'neighbour') return openPartnerSite(jetway, name, partner.thirdClub);
  const [base] = sources[name];
  const programme = base as ProgrammeId;
  const gateway = await addGateway(jetway, programme);
  const client = await jetway.addClient({ programme });
  await jetway.addMember({ programme });
  const verbs = executiveVerbs(jetway, programme, client);
  return { name, jetway, programme, base, gateway, client, ...verbs };
}

function executiveVerbs(
  jetway: Jetway,
  programme: ProgrammeId,
  client: TestClient,
): Pick<Site, 'code' | 'login' | 'redeem' | 'refresh'> {
  const member = { username: 'ann', password: 'correct horse battery staple' };
  const target = `/${programme}/auth/login?client_id=${client.id}&response_type=code`;
  const grant = (fields: Readonly<Record<string, string>>): Promise<Answer> =>
    post(jetway.url, `/${programme}/api/grant`, fields, { authorization: client.basic });
  const redeem = (code: string): Promise<Answer> =>
    grant({ grant_type: 'authorization_code', code });
  const code = (): Promise<string> => logIn(jetway.url, target, member);
  return {
    code,
    redeem,
    refresh: (token) => grant({ grant_type: 'refresh_token', refresh_token: token }),
    login: async () => {
      const spent = await code();
      const tokens = tokensIn(await redeem(spent));
      return { code: spent, access: tokens.access_token, refresh: tokens.refresh_token };
    },
  };
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
