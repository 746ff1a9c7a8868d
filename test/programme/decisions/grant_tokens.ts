// The decisions of RULES.md that show at the grant endpoint (C-9, G-9 to G-23).

import { decodeJwt, decodeProtectedHeader } from 'jose';

import { Unavailable } from '../../../src/oauth/failure.ts';
import {
  askTokens,
  type Club,
  codeFor,
  paths,
  redeem,
  refresh,
  tokensIn,
  tokensOfLogin,
} from '../../support/club.ts';
import { type Answer, ask } from '../../support/wire.ts';
import type { Decision } from './decision.ts';

const partnerToken = { grant_type: 'client_credentials' };
const signed = 'tokens: { access: { format: jwt } }';

function reason(name: string, words: string): string {
  return `errors: { reasons: { ${name}: { ${words} } } }`;
}

const statusAndBody = ({ status, body }: Answer): readonly [number, unknown] => [
  status,
  JSON.parse(body) as unknown,
];

const members = ({ body }: Answer): string => Object.keys(JSON.parse(body) as object).join(' ');

/** The answer to a token request with a body of another kind. */
function send(club: Club, type: string, body: string): Promise<Answer> {
  const headers = { authorization: club.client.basic, 'content-type': type };
  return ask(club.url, paths.grant, { method: 'POST', headers, body });
}

/** Status of a refresh that comes this many seconds after the last of some others. */
async function refreshedAfter(club: Club, waits: readonly number[]): Promise<number> {
  let { refresh_token: token } = await tokensOfLogin(club);
  let status = 0;
  for (const wait of waits) {
    club.clock.advance(wait);
    const answer = await refresh(club, token);
    status = answer.status;
    if (status === 200) token = tokensIn(answer).refresh_token;
  }
  return status;
}

const hour = 3600;

export const grantTokenDecisions: readonly Decision<Club>[] = [
  {
    decides: 'C-9: subject of a partner token',
    given: signed,
    over: 'tokens: { client_subject_prefix: partner/ }',
    see: async (club) => decodeJwt(tokensIn(await askTokens(club, partnerToken)).access_token).sub,
    shipped: 'client:partnerapi-12345',
    changed: 'partner/partnerapi-12345',
  },
  {
    decides: 'C-9: audience is the base URL',
    given: signed,
    over: 'audience: https://api.example',
    see: async (club) => decodeJwt((await tokensOfLogin(club)).access_token).aud,
    shipped: 'https://tokens.example/executive-club',
    changed: 'https://api.example',
  },
  ...(['EdDSA', 'RS256'] as const).map((algorithm): Decision<Club> => ({
    decides: `C-9: tokens are signed ES256: ${algorithm}`,
    given: signed,
    over: `tokens: { access: { algorithm: ${algorithm} } }`,
    see: async (club) => decodeProtectedHeader((await tokensOfLogin(club)).access_token).alg,
    shipped: 'ES256',
    changed: algorithm,
  })),
  {
    decides: 'G-9: another media type is 400',
    over: reason('unsupported_media_type', 'status: 415'),
    see: async (club) => (await send(club, 'text/plain', '')).status,
    shipped: 400,
    changed: 415,
  },
  {
    decides: 'G-9: bodies are forms',
    over: 'token_endpoints: { grant: { read: json } }',
    see: async (club) =>
      (await send(club, 'application/json', JSON.stringify(partnerToken))).status,
    shipped: 400,
    changed: 200,
  },
  {
    decides: 'G-11: the refresh field after a refresh',
    over: `token_response: { fields: { ba_refresh_expires_in: { value: refresh_lifetime, only: [authorization_code] } } }`,
    see: async (club) => members(await refresh(club, (await tokensOfLogin(club)).refresh_token)),
    shipped: 'access_token refresh_token scope token_type expires_in ba_refresh_expires_in',
    changed: 'access_token refresh_token scope token_type expires_in',
  },
  {
    decides: 'G-11: member tokens tell token_type and expires_in',
    over: `token_response: { fields: { token_type: { constant: bearer, only: [client_credentials] }, expires_in: { value: access_lifetime, only: [client_credentials] } } }`,
    see: async (club) => [
      members(await redeem(club, await codeFor(club))),
      members(await askTokens(club, partnerToken)),
    ],
    shipped: [
      'access_token refresh_token scope token_type expires_in ba_refresh_expires_in',
      'access_token scope token_type expires_in',
    ],
    changed: [
      'access_token refresh_token scope ba_refresh_expires_in',
      'access_token scope token_type expires_in',
    ],
  },
  {
    decides: 'G-12: level of a member whose directory gives none',
    over: 'scope: { member_default: AUTHN-LEVEL-12 }',
    see: async (club) => (await tokensOfLogin(club)).scope,
    shipped: 'AUTHN-LEVEL-10',
    changed: 'AUTHN-LEVEL-12',
  },
  {
    decides: 'G-17: a challenge goes with 401',
    over: reason('client_authentication_failed', 'challenge: null'),
    see: async (club) => {
      const authorization = `Basic ${btoa('partnerapi-00000:x')}`;
      return (await askTokens(club, partnerToken, { authorization })).headers['www-authenticate'];
    },
    shipped: 'Basic realm="Executive Club"',
    changed: undefined,
  },
  {
    decides: 'G-18: limit and window',
    over: 'throttle: { limit: 1, window: 10s }',
    see: async (club) => {
      await askTokens(club, partnerToken);
      const { status, headers } = await askTokens(club, partnerToken);
      club.clock.advance(10);
      return [status, headers['retry-after'], (await askTokens(club, partnerToken)).status];
    },
    shipped: [200, undefined, 200],
    changed: [429, '10', 200],
  },
  {
    decides: 'G-18: how a throttled request is told',
    given: 'throttle: { limit: 1, window: 10s }',
    over: reason('throttled', 'status: 503, error: slow_down'),
    see: async (club) => {
      await askTokens(club, partnerToken);
      return statusAndBody(await askTokens(club, partnerToken));
    },
    shipped: [429, { error: 'too_many_tokens' }],
    changed: [503, { error: 'slow_down' }],
  },
  {
    decides: 'G-19: what an invalid refresh token gets',
    over: reason('invalid_refresh_token', 'status: 401, error_description: null'),
    see: async (club) => statusAndBody(await refresh(club, 'x')),
    shipped: [400, { error: 'invalid_grant', error_description: 'invalid_token' }],
    changed: [401, { error: 'invalid_grant' }],
  },
  {
    decides: 'G-21: what an invalid code gets',
    over: reason('invalid_code', 'error_description: bad code'),
    see: async (club) => statusAndBody(await redeem(club, 'x')),
    shipped: [400, { error: 'invalid_grant' }],
    changed: [400, { error: 'invalid_grant', error_description: 'bad code' }],
  },
  ...(
    [
      ['server_error', 500, new Error('planted')],
      ['temporarily_unavailable', 503, new Unavailable('away')],
    ] as const
  ).map(([name, status, error]): Decision<Club> => ({
    decides: `G-22: ${name} is ${status}`,
    over: reason(name, 'status: 502, error: trouble'),
    see: async (club, store) => {
      store.fail('find client', error);
      return statusAndBody(await askTokens(club, partnerToken));
    },
    shipped: [status, { error: name }],
    changed: [502, { error: 'trouble' }],
  })),
  {
    decides: 'G-23: an access token lives for 30 minutes, a refresh token for 24 hours',
    over: 'tokens: { access: { lifetime: 5m }, refresh: { lifetime: 1h } }',
    see: async (club) => {
      const tokens = await tokensOfLogin(club);
      return [tokens.expires_in, tokens.ba_refresh_expires_in];
    },
    shipped: [1800, 24 * hour],
    changed: [300, hour],
  },
  {
    decides: 'G-23: and for 30 days from the login at most',
    over: 'tokens: { refresh: { longest: 40h } }',
    see: (club) => refreshedAfter(club, [23 * hour, 23 * hour]),
    shipped: 200,
    changed: 400,
  },
  {
    decides: 'G-23: a retry is answered again for ten seconds',
    over: 'tokens: { refresh: { grace: 0s } }',
    see: async (club) => {
      const { refresh_token: token } = await tokensOfLogin(club);
      const first = await refresh(club, token);
      return (await refresh(club, token)).body === first.body;
    },
    shipped: true,
    changed: false,
  },
];
