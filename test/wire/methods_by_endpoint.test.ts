// HOSTILE 41, by endpoint: what proves a client at one token endpoint is neither taken nor passed over at another;
// and a client's own access token, which proves it and does not renew itself.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import {
  askPartnerToken,
  type Club,
  codeFor,
  openClub,
  partnerTokenOf,
  refused,
  tokensIn,
} from '../support/club.ts';
import { changeClient } from '../support/partner_token.ts';
import { type Answer, post } from '../support/wire.ts';

const other = '/executive-club/other';
const unproven = refused(400, { error: 'invalid_client' });
const wrong = refused(
  401,
  { error: 'invalid_client' },
  {
    'www-authenticate': 'Basic realm="Executive Club"',
  },
);

const inputs = `
      grant_type: {}
      client_id: {}
      client_secret: {}
      client_assertion: {}
      client_token: {}
      code: {}
      code_verifier: {}
      refresh_token: {}
      subject_token: {}`;

/** The club with a second endpoint that takes these methods, and what the first one takes. */
const clubOf = (t: TestContext, here: string, at: string, more = ''): Promise<Club> =>
  openClub(t, {
    over: [
      `
client: { authentication: { methods: [basic, parameters, private_key_jwt, own_token, token] } }
token_endpoints:
  grant: { authentication: [${here}] }
  other:
    path: /other
    authentication: [${at}]
    inputs:${inputs}
grants:
  authorization_code: { endpoint: other }
  refresh_token: { endpoint: other }
  client_credentials: { endpoint: grant }
  token_exchange: { endpoint: other, role: partner, grant_type: token_exchange }
`,
      more,
    ],
  });

type Fields = Readonly<Record<string, string>>;

const asking =
  ({ url }: Club) =>
  (fields: Fields, headers: Fields = {}): Promise<Answer> =>
    post(url, other, { grant_type: 'authorization_code', ...fields }, headers);

describe('HOSTILE 41: methods by endpoint', () => {
  test('right credentials of another endpoint are refused, alone and beside right ones', async (t) => {
    const club = await clubOf(t, 'basic', 'parameters');
    const { client } = club;
    const ask = asking(club);
    const right = { client_id: client.id, client_secret: client.secret };
    const code = await codeFor(club);
    const header = { authorization: client.basic };
    assert.deepEqual(await ask({ code }, header), unproven);
    assert.deepEqual(await ask({ code, ...right }, header), unproven);
    assert.deepEqual(await ask({ code, ...right }, { authorization: 'Bearer x' }), unproven);
    for (const foreign of [{ client_token: 'x' }, { client_assertion: 'x' }]) {
      assert.deepEqual(await ask({ code, ...right, ...foreign }), unproven);
    }
    assert.equal((await ask({ code, ...right })).status, 200);
    // The first endpoint takes the header alone.
    const own = { grant_type: 'client_credentials', ...right };
    assert.equal((await post(club.url, '/executive-club/api/grant', own)).status, 400);
    assert.equal((await askPartnerToken(club)).status, 200);
  });

  test('a token that needs no credentials gets none', async (t) => {
    const club = await clubOf(t, 'basic', 'parameters, token', '');
    const { client } = club;
    const ask = asking(club);
    const right = { client_id: client.id, client_secret: client.secret };
    const code = await codeFor(club);
    const { refresh_token } = tokensIn(await ask({ code, ...right }));
    const renew = { grant_type: 'refresh_token', refresh_token };
    assert.deepEqual(await ask(renew, { authorization: client.basic }), unproven);
    assert.deepEqual(await ask({ ...renew, client_secret: client.secret }), unproven);
    assert.equal((await ask(renew)).status, 200);
  });

  test('introspection and revocation take all of them', async (t) => {
    const club = await clubOf(t, 'basic', 'parameters', 'revocation: { path: /revoke }');
    const { client } = club;
    const revoke = (fields: Fields, headers: Fields = {}): Promise<Answer> =>
      post(club.url, '/executive-club/revoke', { token: 'x', ...fields }, headers);
    assert.equal((await revoke({}, { authorization: client.basic })).status, 200);
    const right = { client_id: client.id, client_secret: client.secret };
    assert.equal((await revoke(right)).status, 200);
  });
});

describe("a client's own access token", () => {
  const open = (t: TestContext, more?: string): Promise<Club> =>
    clubOf(t, 'basic', 'own_token, parameters', more);

  test('proves the client beside a code, and no other client', async (t) => {
    const club = await open(t);
    const ask = asking(club);
    const client_token = await partnerTokenOf(club);
    const stranger = await club.addClient({ id: 'partnerapi-88888' });
    const code = await codeFor(club);
    assert.deepEqual(await ask({ code, client_token, client_id: stranger.id }), wrong);
    for (const bad of ['x', code, `${client_token}x`]) {
      assert.deepEqual(await ask({ code, client_token: bad }), wrong);
    }
    const secret = { client_id: club.client.id, client_secret: club.client.secret };
    const ambiguous = await ask({ code, client_token, ...secret });
    assert.match(ambiguous.body, /"error":"invalid_request"/);
    assert.equal((await ask({ code, client_token, client_id: club.client.id })).status, 200);
  });

  test('a member’s token is none, nor one that has ended, was revoked, or whose client is disabled', async (t) => {
    const club = await open(t, 'revocation: { path: /revoke }');
    const ask = asking(club);
    const client_token = await partnerTokenOf(club);
    const { access_token } = tokensIn(await ask({ code: await codeFor(club), client_token }));
    assert.deepEqual(await ask({ code: 'x', client_token: access_token }), wrong);
    const revoked = await partnerTokenOf(club);
    const header = { authorization: club.client.basic };
    await post(club.url, '/executive-club/revoke', { token: revoked }, header);
    assert.deepEqual(await ask({ code: 'x', client_token: revoked }), wrong);
    assert.deepEqual(
      await ask({ code: 'x', client_token }),
      refused(400, { error: 'invalid_grant' }),
    );
    await changeClient(club, () => ({ status: 'disabled' }));
    assert.deepEqual(await ask({ code: 'x', client_token }), wrong);
    await changeClient(club, () => ({ status: 'active' }));
    club.clock.advance(1800);
    assert.deepEqual(await ask({ code: 'x', client_token }), wrong);
  });

  test('its session lasts as the file says, is no proof, and ends with it where that is revoked', async (t) => {
    const club = await open(t, 'revocation: { path: /revoke }');
    const ask = asking(club);
    const exchange = (subject_token: string, more: Fields = {}): Promise<Answer> =>
      ask({ grant_type: 'token_exchange', subject_token, ...more });
    const own = await partnerTokenOf(club);
    const session = tokensIn(await exchange(own)).access_token;
    const gone = refused(400, { error: 'invalid_grant' });
    assert.deepEqual(await exchange(session), gone);
    assert.deepEqual(await ask({ code: 'x', client_token: session }), wrong);
    // With other credentials it can be exchanged, and what comes of it still proves nothing.
    const further = tokensIn(await exchange(session, { client_token: own })).access_token;
    assert.deepEqual(await exchange(further), gone);
    const { access_token } = tokensIn(await ask({ code: await codeFor(club), client_token: own }));
    assert.deepEqual(await exchange(access_token), gone);
    const header = { authorization: club.client.basic };
    await post(club.url, '/executive-club/revoke', { token: own }, header);
    for (const dead of [own, session, further]) {
      assert.deepEqual(await exchange(dead), gone);
      assert.deepEqual(await exchange(dead, { client_token: own }), wrong);
    }
  });

  test('P-15: one for a single purpose is no proof', async (t) => {
    const scopes = `
scope: { kind: list, values: [all, close], restricted: [close], default: all, client: null, member_default: null }
`;
    const club = await open(t, scopes);
    const header = { authorization: club.client.basic };
    const askFor = async (scope: string): Promise<string> => {
      const form = { grant_type: 'client_credentials', scope };
      const answer = await post(club.url, '/executive-club/api/grant', form, header);
      return tokensIn(answer).access_token;
    };
    const ask = asking(club);
    assert.deepEqual(await ask({ code: 'x', client_token: await askFor('close') }), wrong);
    const good = await ask({ code: 'x', client_token: await askFor('all') });
    assert.deepEqual(good, refused(400, { error: 'invalid_grant' }));
  });

  test('a login’s token alone needs the method token', async (t) => {
    const club = await open(t);
    const ask = asking(club);
    const client_token = await partnerTokenOf(club);
    const { refresh_token } = tokensIn(await ask({ code: await codeFor(club), client_token }));
    const renew = { grant_type: 'refresh_token', refresh_token };
    assert.deepEqual(await ask(renew), unproven);
    assert.equal((await ask({ ...renew, client_token })).status, 200);
  });
});
