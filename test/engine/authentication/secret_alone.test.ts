// Owns tests of clients that name themselves by their secret alone: who is let in, who is told what, and
// what guesses cost.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Client, ClientId } from '../../../src/oauth/client.ts';
import {
  askTokens,
  type Club,
  openClub,
  paths,
  programme,
  unknownClient,
} from '../../support/club.ts';
import { openNodes } from '../../support/nodes.ts';
import { basic, letIn, partnerToken, plain } from '../../support/partner_token.ts';
import { type Answer, post } from '../../support/wire.ts';

const over = `client: { authentication: { methods: [secret], failure_limit: { limit: 3, window: 1m } } }
token_endpoints: { grant: { inputs: { client_id: null, client_secret: { in: header, name: X-Api-Secret } } } }
introspection: { path: /introspect }
throttle: off
`;

async function ask(club: Club, secret: string): Promise<Answer> {
  return plain(await askTokens(club, partnerToken, { authorization: '', 'x-api-secret': secret }));
}

const first = { id: 'partnerapi-00001', secret: 'first-secret-0123456789' };

test('HOSTILE 40: unknown, ended and disabled cost the same, and get the same answer', async (t) => {
  const club = await openClub(t, { over });
  const { keyring, clock } = club;
  await club.addClient(first);
  const stored = (text: string, more: Partial<Client['secrets'][number]> = {}) => ({
    secrets: [{ digest: keyring.secretDigest(text), createdAt: clock.now(), ...more }],
  });
  const ended = stored('an-ended-secret-0123456789', { expiresAt: clock.now() });
  await club.addClient({ id: 'partnerapi-00002', more: ended });
  const disabled = { status: 'disabled', ...stored('a-disabled-secret-0123456789') } as const;
  await club.addClient({ id: 'partnerapi-00003', more: disabled });
  const made = t.mock.method(club.keyring, 'secretDigest');
  const cost = async (secret: string, answer: Answer): Promise<number> => {
    const before = made.mock.callCount();
    assert.deepEqual(await ask(club, secret), answer);
    return made.mock.callCount() - before;
  };
  const usual = await cost(first.secret, letIn);
  for (const secret of [
    'unknown-secret-0123456789',
    'an-ended-secret-0123456789',
    'a-disabled-secret-0123456789',
  ]) {
    assert.equal(await cost(secret, unknownClient), usual);
  }
});

test('a secret that two clients have stands for neither, until one of them has another', async (t) => {
  const club = await openClub(t, { over });
  await club.addClient(first);
  const twin = await club.addClient({ id: 'partnerapi-00002', secret: first.secret });
  assert.deepEqual(await ask(club, first.secret), unknownClient);
  await club.store.change('client', programme, twin.id as ClientId, (client) => ({
    ...client,
    status: 'disabled',
  }));
  assert.deepEqual(await ask(club, first.secret), letIn);
});

test('HOSTILE 42: past the limit wrong secrets are throttled, and a right one passes that never came before', async (t) => {
  const club = await openClub(t, { over });
  await club.addClient(first);
  const second = await club.addClient({
    id: 'partnerapi-00002',
    secret: 'second-secret-0123456789',
  });
  for (const guess of ['a', 'b', 'c']) assert.deepEqual(await ask(club, guess), unknownClient);
  const throttled = await ask(club, 'd');
  assert.equal(throttled.status, 429);
  assert.deepEqual(await ask(club, second.secret), letIn);
  assert.deepEqual(await ask(club, first.secret), letIn);
  assert.deepEqual(await ask(club, 'd'), throttled);
});

const places = {
  header: ['{ in: header, name: X-Api-Secret }', { 'x-api-secret': first.secret }, ''],
  query: ['{ in: query, name: key }', {}, `?key=${first.secret}`],
  body: ['{ in: form, name: key }', {}, ''],
} as const;

for (const [place, [input, headers, query]] of Object.entries(places)) {
  test(`HOSTILE 42: by ${place}, a restart, a reload and another node let the right secret in while wrong ones are throttled`, async (t) => {
    const text = over.replace('{ in: header, name: X-Api-Secret }', input);
    const { club, another } = await openNodes(t, text);
    await club.addClient(first);
    const send = async (node: Club, secret: string): Promise<Answer> => {
      const fields = place === 'body' ? { ...partnerToken, key: secret } : partnerToken;
      const replaced = (sent: string): string => sent.replace(first.secret, secret);
      const own = Object.entries<string>(headers).map(
        ([name, value]) => [name, replaced(value)] as const,
      );
      const target = `${paths.grant}${replaced(query)}`;
      return plain(await post(node.url, target, fields, Object.fromEntries(own)));
    };
    // A new server knows nothing but the store.
    const nodes = [club, await another(), await another(`${text}name: Reloaded\n`)];
    for (const node of nodes) {
      for (let sent = 0; sent < 3; sent += 1) await send(node, `wrong-${sent}`);
      assert.equal((await send(node, 'wrong')).status, 429);
      assert.deepEqual(await send(node, first.secret), letIn);
    }
  });
}

test('introspection and revocation find the client by its secret, where the token endpoint reads it', async (t) => {
  const club = await openClub(t, { over: `${over}revocation: { path: /revoke }\n` });
  await club.addClient(first);
  const issued = await askTokens(club, partnerToken, {
    authorization: '',
    'x-api-secret': first.secret,
  });
  const { access_token: token } = JSON.parse(issued.body) as { access_token: string };
  const manage = async (path: string, headers: Record<string, string>): Promise<unknown> => {
    const answer = await fetch(`${club.url}/executive-club${path}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ token }),
    });
    const text = await answer.text();
    return [answer.status, /"active":(\w+)/.exec(text)?.[1]];
  };
  const shown = { 'x-api-secret': first.secret };
  assert.deepEqual(await manage('/introspect', shown), [200, 'true']);
  assert.deepEqual(await manage('/introspect', { 'x-api-secret': 'x' }), [401, undefined]);
  // Gateways keep Basic; a client that has none is none there.
  assert.deepEqual(await manage('/introspect', basic('x:y')), [401, undefined]);
  assert.deepEqual(await manage('/revoke', shown), [200, undefined]);
  assert.deepEqual(await manage('/introspect', shown), [200, 'false']);
});
