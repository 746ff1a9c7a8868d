// Tests logins as standard clients begin and end them: posted forms, request objects, and the redirect URI beside
// the code.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  type Club,
  codeFor,
  loginTarget,
  openClub,
  paths,
  redeem,
  refused,
} from '../support/club.ts';
import { logIn } from '../support/login.ts';
import { type Answer, ask, post } from '../support/wire.ts';

/** Where a login request leads: `page`, the error on the redirect, or that its answer is a page and its status. */
function outcomeOf({ status, headers }: Answer): string | number {
  const location = headers['location'] ?? '';
  if (location.includes('/login?transaction=')) return 'page';
  return new URLSearchParams(location.split('?')[1]).get('error') ?? status;
}

const identity = `
id_token: {}
authorize: { endpoint: { inputs: { nonce: {}, prompt: {} } } }
token_response: { fields: { id_token: id_token } }
`;

describe('OpenID Connect Core 3.1.2.1: a login request as a posted form', () => {
  const posted = 'authorize: { endpoint: { methods: [GET, POST], read: [query, form] } }';
  const parametersOf = ({ client }: Club): Record<string, string> => ({
    client_id: client.id,
    response_type: 'code',
    redirect_uri: client.redirectUri,
  });

  test('a form is read of a POST alone, and by the type that says so', async (t) => {
    const club = await openClub(t, { over: posted });
    const fields = parametersOf(club);
    const body = new URLSearchParams(fields).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
    const asked = async (method: string, headers: Record<string, string>, target = paths.login) =>
      outcomeOf(await ask(club.url, target, { method, headers, body }));
    assert.equal(await asked('POST', type), 'page');
    assert.equal(await asked('GET', type), 400);
    assert.equal(await asked('POST', {}), 400);
    assert.equal(await asked('POST', { 'content-type': 'multipart/form-data; boundary=a' }), 400);
    // What the form adds to a link is read as well; what it repeats is told of once the client is known.
    const link = loginTarget(club.client, { state: 's' });
    const more = async (form: Record<string, string>) =>
      outcomeOf(await post(club.url, link, form));
    assert.equal(await more({ redirect_uri: club.client.redirectUri }), 'page');
    assert.equal(await more({ client_id: club.client.id }), 400);
    assert.equal(await more({ state: 's' }), 'invalid_request');
    assert.equal(await more({}), 'page');
  });

  test('HOSTILE 46: a form that is too large, or has too many fields, is a page', async (t) => {
    const club = await openClub(t, { over: posted });
    const fields = parametersOf(club);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${index}`, 'x']));
    for (const more of [{ state: 'x'.repeat(70_000) }, many]) {
      const answer = await post(club.url, paths.login, { ...fields, ...more });
      assert.equal(answer.status, 400);
      assert.match(answer.body, /^<!doctype html>/);
    }
  });

  test('a dialect that does not say so ignores a form', async (t) => {
    const club = await openClub(t, { over: 'authorize: { endpoint: { methods: [GET, POST] } }' });
    assert.equal(outcomeOf(await post(club.url, paths.login, parametersOf(club))), 400);
    const link = loginTarget(club.client);
    assert.equal(outcomeOf(await post(club.url, link, { client_id: 'other' })), 'page');
  });
});

describe('OpenID Connect Core 6: request objects', () => {
  const outcome = async (
    over: readonly string[],
    more: Record<string, string>,
    t: Parameters<typeof openClub>[0],
  ) => {
    const club = await openClub(t, { over });
    return outcomeOf(await ask(club.url, loginTarget(club.client, more)));
  };
  const object = { request: 'e30.e30.' };

  test('they are refused by name with identity tokens, before what could stand in them', async (t) => {
    assert.equal(
      await outcome([identity], { ...object, response_type: '' }, t),
      'request_not_supported',
    );
    const both = { request_uri: 'https://a.example/', prompt: 'none' };
    assert.equal(await outcome([identity], both, t), 'request_uri_not_supported');
    const strict = 'authorize: { endpoint: { unknown: refuse } }';
    assert.equal(await outcome([identity, strict], object, t), 'request_not_supported');
    const worded = 'authorize: { failures: { request_not_supported: { redirect: no } } }';
    assert.equal(await outcome([identity, worded], object, t), 'no');
  });

  test('without identity tokens they are nothing, nor is one without a value or an input of the file', async (t) => {
    assert.equal(await outcome([], object, t), 'page');
    assert.equal(await outcome([identity], { request: '' }, t), 'page');
    const own = 'authorize: { endpoint: { inputs: { request: { characters: base64url } } } }';
    assert.equal(await outcome([identity, own], { request: 'abc' }, t), 'page');
    const named = 'authorize: { endpoint: { inputs: { ticket: { name: request } } } }';
    assert.equal(await outcome([identity, named], object, t), 'page');
  });
});

describe('RFC 6749 4.1.3: the redirect URI beside a code', () => {
  const over = 'authorize: { redirect_uri: { token: if_sent } }';

  test('it must come if the login request had it, and its lack spends nothing', async (t) => {
    const club = await openClub(t, { over });
    const { redirectUri: redirect_uri } = club.client;
    const code = await codeFor(club, { redirect_uri });
    const missing = { error: 'invalid_request', error_description: 'redirect_uri is missing' };
    for (const more of [{}, { redirect_uri: '' }]) {
      assert.deepEqual(await redeem(club, code, more), refused(400, missing));
    }
    const wrong = await redeem(club, code, { redirect_uri: `${redirect_uri}?` });
    assert.deepEqual(wrong, refused(400, { error: 'invalid_grant' }));
    assert.equal((await redeem(club, code, { redirect_uri })).status, 200);
  });

  test('a login request without it leaves it to the client; what comes is compared', async (t) => {
    const club = await openClub(t, { over });
    const { redirectUri: redirect_uri } = club.client;
    assert.equal((await redeem(club, await codeFor(club))).status, 200);
    assert.equal((await redeem(club, await codeFor(club), { redirect_uri })).status, 200);
    const wrong = await redeem(club, await codeFor(club), { redirect_uri: 'https://a.example/' });
    assert.deepEqual(wrong, refused(400, { error: 'invalid_grant' }));
  });

  test('HOSTILE 23: another client is not told that it is missing', async (t) => {
    const club = await openClub(t, { over });
    const other = await club.addClient({ id: 'partnerapi-88888' });
    const { redirectUri: redirect_uri } = club.client;
    const code = await logIn(club.url, loginTarget(club.client, { redirect_uri }), club.member);
    const form = { grant_type: 'authorization_code', code };
    const foreign = await post(club.url, paths.grant, form, { authorization: other.basic });
    assert.deepEqual(foreign, refused(400, { error: 'invalid_grant' }));
  });

  test('a missing one has the reason that the file chooses', async (t) => {
    const worded =
      'token_endpoints: { grant: { inputs: { redirect_uri: { when_missing: invalid_code } } } }';
    const club = await openClub(t, { over: [over, worded] });
    const code = await codeFor(club, { redirect_uri: club.client.redirectUri });
    assert.deepEqual(await redeem(club, code), refused(400, { error: 'invalid_grant' }));
  });
});
