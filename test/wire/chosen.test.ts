// What a request chooses, where a transcript (dialects/map-server, code-forge, notice-board) says too little: bounds of
// a chosen lifetime by login, key and live token; and the form of failures that are found before a form is read.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import { tokenKeyRules } from '../../src/token/key_rules.ts';
import {
  askTokens,
  type Club,
  codeFor,
  isLive,
  openClub,
  paths,
  programme,
  redeem,
  refresh,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { openNodes } from '../support/nodes.ts';
import { type Answer, ask, post } from '../support/wire.ts';

const hour = 3600;
const reading = 'token_endpoints: { grant: { inputs: { access_lifetime: { name: expires_in } } } }';

const clubOf = (t: TestContext, access: string, more = ''): Promise<Club> =>
  openClub(t, { over: [`tokens: { access: { ${access} } }`, reading, more] });

const ownToken = (club: Club, seconds: number): Promise<Answer> =>
  askTokens(club, { grant_type: 'client_credentials', expires_in: String(seconds) });

describe('G-23: a lifetime that a request chooses', () => {
  test('keys are kept for the longest that can be chosen, by a number or a word', async (t) => {
    for (const requested of ['longest: 40h', 'words: { short: 1m, long: 40h }']) {
      const club = await clubOf(t, `requested: { ${requested} }`);
      const service = club.services.get(programme);
      assert.ok(service !== undefined);
      const { longestToken } = tokenKeyRules(service.programme);
      assert.equal(longestToken, milliseconds(40 * hour * 1000));
      assert.ok(service.tokenKeys.longestToken() >= longestToken);
    }
  });

  test('the token is good for just as long, and none is for longer than the bound', async (t) => {
    for (const format of ['opaque', 'jwt']) {
      const club = await clubOf(t, `format: ${format}, requested: { longest: 2h }`);
      const short = tokensIn(await ownToken(club, 60));
      const long = tokensIn(await ownToken(club, 2 * hour));
      assert.deepEqual([short.expires_in, long.expires_in], [60, 2 * hour]);
      for (const seconds of [0, 59, 2 * hour + 1, 10 ** 14]) {
        assert.equal((await ownToken(club, seconds)).status, 400);
      }
      club.clock.advance(59);
      assert.equal(await isLive(club, short.access_token), true);
      club.clock.advance(1);
      assert.equal(await isLive(club, short.access_token), false);
      club.clock.advance(2 * hour - 61);
      assert.equal(await isLive(club, long.access_token), true);
      club.clock.advance(1);
      assert.equal(await isLive(club, long.access_token), false);
    }
  });

  test('the login ends it, and a refresh chooses for itself', async (t) => {
    const club = await clubOf(
      t,
      'requested: { longest: 12h }',
      'tokens: { refresh: { lifetime: 3h, longest: 3h } }',
    );
    const chosen = { expires_in: String(12 * hour) };
    const first = tokensIn(await redeem(club, await codeFor(club), chosen));
    assert.equal(first.expires_in, 3 * hour);
    club.clock.advance(hour);
    const usual = tokensIn(await refresh(club, first.refresh_token));
    assert.equal(usual.expires_in, 1800);
    const next = tokensIn(await refresh(club, usual.refresh_token, chosen));
    assert.equal(next.expires_in, 2 * hour);
    club.clock.advance(2 * hour - 1);
    assert.equal(await isLive(club, next.access_token), true);
    club.clock.advance(1);
    assert.equal(await isLive(club, next.access_token), false);
  });

  test('a login is kept for a long token of a refresh token that stays and is used no more', async (t) => {
    const rotation = 'tokens: { refresh: { rotation: off, lifetime: 1h, longest: 30h } }';
    const club = await clubOf(t, 'requested: { longest: 12h }', rotation);
    const { refresh_token: token } = await tokensOfLogin(club);
    club.clock.advance(hour - 1);
    const long = tokensIn(await refresh(club, token, { expires_in: String(12 * hour) }));
    club.clock.advance(12 * hour - 1);
    await club.store.sweep(club.clock.now(), 1000);
    assert.equal(await isLive(club, long.access_token), true);
  });

  test('HOSTILE 74: a short token that ends a long one leaves it ended, as long as it would have lived', async (t) => {
    const over = 'tokens: { access: { live: one, requested: { longest: 12h } } }';
    const { club, another } = await openNodes(t, `${over}\n${reading}`);
    const long = tokensIn(await ownToken(club, 12 * hour)).access_token;
    const short = tokensIn(await ownToken(club, 60)).access_token;
    club.clock.advance(61);
    await club.store.sweep(club.clock.now(), 1000);
    // The file that a later start reads has neither.
    for (const node of [club, await another(), await another('')]) {
      assert.equal(await isLive(node, short), false);
      assert.equal(await isLive(node, long), false);
      node.clock.advance(hour);
      await node.store.sweep(node.clock.now(), 1000);
      assert.equal(await isLive(node, long), false);
    }
  });

  test('HOSTILE 43: doubled, empty, and where the endpoint does not read it', async (t) => {
    const club = await clubOf(t, 'requested: { longest: 12h }');
    const own = (fields: readonly (readonly [string, string])[]) =>
      askTokens(club, [['grant_type', 'client_credentials'], ...fields]);
    const twice = await own([
      ['expires_in', '60'],
      ['expires_in', '60'],
    ]);
    assert.deepEqual(
      [twice.status, twice.body],
      [400, '{"error":"invalid_request","error_description":"expires_in is repeated"}'],
    );
    assert.equal(tokensIn(await own([['expires_in', '']])).expires_in, 1800);
    const other = await openClub(t);
    const unread = await askTokens(other, { grant_type: 'client_credentials', expires_in: '60' });
    assert.equal(tokensIn(unread).expires_in, 1800);
  });
});

const forms = `
answer_forms: { xml: { encoding: xml, root: Answer }, form: { encoding: form } }
token_endpoints: { grant: { read: [query, form], inputs: { answer_form: { name: f } } } }
`;

/** A failure as a form. */
function formOf(status: number, error: string, description?: string, more = {}): Answer {
  const told = description === undefined ? '' : `&error_description=${description}`;
  return {
    status,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'cache-control': 'no-store',
      pragma: 'no-cache',
      ...more,
    },
    body: `error=${error}${told}`,
  };
}

describe('HOSTILE 43, 45, 51: the form of an answer that a request chooses', () => {
  test('failures have it that are found before it would be read', async (t) => {
    const club = await openClub(t, { over: [forms, 'sandbox: { parameter: force }'] });
    const at = (query: string, more: Parameters<typeof ask>[2] = {}) =>
      ask(club.url, `${paths.grant}?${query}`, { method: 'POST', ...more });
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const invalid = (description: string): Answer => formOf(400, 'invalid_request', description);
    assert.deepEqual(
      await at('f=form', { method: 'PUT' }),
      formOf(405, 'invalid_request', 'method+not+allowed', { allow: 'POST' }),
    );
    assert.equal(
      (await at('f=form', { headers: type, body: 'a=%zz' })).body.startsWith('error='),
      true,
    );
    assert.deepEqual(
      await at('f=form', { headers: type, body: 'a='.padEnd(70_000, 'x') }).then(
        ({ headers }) => headers,
      ),
      invalid('').headers,
    );
    assert.deepEqual(
      await at('f=form', { headers: { 'content-type': 'text/plain' }, body: 'x' }).then(
        ({ headers }) => headers,
      ),
      invalid('').headers,
    );
    assert.deepEqual(
      await at('f=form&force=throttled').then(({ body }) => body),
      'error=too_many_tokens',
    );
    // What cannot be read, or is told twice, chooses nothing.
    const usual = 'application/json';
    for (const query of [
      'f=',
      'f=%zz',
      'f=json',
      'f=Form',
      'f=form&f=form',
      'F=form',
      'f=toString',
    ]) {
      const { headers } = await at(query, { headers: type, body: 'grant_type=nothing' });
      assert.equal(headers['content-type'], usual, query);
    }
    // Once in the query and once in the body is twice.
    const both = await at('f=form', { headers: type, body: 'f=form' });
    assert.equal(both.headers['content-type'], usual);
  });

  test('HOSTILE 51: markup in a parameter is escaped in each form', async (t) => {
    const over = [forms, 'token_endpoints: { grant: { unknown: refuse, inputs: { note: {} } } }'];
    const club = await openClub(t, {
      over: [...over, 'errors: { fields: { note: sent.note } }'],
    });
    const note = `</note>&"\u2028`;
    const answerIn = (f: string) =>
      post(
        club.url,
        paths.grant,
        { grant_type: 'x', f, note },
        { authorization: club.client.basic },
      );
    const xml = await answerIn('xml');
    assert.equal(
      xml.body,
      `<?xml version="1.0" encoding="UTF-8"?>\n<Answer><error>unsupported_grant_type</error><note>&lt;/note&gt;&amp;&quot;\u2028</note></Answer>`,
    );
    const form = await answerIn('form');
    assert.equal(form.body, 'error=unsupported_grant_type&note=%3C%2Fnote%3E%26%22%E2%80%A8');
  });

  test('HOSTILE 48: several lines of Accept are one list; its form is that of failures, too', async (t) => {
    const club = await openClub(t, {
      over: [
        'answer_forms: { application/xml: { encoding: xml, root: Answer } }',
        'token_endpoints: { grant: { inputs: { answer_form: { in: header, name: Accept } } } }',
      ],
    });
    const typeFor = async (...accept: readonly string[]): Promise<string | undefined> => {
      const { headers } = await ask(club.url, paths.grant, {
        method: 'PUT',
        headers: accept.length === 0 ? {} : { accept },
      });
      return headers['content-type'];
    };
    const [usual, xml] = ['application/json', 'application/xml'];
    const rows: readonly (readonly [accept: readonly string[], type: string])[] = [
      [[], usual],
      [['*/*'], usual],
      [['application/xml'], xml],
      [['APPLICATION/XML;charset=utf-8'], xml],
      [['text/html', 'application/xml'], xml],
      [['application/json', 'application/xml;q=0.9'], usual],
      [['application/json;q=0.899', 'application/xml;q=0.9'], xml],
      [['application/xml, application/json'], usual],
      [['application/xml, */*'], xml],
      [['application/*;q=0.1, application/json;q=0'], xml],
      [['application/xml;q=0, */*'], usual],
      [['application/xml;q=1;q=0'], usual],
      [['application/xml;q=2, application/json;q=0.5'], xml],
      [['application/xml;q=-1'], xml],
      [['application/xml;'.padEnd(5000, 'x')], usual],
      [['application/xml'.repeat(3)], usual],
      [[';;,,q=1,/'], usual],
      [['text/html'], usual],
    ];
    const tokens = await ask(club.url, paths.grant, {
      method: 'POST',
      headers: {
        accept: ['text/html', 'application/xml'],
        authorization: club.client.basic,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    assert.deepEqual([tokens.status, tokens.headers['content-type']], [200, xml]);
    for (const [accept, type] of rows) assert.equal(await typeFor(...accept), type, accept.join());
  });
});

test('RFC 9700 4.14.2: with_pkce a token without a challenge stays, but never that of a public client', async (t) => {
  const over = `
tokens: { refresh: { rotation: with_pkce } }
client: { authentication: { methods: [basic, none] } }
authorize: { pkce: required }
token_endpoints: { grant: { inputs: { client_id: {}, username: {}, password: {} } } }
grants: { password: { endpoint: grant, role: member } }
`;
  const { club, another } = await openNodes(t, over);
  const { username, password } = club.member;
  const open = await club.addClient({
    id: 'partnerapi-54321',
    more: { isPublic: true, secrets: [] },
  });
  for (const [node, fields, stays] of [
    [club, {}, true],
    [club, { client_id: open.id }, false],
    // A server that is started anew knows it from the store.
    [await another(), {}, true],
  ] as const) {
    const headers = 'client_id' in fields ? {} : undefined;
    const login = { grant_type: 'password', username, password, ...fields };
    const { refresh_token: first } = tokensIn(await askTokens(node, login, headers));
    const again = { grant_type: 'refresh_token', refresh_token: first, ...fields };
    const { refresh_token: next } = tokensIn(await askTokens(node, again, headers));
    assert.equal(next === first, stays);
  }
});
