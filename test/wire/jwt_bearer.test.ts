// RFC 7523 2.1: an assertion that a client has signed, exchanged for a token.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import { jwtBearer } from '../../src/oauth/grant.ts';
import { registered, signJwt, testKey } from '../support/assertions.ts';
import { type Club, isLive, openClub, paths, refused, tokensIn } from '../support/club.ts';
import { type Answer, post } from '../support/wire.ts';

const key = testKey();
const issuer = 'https://tokens.example/executive-club';
const id = 'partnerapi-77777';

const base = `
token_endpoints: { grant: { inputs: { assertion: {}, client_assertion: {}, client_assertion_type: {} } } }
grants: { jwt_bearer: { endpoint: grant, role: partner, subject: [client, username, subject, client.company] } }
introspection: { path: /introspect }
`;
const alone = 'client: { authentication: { methods: [private_key_jwt] } }';

type Claims = Readonly<Record<string, unknown>>;

interface Site extends Club {
  readonly sign: (more?: Claims) => string;
  /** A request with an assertion of these claims, and nothing beside it unless said otherwise. */
  readonly ask: (
    claims?: Claims,
    more?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>;
}

async function open(t: TestContext, ...over: readonly string[]): Promise<Site> {
  const club = await openClub(t, { over: [base, ...over] });
  const assertionKeys = { keys: registered(key) };
  const properties = { company: 'company-7' };
  await club.addClient({ id, more: { assertionKeys, properties } });
  const sign: Site['sign'] = (claims = {}) => {
    const now = Math.floor(club.clock.now() / 1000);
    return signJwt(key, { iss: id, aud: issuer, exp: now + 60, ...claims });
  };
  const ask: Site['ask'] = (claims = {}, more = {}, headers = {}) => {
    const fields = { grant_type: jwtBearer, assertion: sign(claims), ...more };
    return post(club.url, paths.grant, fields, headers);
  };
  return { ...club, sign, ask };
}

const invalid = refused(400, { error: 'invalid_grant' });

function causeOf({ records }: Site): string {
  const { expected = '', came = '' } = records.at(-1)?.failure?.facts.cause ?? {};
  return `${expected} - ${came}`;
}

async function toldOf(site: Site, answer: Answer): Promise<Readonly<Record<string, unknown>>> {
  const { access_token: token } = tokensIn(answer);
  const { body } = await post(
    site.url,
    '/executive-club/introspect',
    { token },
    { authorization: site.client.basic },
  );
  return JSON.parse(body) as Readonly<Record<string, unknown>>;
}

describe('the JWT bearer grant', () => {
  test('an assertion alone gives the client a token of its own, or one of the member it names', async (t) => {
    const site = await open(t, alone);
    for (const sub of [
      undefined,
      id,
      'company-7',
      site.member.username,
      ' ANN ',
      site.member.subject,
    ]) {
      const answer = await site.ask({ sub });
      assert.equal('refresh_token' in tokensIn(answer), false);
      const record = site.records.at(-1);
      const isMember = ![undefined, id, 'company-7'].includes(sub);
      assert.equal(record?.member, isMember ? site.member.subject : undefined, String(sub));
    }
  });

  test('with other methods of authentication credentials come beside the assertion', async (t) => {
    const site = await open(t, 'client: { authentication: { methods: [basic] } }');
    await site.ask();
    assert.equal(site.records.at(-1)?.failure?.reason, 'authentication_missing');
    const basic = `Basic ${Buffer.from(`${id}:${site.client.secret}`).toString('base64')}`;
    const answer = await site.ask({ sub: 'ann' }, {}, { authorization: basic });
    assert.deepEqual(await toldOf(site, answer), { active: false }, 'of another client');
    // The key of one client signs nothing for another.
    assert.deepEqual(await site.ask({}, {}, { authorization: site.client.basic }), invalid);
    assert.equal(causeOf(site), 'a client with public keys (jwks) - one without');
  });

  test('every assertion that is not good gets one answer', async (t) => {
    const site = await open(t, alone);
    const now = Math.floor(site.clock.now() / 1000);
    const forged = signJwt(testKey(), { iss: id, aud: issuer, exp: now + 60 });
    const cases: readonly (readonly [Claims, string])[] = [
      [
        { iss: 'partnerapi-99999' },
        'the identifier of a client of the programme - one that no client has',
      ],
      [{ exp: now - 60 }, 'an assertion, one that has not ended - one whose exp has passed'],
      [{ aud: 'https://other.example' }, `an assertion, aud: ${issuer} - another one`],
      [{ sub: 'nobody' }, 'sub: client, username, subject, client.company - another one'],
      [{ sub: 'a\u0000b' }, 'sub: client, username, subject, client.company - another one'],
    ];
    for (const [one, cause] of cases) {
      assert.deepEqual(await site.ask(one), invalid);
      assert.equal(causeOf(site), cause);
    }
    for (const text of ['no JWT', site.sign({ iss: undefined }), forged]) {
      assert.deepEqual(await site.ask({}, { assertion: text }), invalid);
    }
  });

  test('HOSTILE 75: a malformed sub or scope is no absent one: no token of the client comes of it', async (t) => {
    const site = await open(t, alone);
    for (const wrong of [null, '', 7, false, {}, [], [id]]) {
      assert.deepEqual(await site.ask({ sub: wrong }), invalid, JSON.stringify(wrong));
      assert.equal(causeOf(site), 'assertion: sub: a text that is not empty - something else');
    }
    for (const wrong of [null, '', 15, {}, [], [null], ['AUTHN-LEVEL-15', 1]]) {
      assert.deepEqual(await site.ask({ scope: wrong }), invalid, JSON.stringify(wrong));
      assert.match(
        causeOf(site),
        /scope: a text that is not empty, or a list of such texts - something else$/,
      );
    }
    tokensIn(await site.ask());
    // Beside other credentials, too.
    const other = await open(t, 'client: { authentication: { methods: [basic] } }');
    const basic = `Basic ${Buffer.from(`${id}:${other.client.secret}`).toString('base64')}`;
    tokensIn(await other.ask({}, {}, { authorization: basic }));
    assert.deepEqual(await other.ask({ sub: 7 }, {}, { authorization: basic }), invalid);
    assert.equal(causeOf(other), 'sub: a text that is not empty - something else');
  });

  test('jti is held to once where it is sent; a refused request leaves it good', async (t) => {
    const site = await open(t, alone);
    const assertion = site.sign({ jti: 'one', sub: 'ann' });
    assert.equal((await site.ask({}, { assertion, scope: 'AUTHN-LEVEL-99' })).status, 400);
    tokensIn(await site.ask({}, { assertion }));
    assert.deepEqual(await site.ask({}, { assertion }), invalid);
    assert.equal(
      causeOf(site),
      'an assertion that comes for the first time - one whose jti came before',
    );
    const required = await open(
      t,
      alone,
      'client: { authentication: { assertion: { jti: required } } }',
    );
    assert.deepEqual(await required.ask(), invalid);
  });

  for (const format of ['opaque', 'jwt']) {
    test(`a replay ends no token, also where one is live and has a form, ${format}`, async (t) => {
      const form = format === 'opaque' ? ', form: { length: 40 }' : '';
      const tokens = `tokens: { access: { live: one, format: ${format}${form} } }`;
      const site = await open(t, alone, tokens);
      const assertion = site.sign({ jti: 'one', sub: 'ann' });
      const { access_token } = tokensIn(await site.ask({}, { assertion }));
      const kept = t.mock.method(site.store, 'keepText');
      assert.deepEqual(await site.ask({}, { assertion }), invalid);
      const uses = kept.mock.calls.map(({ arguments: [text] }) => text.use);
      assert.equal(uses.includes('live_token'), false);
      assert.equal(await isLive(site, access_token), true);
    });
  }

  test('of simultaneous copies of an assertion the one that loses ends no token', async (t) => {
    const site = await open(t, alone, 'tokens: { access: { live: one } }');
    const assertion = site.sign({ jti: 'one', sub: 'ann' });
    const { access_token } = tokensIn(await site.ask({}, { assertion }));
    // The copy was looked for before the first request has spent it.
    const looked = t.mock.method(site.store, 'findKept', async () => Promise.resolve());
    assert.deepEqual(await site.ask({}, { assertion }), invalid);
    looked.mock.restore();
    assert.equal(await isLive(site, access_token), true);
  });

  test('an assertion is of one use: of a client, or of a grant that it is sent for', async (t) => {
    const site = await open(t, alone);
    const request = (fields: Readonly<Record<string, string>>): Promise<Answer> =>
      post(site.url, paths.grant, fields);
    await request({ grant_type: 'client_credentials', assertion: site.sign() });
    assert.equal(site.records.at(-1)?.failure?.reason, 'authentication_missing');
    const client_assertion = site.sign({ sub: 'ann', jti: 'x' });
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const proof = { client_assertion, client_assertion_type };
    assert.equal((await request({ grant_type: 'client_credentials', ...proof })).status, 401);
    const both = await site.ask(
      { sub: 'ann' },
      { ...proof, client_assertion: site.sign({ sub: id, jti: 'y' }) },
    );
    tokensIn(both);
  });

  test('the claim scope counts where the parameter is not sent, and asks for no more than there is', async (t) => {
    const site = await open(t, alone);
    const scopeOf = (answer: Answer): unknown => tokensIn(answer).scope;
    assert.equal(
      scopeOf(await site.ask({ sub: 'ann', scope: 'AUTHN-LEVEL-10' })),
      'AUTHN-LEVEL-10',
    );
    assert.equal(
      scopeOf(await site.ask({ sub: 'ann', scope: 'x' }, { scope: 'AUTHN-LEVEL-10' })),
      'AUTHN-LEVEL-10',
    );
    assert.equal((await site.ask({ scope: 'x' })).status, 400);
    assert.equal(site.records.at(-1)?.failure?.reason, 'invalid_scope');
  });

  test('a member who is disabled, and a client without the role, get nothing', async (t) => {
    const site = await open(t, alone);
    await site.store.change(
      'member',
      'executive-club' as never,
      site.member.subject as never,
      (member) => ({
        ...member,
        status: 'disabled',
      }),
    );
    for (const sub of ['ann', site.member.subject])
      assert.deepEqual(await site.ask({ sub }), invalid);
    const other = 'partnerapi-88888';
    await site.addClient({
      id: other,
      roles: ['member'],
      more: { assertionKeys: { keys: registered(key) } },
    });
    await site.ask({ iss: other });
    assert.equal(site.records.at(-1)?.failure?.reason, 'grant_not_allowed');
  });
});
