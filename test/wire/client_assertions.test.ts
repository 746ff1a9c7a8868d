// RFC 7523 2.2: clients that authenticate with an assertion, in a programme that takes Basic besides.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import { instant } from '../../src/lib/clock.ts';
import type { Client } from '../../src/oauth/client.ts';
import { assertionType } from '../../src/programme/requests/presented_credentials.ts';
import { keySet, registered, signJwt, testKey } from '../support/assertions.ts';
import {
  type Club,
  openClub,
  paths,
  programme,
  refused,
  tokensIn,
  unknownClient,
} from '../support/club.ts';
import type { JetwayOptions } from '../support/jetway.ts';
import { startKeyServer } from '../support/key_server.ts';
import { testNeeding } from '../support/tools.ts';
import { type Answer, post } from '../support/wire.ts';

const key = testKey();
const issuer = 'https://tokens.example/executive-club';
const id = 'partnerapi-77777';

const over = `
client: { authentication: { methods: [basic, private_key_jwt], failure_limit: { limit: 3, window: 1m } } }
token_endpoints: { grant: { inputs: { client_assertion: {}, client_assertion_type: {} } } }
introspection: { path: /introspect }
revocation: { path: /revoke }
`;

interface Site extends Club {
  /** An assertion that is good now but for what is said. */
  readonly sign: (more?: Readonly<Record<string, unknown>>) => string;
  readonly ask: (
    more?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>;
}

async function open(
  t: TestContext,
  {
    more = {},
    ...options
  }: JetwayOptions & { readonly over?: string; readonly more?: Partial<Client> } = {},
): Promise<Site> {
  const club = await openClub(t, { ...options, over: [over, options.over ?? ''] });
  await club.addClient({
    id,
    more: { secrets: [], assertionKeys: { keys: registered(key) }, ...more },
  });
  let count = 0;
  const sign: Site['sign'] = (claims = {}) => {
    count += 1;
    const now = Math.floor(club.clock.now() / 1000);
    return signJwt(key, {
      iss: id,
      sub: id,
      aud: issuer,
      exp: now + 60,
      jti: `id-${count}`,
      ...claims,
    });
  };
  const ask: Site['ask'] = (fields = {}, headers = {}) =>
    post(
      club.url,
      paths.grant,
      {
        grant_type: 'client_credentials',
        client_assertion_type: assertionType,
        client_assertion: fields['client_assertion'] ?? sign(),
        ...fields,
      },
      headers,
    );
  return { ...club, sign, ask };
}

const failed = unknownClient;
const failedAnswer = (answer: Answer): void => assert.deepEqual(answer, failed);

/** Why the last request was refused, for operators, and whether the partner may read it. */
function causeOf({ records }: Site): string {
  const { expected = '', came = '', isOwn } = records.at(-1)?.failure?.facts.cause ?? {};
  return `${expected} - ${came}${isOwn === true ? ' (own)' : ''}`;
}

describe('client assertions', () => {
  test('a signed assertion is as good as a secret, and its key is noted as used', async (t) => {
    const site = await open(t);
    tokensIn(await site.ask());
    tokensIn(await site.ask({ client_id: id }));
    tokensIn(await site.ask({ grant_type: 'client_credentials' }));
    const uses = await site.store.secretUses(programme, id as Client['id']);
    assert.deepEqual([...uses.keys()], [registered(key)[0]?.thumbprint]);
    const { basic } = site.client;
    const fields = { grant_type: 'client_credentials' };
    tokensIn(await post(site.url, paths.grant, fields, { authorization: basic }));
  });

  test('HOSTILE 75: a malformed sub or kid is no absent one', async (t) => {
    const site = await open(t);
    const malformed = refused(400, { error: 'invalid_client' });
    for (const wrong of [null, '', 7, true, {}, [id]]) {
      const { length } = site.records;
      const now = Math.floor(site.clock.now() / 1000);
      const kidded = signJwt(key, { iss: id, sub: id, aud: issuer, exp: now + 60 }, { kid: wrong });
      for (const [name, assertion] of [
        ['sub', site.sign({ sub: wrong })],
        ['kid', kidded],
      ] as const) {
        assert.deepEqual(await site.ask({ client_assertion: assertion }), malformed);
        const told = `client_assertion: ${name}: a text that is not empty - something else (own)`;
        assert.equal(causeOf(site), told);
      }
      assert.equal(site.records.length, length + 2);
    }
  });

  test('an assertion is good once, at whatever endpoint, and its client has its jti for itself', async (t) => {
    const site = await open(t);
    const other = 'partnerapi-88888';
    await site.addClient({ id: other, more: { assertionKeys: { keys: registered(key) } } });
    const assertion = site.sign({ jti: 'one' });
    const { access_token: token } = tokensIn(await site.ask({ client_assertion: assertion }));
    failedAnswer(await site.ask({ client_assertion: assertion }));
    assert.equal(
      causeOf(site),
      'an assertion that comes for the first time - one whose jti came before (own)',
    );
    tokensIn(
      await site.ask({ client_assertion: site.sign({ iss: other, sub: other, jti: 'one' }) }),
    );
    const manage = (path: string, client_assertion: string): Promise<Answer> =>
      post(site.url, `/executive-club${path}`, {
        token,
        client_assertion_type: assertionType,
        client_assertion,
      });
    failedAnswer(await manage('/introspect', assertion));
    assert.match((await manage('/introspect', site.sign())).body, /"active":true/);
    assert.equal((await manage('/revoke', site.sign())).status, 200);
    assert.equal((await manage('/introspect', site.sign())).body, '{"active":false}');
  });

  test('FAULTS 29: a clock that was set back shuts out what it may have seen, and nothing newer', async (t) => {
    const site = await open(t, {
      over: 'client: { authentication: { assertion: { longest: 90s } } }',
    });
    const { store, clock } = site;
    const dated = (): Promise<Answer> => {
      const iat = clock.now() / 1000;
      return site.ask({ client_assertion: site.sign({ iat }) });
    };
    await store.time(clock.now());
    await store.acceptTime(instant(clock.now() - 1000));
    failedAnswer(await dated());
    clock.advance(100);
    tokensIn(await dated());
    // It could have been used for as long as its end lay ahead.
    failedAnswer(await site.ask({ client_assertion: site.sign() }));
    clock.advance(61);
    tokensIn(await site.ask({ client_assertion: site.sign() }));
  });

  test('unknown, disabled and keyless clients and wrong signatures get one answer', async (t) => {
    const site = await open(t, { over: 'client: { authentication: { failure_limit: off } }' });
    const stranger = testKey();
    const [off, keyless] = ['partnerapi-00001', 'partnerapi-00002'];
    const assertionKeys = { keys: registered(key) };
    await site.addClient({ id: off, more: { assertionKeys, status: 'disabled' } });
    await site.addClient({ id: keyless });
    const now = Math.floor(site.clock.now() / 1000);
    const claims = { iss: id, sub: id, aud: issuer, exp: now + 60, jti: 'x' };
    for (const [assertion, cause] of [
      [
        signJwt(stranger, claims),
        "an assertion, signed by one of the client's 1 keys - one that none of them has signed",
      ],
      [
        site.sign({ iss: 'partnerapi-99999', sub: 'partnerapi-99999' }),
        'the identifier of a client of the programme - one that no client has',
      ],
      [site.sign({ iss: off, sub: off }), 'a client that is active - one that is disabled'],
      [site.sign({ iss: keyless, sub: keyless }), 'a client with public keys (jwks) - one without'],
      [site.sign({ sub: 'other' }), 'sub: the client identifier - another one (own)'],
      [
        site.sign({ aud: 'https://other.example' }),
        `an assertion, aud: ${issuer} - another one (own)`,
      ],
      [
        site.sign({ exp: now - 60 }),
        'an assertion, one that has not ended - one whose exp has passed (own)',
      ],
    ] as const) {
      failedAnswer(await site.ask({ client_assertion: assertion }));
      assert.equal(causeOf(site), cause);
    }
    failedAnswer(await site.ask({ client_id: site.client.id }));
  });

  test('a wrong subject or a failed request spends no assertion', async (t) => {
    const site = await open(t);
    failedAnswer(await site.ask({ client_assertion: site.sign({ jti: 'kept', sub: 'other' }) }));
    tokensIn(await site.ask({ client_assertion: site.sign({ jti: 'kept' }) }));
  });

  test('RFC 7523 3: an assertion says who authenticates, unless the file lets the issuer speak for itself', async (t) => {
    const silent = { jti: 'kept', sub: undefined };
    const site = await open(t);
    failedAnswer(await site.ask({ client_assertion: site.sign(silent) }));
    tokensIn(await site.ask({ client_assertion: site.sign({ jti: 'kept' }) }));
    const lenient = await open(t, {
      over: 'client: { authentication: { assertion: { sub: optional } } }',
    });
    tokensIn(await lenient.ask({ client_assertion: lenient.sign(silent) }));
    failedAnswer(await lenient.ask({ client_assertion: lenient.sign({ sub: 'other' }) }));
  });

  test('failures of an address and identifier count, and the right key is let in all the same', async (t) => {
    const site = await open(t);
    const wrong = (): Promise<Answer> =>
      site.ask({ client_assertion: signJwt(testKey(), { iss: id }) });
    for (let turn = 0; turn < 3; turn += 1) failedAnswer(await wrong());
    assert.equal((await wrong()).status, 429);
    tokensIn(await site.ask());
  });

  test('what cannot be read is malformed; two kinds of credentials are ambiguous', async (t) => {
    const site = await open(t);
    for (const [fields, name] of [
      [{ client_assertion: 'x' }, 'client_assertion'],
      [{ client_assertion: site.sign({ iss: undefined }) }, 'client_assertion'],
      [{ client_assertion_type: 'other' }, 'client_assertion_type'],
      [{ client_assertion_type: '' }, 'client_assertion_type'],
    ] as const) {
      await site.ask(fields);
      assert.equal(site.records.at(-1)?.failure?.reason, 'authentication_malformed');
      assert.equal(site.records.at(-1)?.failure?.facts.parameter, name);
    }
    for (const [fields, headers] of [
      [{}, { authorization: site.client.basic }],
      [{ client_secret: 'x' }, {}],
    ] as const) {
      await site.ask(fields, headers);
      assert.equal(site.records.at(-1)?.failure?.reason, 'authentication_ambiguous');
    }
  });

  test('the file says which audiences, issuers and algorithms are good', async (t) => {
    const terms = `
client: { authentication: { assertion: {
  audience: [token_endpoint, client.url, "plain text", absent], issuer: client.team, algorithms: [ES256], jti: optional } } }`;
    const properties = { team: ['T1', 'T2'], url: 'https://own.example' };
    const site = await open(t, { over: terms, more: { properties } });
    const good = { iss: 'T1', jti: undefined };
    const endpoint = `https://tokens.example${paths.grant}`;
    for (const claims of [
      { aud: endpoint },
      { aud: 'https://own.example' },
      { aud: 'plain text' },
      { aud: undefined },
      { aud: endpoint, iss: 'T2' },
    ]) {
      tokensIn(await site.ask({ client_assertion: site.sign({ ...good, ...claims }) }));
    }
    for (const claims of [
      { aud: issuer },
      { aud: endpoint, iss: id },
      { aud: endpoint, sub: 'T1' },
    ]) {
      failedAnswer(await site.ask({ client_assertion: site.sign({ ...good, ...claims }) }));
    }
  });
});

const testFetching = testNeeding('openssl');

testFetching(
  'keys at an address: fetched, and an outage of it is none of the client’s',
  async (t) => {
    const server = await startKeyServer(t, keySet(key));
    const more = { assertionKeys: { url: server.url } };
    const site = await open(t, {
      more,
      jwksNetworks: ['127.0.0.0/8', '::1/128'],
      authorities: server.authorities,
    });
    tokensIn(await site.ask());
    tokensIn(await site.ask());
    assert.equal(server.asked(), 1);
    server.become((_, response) => response.writeHead(500).end());
    site.clock.advance(3700);
    const answer = await site.ask();
    assert.equal(answer.status, 503);
    assert.match(causeOf(site), /the key set at \S+:\d+ cannot be fetched: status 500/);
    server.become(keySet(testKey()));
    failedAnswer(await site.ask());
  },
);
