// The decisions of RULES.md that show in a login of the grant variant (C-9, G-2 to G-7, G-22).

import { Unavailable } from '../../../src/oauth/failure.ts';
import { type Club, codeFor, loginTarget, paths, redeem } from '../../support/club.ts';
import { openLogin } from '../../support/login.ts';
import { type Answer, ask } from '../../support/wire.ts';
import type { Decision } from './decision.ts';

type Fields = Readonly<Record<string, string>>;

async function begin(club: Club, more: Fields = {}): Promise<Answer> {
  return ask(club.url, loginTarget(club.client, more));
}

/** Where a login request is sent back to at once. */
async function sentTo(club: Club, more: Fields = {}): Promise<string | undefined> {
  return (await begin(club, more)).headers['location']?.replace('https://partner.example', '');
}

/** Status and title of the page that a login request gets. */
async function pageOf(club: Club, target: string): Promise<readonly [number, string | undefined]> {
  const { status, body } = await ask(club.url, target);
  return [status, /<title>(.*)<\/title>/.exec(body)?.[1]];
}

const challenge = {
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
};
const verifier = { code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' };

function failure(reason: string, words: string): string {
  return `authorize: { failures: { ${reason}: { ${words} } } }`;
}

export const grantLoginDecisions: readonly Decision<Club>[] = [
  {
    decides: 'C-6: the version label is no path segment unless base_path says so',
    over: 'base_path: /v1/executive-club',
    see: async ({ url }) => [
      (await ask(url, paths.grant, { method: 'POST' })).status,
      (await ask(url, `/v1${paths.grant}`, { method: 'POST' })).status,
    ],
    shipped: [400, 404],
    changed: [404, 400],
  },
  {
    decides: 'C-9: no iss (RFC 9207) on redirects',
    over: 'authorize: { answer: { issuer: iss } }',
    see: (club) => sentTo(club, { response_type: 'token' }),
    shipped: '/callback?error=unsupported_response_type',
    changed:
      '/callback?error=unsupported_response_type&iss=https%3A%2F%2Ftokens.example%2Fexecutive-club',
  },
  {
    decides: 'G-1: prefix and digits of a client identifier',
    over: 'client: { identifier: { prefix: p-, length: 4 } }',
    see: async (club) => {
      const client = await club.addClient({ id: 'p-1234' });
      return [(await begin(club)).status, (await ask(club.url, loginTarget(client))).status];
    },
    shipped: [302, 400],
    changed: [400, 302],
  },
  {
    decides: 'G-2: shape of a code',
    over: 'code: { characters: digits, length: 50 }',
    see: async (club) => (await codeFor(club)).replaceAll(/[0-9]/g, '0').replaceAll(/[a-f]/g, '0'),
    shipped: '0'.repeat(64),
    changed: '0'.repeat(50),
  },
  {
    decides: 'G-2: lifetime of a code',
    over: 'code: { lifetime: 1m }',
    see: async (club) => {
      const code = await codeFor(club);
      club.clock.advance(60);
      return (await redeem(club, code)).status;
    },
    shipped: 200,
    changed: 400,
  },
  {
    decides: 'G-3: state is sent back',
    over: 'authorize: { endpoint: { inputs: { state: null } } }',
    see: (club) => sentTo(club, { response_type: 'token', state: 's' }),
    shipped: '/callback?error=unsupported_response_type&state=s',
    changed: '/callback?error=unsupported_response_type',
  },
  {
    decides: 'G-3: a proof key may be sent: required',
    over: 'authorize: { pkce: required }',
    see: async (club) => [
      (await begin(club, challenge)).status,
      (await sentTo(club))?.slice(0, 16),
    ],
    shipped: [302, 'https://tokens.e'],
    changed: [302, '/callback?error='],
  },
  {
    decides: 'G-3: a proof key may be sent, and then counts: off',
    over: 'authorize: { pkce: off }',
    see: async (club) => [
      (await redeem(club, await codeFor(club, challenge))).status,
      (await redeem(club, await codeFor(club), verifier)).status,
      (await redeem(club, await codeFor(club, challenge), verifier)).status,
    ],
    shipped: [400, 400, 200],
    changed: [200, 200, 200],
  },
  {
    decides: 'G-3: redirect_uri may be left out where there is one',
    over: 'authorize: { redirect_uri: required }',
    see: async (club) => (await begin(club)).status,
    shipped: 302,
    changed: 400,
  },
  {
    decides: 'G-4: a checked request is answered 302 to the login page',
    over: 'authorize: { redirect_status: 303 }',
    see: async (club) => (await openLogin(club.url, loginTarget(club.client))).begin.status,
    shipped: 302,
    changed: 303,
  },
  {
    decides: 'G-5: a missing response_type is invalid_request',
    over: failure('missing_response_type', 'redirect: unsupported_response_type'),
    see: (club) => sentTo(club, { response_type: '' }),
    shipped: '/callback?error=invalid_request',
    changed: '/callback?error=unsupported_response_type',
  },
  {
    decides: 'G-6: the page for an unknown client',
    over: failure('unknown_client', 'page: { status: 404, title: Unknown Partner }'),
    see: (club) => pageOf(club, loginTarget({ id: 'partnerapi-00000' })),
    shipped: [400, 'This login cannot start'],
    changed: [404, 'Unknown Partner'],
  },
  {
    decides: 'G-6: the page for a missing client',
    over: failure('missing_client_id', 'page: { status: 422, title: Who }'),
    see: (club) => pageOf(club, paths.login),
    shipped: [400, 'This login cannot start'],
    changed: [422, 'Who'],
  },
  {
    decides: 'G-7: status of the Security Issue page',
    over: failure('unregistered_redirect_uri', 'page: { status: 403 }'),
    see: (club) => pageOf(club, loginTarget(club.client, { redirect_uri: 'https://x.example' })),
    shipped: [400, 'Security Issue'],
    changed: [403, 'Security Issue'],
  },
  {
    decides: 'G-22: a client without roles gets access_denied on the redirect',
    over: failure('access_denied', 'redirect: unauthorized_client'),
    see: async (club) => {
      const client = await club.addClient({ id: 'partnerapi-00002', roles: [] });
      return sentTo({ ...club, client });
    },
    shipped: '/callback?error=access_denied',
    changed: '/callback?error=unauthorized_client',
  },
  {
    decides: 'G-22: a login request that meets an outage is told on a page',
    over: 'login: { messages: { difficulties: Come back later. } }',
    see: async (club, store) => {
      store.fail('find client', new Unavailable('away'));
      const { status, headers, body } = await begin(club);
      return [status, headers['retry-after'], /<p>(.*)<\/p>/.exec(body)?.[1]];
    },
    shipped: [503, '5', 'We are having difficulties. Please try again later.'],
    changed: [503, '5', 'Come back later.'],
  },
];
