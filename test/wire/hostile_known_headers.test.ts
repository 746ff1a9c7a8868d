// G-17, HOSTILE 38 to 42: a header that was let in before is answered as one that never was, to the
// byte, whatever has become of its client.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';

import { after, milliseconds } from '../../src/lib/clock.ts';
import type { ClientId } from '../../src/oauth/client.ts';
import type { GatewayId } from '../../src/oauth/gateway.ts';
import { ProvenHeaders } from '../../src/token/proven_headers.ts';
import {
  askTokens,
  type Club,
  openClub,
  paths,
  programme,
  refused,
  unknownClient,
} from '../support/club.ts';
import { addGateway, given, inactive, introspect, managed, revoke } from '../support/gateway.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { basic, changeClient, letIn, partnerToken, plain } from '../support/partner_token.ts';
import { type Answer, ask, post } from '../support/wire.ts';

const unreadable = refused(400, { error: 'invalid_client' });

/** What is asked of a club where the partner's header is known, and of one that never saw it. */
async function sameAnswers(
  t: TestContext,
  question: (club: Club) => Promise<readonly Answer[]>,
  expected: readonly Answer[],
  over = '',
): Promise<void> {
  const [warm, cold] = [await openClub(t, { over }), await openClub(t, { over })];
  const find = t.mock.method(ProvenHeaders.prototype, 'find');
  for (const known of [undefined, warm.client.id]) {
    assert.deepEqual(plain(await askTokens(warm, partnerToken)), letIn);
    assert.equal(find.mock.calls.at(-1)?.result?.id, known);
  }
  assert.deepEqual((await question(warm)).map(plain), expected, 'known');
  assert.deepEqual((await question(cold)).map(plain), expected, 'never seen');
}

test('G-17: a wrong secret after the right one is wrong, and the right one right', async (t) => {
  await sameAnswers(
    t,
    async (club) => [
      await askTokens(club, partnerToken, basic(`${club.client.id}:wrong`)),
      await askTokens(club, partnerToken, basic(`partnerapi-99999:${club.client.secret}`)),
      await askTokens(club, partnerToken),
    ],
    [unknownClient, unknownClient, letIn],
  );
});

test('G-17 C-5: a secret that was replaced is refused at once, and good again when it is put back', async (t) => {
  await sameAnswers(
    t,
    async (club) => {
      const answers: Answer[] = [];
      const send = async (headers?: Readonly<Record<string, string>>): Promise<void> => {
        answers.push(await askTokens(club, partnerToken, headers));
      };
      const createdAt = club.clock.now();
      const [next, last] = ['next', club.client.secret].map((secret) => ({
        digest: club.keyring.secretDigest(secret),
        createdAt,
      }));
      await changeClient(club, () => ({ secrets: [next, last].flatMap((one) => one ?? []) }));
      await send();
      await send(basic(`${club.client.id}:next`));
      await changeClient(club, () => ({ secrets: next === undefined ? [] : [next] }));
      await send();
      await send();
      await send(basic(`${club.client.id}:next`));
      await changeClient(club, () => ({ secrets: last === undefined ? [] : [last] }));
      await send();
      await send(basic(`${club.client.id}:next`));
      return answers;
    },
    [letIn, letIn, unknownClient, unknownClient, letIn, letIn, unknownClient],
  );
});

test('G-17: a secret is refused from the moment it expires', async (t) => {
  await sameAnswers(
    t,
    async (club) => {
      const expiresAt = after(club.clock.now(), milliseconds(10_000));
      await changeClient(club, ({ secrets }) => ({
        secrets: secrets.map((secret) => ({ ...secret, expiresAt })),
      }));
      club.clock.advance(9);
      const last = await askTokens(club, partnerToken);
      club.clock.advance(1);
      return [last, await askTokens(club, partnerToken), await askTokens(club, partnerToken)];
    },
    [letIn, unknownClient, unknownClient],
  );
});

test('G-17: a disabled client is refused until it is enabled, a removed one for good', async (t) => {
  await sameAnswers(
    t,
    async (club) => {
      await changeClient(club, () => ({ status: 'disabled' }));
      const disabled = await askTokens(club, partnerToken);
      await changeClient(club, () => ({ status: 'active' }));
      const enabled = await askTokens(club, partnerToken);
      await club.store.remove('client', programme, club.client.id as ClientId, club.clock.now());
      return [disabled, enabled, await askTokens(club, partnerToken)];
    },
    [unknownClient, letIn, unknownClient],
  );
});

test('HOSTILE 42: a retired secret counts as a wrong one, from the first request on', async (t) => {
  const throttled = refused(429, { error: 'too_many_tokens' }, { 'retry-after': '10' });
  await sameAnswers(
    t,
    async (club) => {
      await changeClient(club, () => ({
        secrets: [{ digest: club.keyring.secretDigest('next'), createdAt: club.clock.now() }],
      }));
      const answers: Answer[] = [];
      for (let sent = 0; sent < 4; sent += 1) answers.push(await askTokens(club, partnerToken));
      return [...answers, await askTokens(club, partnerToken, basic(`${club.client.id}:next`))];
    },
    [unknownClient, unknownClient, unknownClient, throttled, letIn],
    'client: { authentication: { failure_limit: { limit: 3, window: 10s } } }',
  );
});

test('HOSTILE 38 C-8: a known header is spared no check that comes before its decoding', async (t) => {
  const both = {
    error: 'invalid_request',
    error_description: 'more than one authentication method was used',
  };
  const twice = { error: 'invalid_request', error_description: 'grant_type is repeated' };
  await sameAnswers(
    t,
    async (club) => {
      const { basic: right, secret } = club.client;
      const token = right.slice('Basic '.length);
      const answers = [
        // HOSTILE 41: a second way to authenticate.
        await askTokens(club, { ...partnerToken, client_secret: secret }),
        await askTokens(club, [...Object.entries(partnerToken), ...Object.entries(partnerToken)]),
      ];
      for (const authorization of [
        [right, right],
        [right, 'Basic eDp5'],
        ['Bearer x', right],
      ]) {
        const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
        const body = new URLSearchParams(partnerToken).toString();
        answers.push(await ask(club.url, paths.grant, { method: 'POST', headers, body }));
      }
      for (const authorization of [
        token,
        `Bearer ${token}`,
        `Basic${token}`,
        `Basic\t${token}`,
        `Basic ${token} x`,
        `Basic ${token}!`,
        `Basic ${' '.repeat(4096)}${token}`,
        `basic  ${token}`,
        `BASIC ${token}`,
      ]) {
        answers.push(await askTokens(club, partnerToken, { authorization }));
      }
      return answers;
    },
    [
      refused(400, both),
      refused(400, twice),
      ...Array.from({ length: 10 }, () => unreadable),
      letIn,
      letIn,
    ],
  );
});

test('HOSTILE 39: a header of two readings stays good while either of them is', async (t) => {
  const club = await openClub(t);
  const { id } = club.client;
  const headers = basic(`${id}:a%41b`);
  const createdAt = club.clock.now();
  for (const secret of ['a%41b', 'aAb', 'a%41b']) {
    await changeClient(club, () => ({
      secrets: [{ digest: club.keyring.secretDigest(secret), createdAt }],
    }));
    for (let sent = 0; sent < 2; sent += 1) {
      assert.deepEqual(plain(await askTokens(club, partnerToken, headers)), letIn, secret);
    }
  }
  await changeClient(club, () => ({
    secrets: [{ digest: club.keyring.secretDigest('aab'), createdAt }],
  }));
  assert.deepEqual(await askTokens(club, partnerToken, headers), unknownClient);
});

test('HOSTILE 39: what a header proved at one programme is nothing to another', async (t) => {
  const encoded = (credentials: string): string =>
    `client: { authentication: { credentials: ${credentials} } }`;
  const jetway = await startJetway(t, {
    programmes: {
      [programme]: shippedProgramme(programme, encoded('raw')),
      'gold-club': shippedProgramme(programme, encoded('form'), 'base_path: /gold-club'),
    },
  });
  const { id } = await jetway.addClient({ secret: 'a%41b' });
  await jetway.addClient({ id, secret: 'a%41b', programme: 'gold-club' });
  const asked = async (base: string, secret: string): Promise<Answer> =>
    plain(await post(jetway.url, `/${base}/api/grant`, partnerToken, basic(`${id}:${secret}`)));
  for (let sent = 0; sent < 2; sent += 1) {
    assert.deepEqual(await asked(programme, 'a%41b'), letIn);
    assert.deepEqual(await asked('gold-club', 'a%41b'), unknownClient);
    assert.deepEqual(await asked('gold-club', 'a%2541b'), letIn);
    assert.deepEqual(await asked(programme, 'a%2541b'), unknownClient);
  }
});

test('G-17: a gateway is let in and refused as it would be unseen, and a client beside it', async (t) => {
  const club = await openClub(t, { over: managed });
  const { basic: client } = club.client;
  const gateway = await addGateway(club, programme);
  const asked = (authorization: string): Promise<Answer> =>
    introspect(club, programme, authorization, 'x');
  const switchTo = (status: 'active' | 'disabled'): Promise<unknown> =>
    club.store.change('gateway', programme, 'gateway-1' as GatewayId, (one) => ({
      ...one,
      status,
    }));
  for (let sent = 0; sent < 2; sent += 1) {
    assert.deepEqual(await asked(client), inactive);
    assert.deepEqual(await asked(gateway), inactive);
    assert.deepEqual(await revoke(club, programme, client, 'x'), given);
    // Known for a gateway's, it is no client's.
    assert.deepEqual(await revoke(club, programme, gateway, 'x'), unknownClient);
    assert.deepEqual(await asked(gateway), inactive);
    await switchTo('disabled');
    assert.deepEqual(await asked(gateway), unknownClient);
    await switchTo('active');
  }
});

test('HOSTILE 38: a header known where one scheme is taken is not where another one is', async (t) => {
  const over = `client: { authentication: { methods: [bare_basic] } }\n${managed}`;
  const club = await openClub(t, { over });
  const { basic: withScheme } = club.client;
  const bare = withScheme.slice('Basic '.length);
  for (let sent = 0; sent < 2; sent += 1) {
    assert.deepEqual(await introspect(club, programme, withScheme, 'x'), inactive);
    const refusal = await askTokens(club, partnerToken, { authorization: withScheme });
    assert.deepEqual(refusal, unreadable);
    const answer = await askTokens(club, partnerToken, { authorization: bare });
    assert.deepEqual(plain(answer), letIn);
  }
});
