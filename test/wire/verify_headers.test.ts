// Owns verification by more than a token, on the wire: headers that name programme and partner
// (P-4, P-15), an API key beside the token, and one key of several clients (C-4, C-5).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ClientId } from '../../src/oauth/client.ts';
import { giveApiKey, passed, type Shown, verify } from '../support/gateway.ts';
import {
  addPartner,
  context,
  memberFacts,
  naming,
  openPartnerClub,
  type PartnerClub,
  partnerId,
  refused,
  tokensOfLogin,
} from '../support/partner_club.ts';
import { type Answer, ask } from '../support/wire.ts';

const challenge = { 'www-authenticate': 'Bearer realm="Second Club"' };
const wrongKey = refused(401, 'invalid_client', 'Invalid API key', challenge);
const badHeader = (name: string): Answer =>
  refused(400, 'invalid_request', `Invalid header: ${name}`);
const missingHeader = (name: string): Answer =>
  refused(400, 'invalid_request', `Missing header: ${name}`);

function asked(club: PartnerClub, target: string, request: Shown): Promise<Answer> {
  return verify(club, club.programme, target, request);
}

const keyFacts = {
  programme: 'second-club',
  kind: 'none',
  'client-id': 'Partner1',
  context,
  'partner-id': partnerId,
};
const named = naming('SecondClub');

const wrong = [
  [{ 'programme-identifier': 'ThirdClub' }, badHeader('programme identifier')],
  [{ 'programme-identifier': 'secondclub' }, badHeader('programme identifier')],
  [{ 'programme-identifier': 'Second-Club' }, badHeader('programme identifier')],
  [{ 'business-context-identifier': 'Context 1' }, badHeader('business context identifier')],
  [{ 'business-context-identifier': `${context}s` }, 'access_denied'],
  [naming('SecondClub', 'Other'), 'access_denied'],
  // C-8: the programme is looked at before the client is.
  [naming('ThirdClub', 'Other'), badHeader('programme identifier')],
] as const;

describe('P-4 P-15: headers that name programme and context', () => {
  test('are held against the client of token and key, where they come', async (t) => {
    const club = await openPartnerClub(t);
    const { access_token: token } = await tokensOfLogin(club);
    const apiKey = await giveApiKey(club, club.programme, club.client.id);
    const other = await addPartner(club, {
      id: 'Partner2',
      more: { businessContext: 'Other', partnerId: 'Partner000002' },
    });
    const otherKey = await giveApiKey(club, club.programme, other.id);
    for (const headers of [{}, named, { 'Business-Context-Identifier': context }]) {
      const expected = passed(memberFacts, named);
      assert.deepEqual(await asked(club, 'member', { token, headers }), expected);
      const byKey = passed(keyFacts, named);
      assert.deepEqual(await asked(club, 'none', { apiKey, headers }), byKey);
    }
    const atOther = { apiKey: otherKey, headers: naming('SecondClub', 'Other') };
    assert.equal((await asked(club, 'none', atOther)).status, 200);
    const atKey = await ask(club.url, `${club.paths.key}?grant_type=authorization_code&code=x`, {
      method: 'POST',
      headers: { authorization: club.client.basic, ...naming('SecondClub', 'Other') },
    });
    assert.equal(atKey.status, 401);
    for (const [headers, answer] of wrong) {
      const { status, body } = answer === 'access_denied' ? atKey : answer;
      for (const [target, credentials] of [
        ['member', { token }],
        ['member', { token, apiKey }],
        ['none', { apiKey }],
      ] as const) {
        const given = await asked(club, target, { ...credentials, headers });
        const why = JSON.stringify([target, headers]);
        assert.deepEqual([given.status, given.body], [status, body], why);
        // The API takes tokens, and no credentials of clients (P-11).
        const asks = status === 401 ? challenge['www-authenticate'] : undefined;
        assert.equal(given.headers['www-authenticate'], asks, why);
      }
    }
    // Sent twice, nobody knows which of them the API would believe.
    const twice = await ask(club.url, '/second-club/verify/member', {
      headers: { authorization: `Bearer ${token}`, 'business-context-identifier': [context, 'B'] },
    });
    assert.deepEqual(twice, badHeader('business context identifier'));
    // A bad token is told before what it was to be held against.
    const bad = { token: 'unknown', headers: naming('SecondClub', 'Other') };
    assert.match((await asked(club, 'member', bad)).body, /"invalid_token"/);
  });

  test('must come where the file says so, and count for nothing where it says that', async (t) => {
    const club = await openPartnerClub(t, { over: 'verify: { headers: required }' });
    const { access_token: token } = await tokensOfLogin(club);
    const apiKey = await giveApiKey(club, club.programme, club.client.id);
    const expected = passed(memberFacts, named);
    assert.deepEqual(await asked(club, 'member', { token, headers: named }), expected);
    for (const [target, credentials] of [
      ['member', { token }],
      ['none', { apiKey }],
    ] as const) {
      for (const [name, words] of [
        ['programme-identifier', 'programme identifier'],
        ['business-context-identifier', 'business context identifier'],
      ] as const) {
        const headers = { ...named, [name]: '' };
        const answer = await asked(club, target, { ...credentials, headers });
        assert.deepEqual(answer, missingHeader(words));
      }
    }
    // What must come at all is asked for first (C-8).
    assert.equal((await asked(club, 'member', {})).status, 401);
    const lax = await openPartnerClub(t, { over: 'verify: { headers: ignored }' });
    const { access_token: its } = await tokensOfLogin(lax);
    const headers = naming('ThirdClub', 'Other');
    assert.deepEqual(await asked(lax, 'member', { token: its, headers }), passed(memberFacts));
  });
});

test('C-8: of any two faults of a shown request the earlier answers', async (t) => {
  const club = await openPartnerClub(t);
  const other = await addPartner(club, { id: 'Partner2' });
  const good = {
    target: 'member,key',
    token: (await tokensOfLogin(club)).access_token,
    apiKey: await giveApiKey(club, club.programme, club.client.id),
    ...named,
  };
  type Change = Readonly<Partial<Record<keyof typeof good, string>>>;
  const faults: readonly (readonly [Change, number, string])[] = [
    [{ apiKey: '' }, 401, 'invalid_client'],
    [{ token: '' }, 401, 'invalid_request'],
    [{ 'programme-identifier': 'ThirdClub' }, 400, 'invalid_request'],
    [{ apiKey: 'unknown' }, 401, 'invalid_client'],
    [{ token: 'unknown' }, 401, 'invalid_token'],
    [{ apiKey: await giveApiKey(club, club.programme, other.id) }, 401, 'invalid_client'],
    [{ 'business-context-identifier': 'Other' }, 401, 'access_denied'],
    [{ target: 'client,key' }, 403, 'insufficient_scope'],
  ];
  const answerTo = (...changes: readonly Change[]): Promise<Answer> => {
    const { target, ...shown } = Object.assign({}, good, ...changes) as typeof good;
    const { token, apiKey, ...headers } = shown;
    const sent = { ...(token && { token }), ...(apiKey && { apiKey }), headers };
    return asked(club, target, sent);
  };
  assert.equal((await answerTo()).status, 200);
  for (const [place, [change, status, error]] of faults.entries()) {
    const alone = await answerTo(change);
    const told = JSON.parse(alone.body) as { error: string };
    assert.deepEqual([alone.status, told.error], [status, error], JSON.stringify(change));
    for (const [later] of faults.slice(place + 1)) {
      if (Object.keys(later).some((key) => key in change)) continue;
      assert.deepEqual(await answerTo(later, change), alone, JSON.stringify([change, later]));
    }
  }
});

test('C-4: the floor `key` lets nobody pass by a token alone', async (t) => {
  const club = await openPartnerClub(t, { over: 'verify: { api_key_header: Partner-Key }' });
  const { access_token: token } = await tokensOfLogin(club);
  const key = await giveApiKey(club, club.programme, club.client.id);
  const other = await addPartner(club, { id: 'Partner2' });
  const foreign = await giveApiKey(club, club.programme, other.id);
  const missing = refused(401, 'invalid_client', 'Missing header: partner key', challenge);
  const expected = passed(memberFacts, named);
  for (const target of ['member,key', 'member?key', 'member,key/debits?key=x']) {
    const withKey = (text: string): Promise<Answer> =>
      asked(club, target, { token, headers: { 'partner-key': text } });
    assert.deepEqual(await withKey(key), expected, target);
    assert.deepEqual(await withKey(''), missing);
    assert.deepEqual(await withKey(foreign), wrongKey);
    assert.deepEqual(await withKey('unknown'), wrongKey);
    // The header that the file names is the only one.
    assert.deepEqual(await asked(club, target, { token, apiKey: key }), missing);
  }
  assert.deepEqual(await asked(club, 'member', { token, apiKey: 'unknown' }), expected);
});

describe('C-4 C-5: one API key of several clients', () => {
  const facts = (client: string, of: string, partner: string): Answer =>
    passed(
      { ...keyFacts, 'client-id': client, context: of, 'partner-id': partner },
      naming('SecondClub', of),
    );

  test('tells the partner, and the client where only one holds it', async (t) => {
    const club = await openPartnerClub(t);
    const key = await giveApiKey(club, club.programme, 'Partner1', 'jw_shared-by-one-partner');
    const join = async (id: string, more: object): Promise<void> => {
      await addPartner(club, { id, more });
      await giveApiKey(club, club.programme, id, key);
    };
    const byKey = (headers = {}): Promise<Answer> => asked(club, 'none', { apiKey: key, headers });
    assert.deepEqual(await byKey(), facts('Partner1', context, partnerId));
    await join('Partner2', {});
    assert.deepEqual(await byKey(), facts('', context, partnerId));
    await join('Partner3', { businessContext: 'Hotels' });
    assert.deepEqual(await byKey(), facts('', '', partnerId));
    await join('Partner4', { businessContext: 'Hotels', partnerId: 'Partner000002' });
    assert.deepEqual(await byKey(), facts('', '', ''));
    // A context that the request names says which of them are meant.
    assert.deepEqual(await byKey(named), facts('', context, partnerId));
    assert.deepEqual(await byKey(naming('SecondClub', 'Hotels')), facts('', 'Hotels', ''));
    assert.equal((await byKey(naming('SecondClub', 'Cars'))).status, 401);
    // A holder that is disabled counts no more; one whose key has ended neither.
    const set = (id: string, change: object): Promise<unknown> =>
      club.store.change('client', club.programme, id as ClientId, (one) => ({
        ...one,
        ...change,
      }));
    await set('Partner3', { status: 'disabled' });
    await set('Partner4', { status: 'disabled' });
    assert.deepEqual(await byKey(), facts('', context, partnerId));
    await set('Partner2', { apiKeys: [] });
    assert.deepEqual(await byKey(), facts('Partner1', context, partnerId));
    await set('Partner1', { status: 'disabled' });
    assert.deepEqual(await byKey(), wrongKey);
  });

  test('goes with the tokens of each of them, and of nobody else', async (t) => {
    const club = await openPartnerClub(t);
    const apiKey = await giveApiKey(club, club.programme, 'Partner1', 'jw_shared-by-one-partner');
    const [second, third] = [
      await addPartner(club, { id: 'Partner2' }),
      await addPartner(club, { id: 'Partner3' }),
    ];
    await giveApiKey(club, club.programme, second.id, apiKey);
    for (const [client, status] of [
      [club.client, 200],
      [second, 200],
      [third, 401],
    ] as const) {
      const { access_token: token } = await tokensOfLogin({ ...club, client });
      const expected =
        status === 200 ? passed({ ...memberFacts, 'client-id': client.id }, named) : wrongKey;
      assert.deepEqual(await asked(club, 'member,key', { token, apiKey }), expected, client.id);
      // Where a key is all that is asked for, a token beside it still tells whose it is.
      const beside = status === 200 ? facts(client.id, context, partnerId) : wrongKey;
      assert.deepEqual(await asked(club, 'none', { token, apiKey }), beside, client.id);
    }
    // Of all who hold a key its use is recorded.
    for (const id of ['Partner1', 'Partner2'] as const) {
      const uses = await club.store.secretUses(club.programme, id as never);
      assert.ok(uses.has(club.keyring.secretDigest(apiKey)), id);
    }
  });
});
