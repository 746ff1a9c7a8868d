// RFC 7523 2.2 where a transcript (client_assertions.transcript) says too little: headers of assertions, a clock that
// was set back, what is noted of keys, and keys at an address.

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
client: { authentication: { methods: [basic, private_key_jwt] } }
token_endpoints: { grant: { inputs: { client_assertion: {}, client_assertion_type: {} } } }
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
  test('the key of a signed assertion is noted as used', async (t) => {
    const site = await open(t);
    tokensIn(await site.ask());
    const uses = await site.store.secretUses(programme, id as Client['id']);
    assert.deepEqual([...uses.keys()], [registered(key)[0]?.thumbprint]);
  });

  test('HOSTILE 75: a malformed kid is no absent one', async (t) => {
    const site = await open(t);
    const malformed = refused(400, { error: 'invalid_client' });
    for (const wrong of [null, '', 7, true, {}, [id]]) {
      const now = Math.floor(site.clock.now() / 1000);
      const header = { kid: wrong };
      const assertion = signJwt(key, { iss: id, sub: id, aud: issuer, exp: now + 60 }, header);
      assert.deepEqual(await site.ask({ client_assertion: assertion }), malformed);
      const told = 'client_assertion: kid: a text that is not empty - something else (own)';
      assert.equal(causeOf(site), told);
    }
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
