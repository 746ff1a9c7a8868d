// The decisions of RULES.md that show at the partner-login variant's token endpoints (P-4 to P-14).

import { Unavailable } from '../../../src/oauth/failure.ts';
import {
  codeFor,
  type Fields,
  headersOf,
  type PartnerClub,
  redeem,
  refresh,
  tokensOfLogin,
} from '../../support/partner_club.ts';
import { type Answer, ask } from '../../support/wire.ts';
import type { Decision } from './decision.ts';

/** Both token endpoints have the same headers; this is said of one of them. */
function input(role: string, words: string): string {
  return `token_endpoints: { key: { inputs: { ${role}: ${words} } } }`;
}

function reason(name: string, words: string): string {
  return `errors: { reasons: { ${name}: { ${words} } } }`;
}

/** Status and error of a request whose code is unknown, which is the last thing looked at. */
async function told(club: PartnerClub, headers: Fields, more: Fields = {}): Promise<string> {
  const { status, body } = await redeem(club, 'x', more, headers);
  return `${status} ${(JSON.parse(body) as { error: string }).error}`;
}

async function refusal(club: PartnerClub, headers: Fields, more: Fields = {}): Promise<unknown> {
  return JSON.parse((await redeem(club, 'x', more, headers)).body) as unknown;
}

const fresh = async (club: PartnerClub): Promise<Answer> => redeem(club, await codeFor(club));

/** Names of an answer's members, with those of an object inside. */
function members({ body }: Answer): string {
  return body
    .replaceAll(/:"[^"]*"|:\d+/g, '')
    .replaceAll('"', '')
    .replaceAll(':', '');
}

const foreign = { 'business-context-identifier': 'SomebodyElse' };
const flat =
  '{access_token,token_type,refresh_token,expires_in,jti,token_Information' +
  '{dateTimeIssued,authenticationLevel,requestApplication,requestedPartnerId,programmeIdentifier}}';

export const partnerTokenDecisions: readonly Decision<PartnerClub>[] = [
  {
    decides: 'P-4: the context must be this partner’s',
    over: input('context', '{ must_equal: null }'),
    see: (club) => told(club, foreign),
    shipped: '401 access_denied',
    changed: '400 invalid_grant',
  },
  {
    decides: 'P-4: another context is 401 access_denied',
    over: reason('context_mismatch', 'status: 403, error: invalid_client'),
    see: (club) => told(club, foreign),
    shipped: '401 access_denied',
    changed: '403 invalid_client',
  },
  {
    decides: 'P-4: another programme’s name is 400 invalid_request',
    over: reason('programme_mismatch', 'status: 401, error: unauthorized'),
    see: (club) => told(club, { 'programme-identifier': 'ThirdClub' }),
    shipped: '400 invalid_request',
    changed: '401 unauthorized',
  },
  {
    decides: 'P-5: the method is POST',
    over: 'token_endpoints: { key: { methods: [POST, GET] } }',
    see: async (club) => {
      const code = await codeFor(club);
      const target = `${club.paths.key}?grant_type=authorization_code&code=${code}`;
      const got = await ask(club.url, target, { headers: headersOf(club) });
      const put = await ask(club.url, target, { method: 'PUT', headers: headersOf(club) });
      return [got.status, put.status, put.headers['allow']];
    },
    shipped: [405, 405, 'POST'],
    changed: [200, 405, 'POST, GET'],
  },
  {
    decides: 'P-6: authorization may leave out the word Basic',
    over: 'client: { authentication: { methods: [basic] } }',
    see: async (club) => {
      const bare = club.client.basic.slice('Basic '.length);
      return [await told(club, { authorization: bare }), await told(club, {})];
    },
    shipped: ['400 invalid_grant', '400 invalid_grant'],
    changed: ['401 invalid_client', '400 invalid_grant'],
  },
  {
    decides: 'P-6: accept must let JSON through',
    over: input('accept', 'null'),
    see: (club) => told(club, { accept: 'text/html' }),
    shipped: '400 invalid_request',
    changed: '400 invalid_grant',
  },
  {
    decides: 'P-6: x-forwarded-for is held to its form, and may be absent',
    over: input('forwarded_for', '{ format: null, required: true }'),
    see: async (club) => [await told(club, { 'x-forwarded-for': 'x' }), await told(club, {})],
    shipped: ['400 invalid_request', '400 invalid_grant'],
    changed: ['400 invalid_grant', '400 invalid_request'],
  },
  {
    decides: 'P-7: a refresh token is sent where it can be used',
    over: 'grants: { refresh_token: null }\ntoken_endpoints: { refresh: null }',
    see: async (club) => members(await fresh(club)),
    shipped: flat,
    changed: flat.replace('refresh_token,', ''),
  },
  {
    decides: 'P-7: scope is there when one was granted',
    over: 'token_response: { fields: { scope: { value: scope, absent: nothing } } }',
    see: async (club) => /"scope":[^,]*/.exec((await fresh(club)).body)?.[0],
    shipped: undefined,
    changed: '"scope":null',
  },
  {
    decides: 'P-7: jti is a number',
    over: 'token_response: { fields: { jti: { type: string } } }',
    see: async (club) => typeof (JSON.parse((await fresh(club)).body) as { jti: unknown }).jti,
    shipped: 'number',
    changed: 'string',
  },
  {
    decides: 'P-7: dateTimeIssued is a date',
    over: 'token_response: { fields: { token_Information: { object: { dateTimeIssued: { as: date_time } } } } }',
    see: async (club) => /"dateTimeIssued":"([^"]*)"/.exec((await fresh(club)).body)?.[1],
    shipped: '2026-01-02',
    changed: '2026-01-02T03:04:05Z',
  },
  {
    decides: 'P-8: the token fields are at the top',
    over: 'token_response: { wrap: [token] }',
    see: async (club) => members(await fresh(club)),
    shipped: flat,
    changed: `{token${flat}}`,
  },
  ...(['upper', 'lower'] as const).map((letters): Decision<PartnerClub> => ({
    decides: `P-8: names are written as in the source: ${letters}`,
    over: `token_response: { name_case: ${letters} }`,
    see: async (club) => members(await fresh(club)),
    shipped: flat,
    changed: letters === 'upper' ? flat.toUpperCase() : flat.toLowerCase(),
  })),
  {
    decides: 'P-9: refresh takes a form',
    over: 'token_endpoints: { refresh: { read: query } }',
    see: async (club) => {
      const { refresh_token: token } = await tokensOfLogin(club);
      const target = `${club.paths.refresh}?grant_type=refresh_token&refresh_token=${token}`;
      const answer = await ask(club.url, target, { method: 'POST', headers: headersOf(club) });
      return [answer.status, (await refresh(club, token)).status];
    },
    shipped: [400, 200],
    changed: [200, 400],
  },
  {
    decides: 'P-9: refresh is an endpoint of its own, and is at the key endpoint as well',
    over: 'grants: { refresh_token: { endpoint: refresh } }',
    see: async (club) => {
      const { refresh_token: token } = await tokensOfLogin(club);
      const target = `${club.paths.key}?grant_type=refresh_token&refresh_token=${token}`;
      const answer = await ask(club.url, target, { method: 'POST', headers: headersOf(club) });
      return [answer.status, (await refresh(club, token)).status];
    },
    shipped: [200, 200],
    changed: [400, 200],
  },
  {
    decides: 'P-10: separators in names become spaces',
    over: 'errors: { parameter_names: as_sent }',
    see: (club) => refusal(club, {}, { grant_type: '' }),
    shipped: { error: 'invalid_request', error_description: 'Missing parameter: grant type' },
    changed: { error: 'invalid_request', error_description: 'Missing parameter: grant_type' },
  },
  {
    decides: 'P-10: text case, and the name of the description',
    over: 'errors: { text_case: upper, fields: { error_description: null, description: error_description } }',
    see: (club) => refusal(club, {}),
    shipped: { error: 'invalid_grant', error_description: 'Invalid authorization code' },
    changed: { error: 'INVALID_GRANT', description: 'INVALID AUTHORIZATION CODE' },
  },
  {
    decides: 'P-11: a missing authorization is 400 invalid_request',
    over: reason('authentication_missing', 'status: 401, error: invalid_client'),
    see: (club) => told(club, { authorization: undefined }),
    shipped: '400 invalid_request',
    changed: '401 invalid_client',
  },
  {
    decides: 'P-11: an undecodable authorization is 401 invalid_client',
    over: reason('authentication_malformed', 'status: 400, error: invalid_request'),
    see: (club) => told(club, { authorization: 'Basic x' }),
    shipped: '401 invalid_client',
    changed: '400 invalid_request',
  },
  {
    decides: 'P-11: every 401 has a challenge',
    over: `errors: { groups: [{ reasons: all, challenge: null }] }`,
    see: async (club) => (await redeem(club, 'x', {}, foreign)).headers['www-authenticate'],
    shipped: 'Basic realm="Second Club"',
    changed: undefined,
  },
  {
    decides: 'P-11: an outage is 500',
    over: reason('temporarily_unavailable', 'status: 503'),
    see: async (club, store) => {
      store.fail('find client', new Unavailable('away'));
      const { status, headers } = await redeem(club, 'x');
      return [status, headers['retry-after']];
    },
    shipped: [500, '5'],
    changed: [503, '5'],
  },
  {
    decides: 'P-14: the throttle is off',
    over: 'throttle: { limit: 1, window: 10s }',
    see: async (club) => [await told(club, {}), await told(club, {})],
    shipped: ['400 invalid_grant', '400 invalid_grant'],
    changed: ['400 invalid_grant', '500 temporarily_unavailable'],
  },
];
