// Two programmes of one variant side by side: nothing of one is worth anything at the other (C-2),
// and nobody calls the partner but the member's browser (C-7).

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import type { ProgrammeId } from '../../src/oauth/client.ts';
import {
  codeFor,
  invalidCode,
  loginTarget,
  openClub,
  redeem,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
  unknownClient,
} from '../support/club.ts';
import {
  type Jetway,
  shippedProgramme,
  startJetway,
  type TestClient,
  type TestMember,
} from '../support/jetway.ts';
import { basic, letIn, partnerToken, plain } from '../support/partner_token.ts';
import { type Answer, ask, post } from '../support/wire.ts';

const gold = `
name: Gold Club
programme_identifier: GoldClub
base_path: /gold-club
code: { lifetime: 1m }
tokens: { access: { lifetime: 5m }, refresh: { lifetime: 2h, longest: 3h } }
throttle: { limit: 2, window: 1m }
`;

/** One programme as its partner sees it. */
interface Side {
  readonly base: string;
  readonly id: ProgrammeId;
}

const executive: Side = { base: '/executive-club', id: 'executive-club' as ProgrammeId };
const golden: Side = { base: '/gold-club', id: 'gold-club' as ProgrammeId };

interface Both {
  readonly jetway: Jetway;
  readonly member: TestMember;
  /** Registered at both, with the same identifier and the same secret. */
  readonly client: TestClient;
}

async function openBoth(t: TestContext, over = ''): Promise<Both> {
  const jetway = await startJetway(t, {
    programmes: {
      [executive.id]: shippedProgramme(executive.id, over),
      [golden.id]: shippedProgramme(executive.id, gold, over),
    },
  });
  const client = await jetway.addClient({ programme: executive.id });
  await jetway.addClient({ programme: golden.id });
  const member = await jetway.addMember({ programme: executive.id });
  await jetway.addMember({ programme: golden.id });
  return { jetway, member, client };
}

function tokenRequest(
  { jetway, client }: Both,
  { base }: Side,
  fields: Readonly<Record<string, string>>,
): Promise<Answer> {
  return post(jetway.url, `${base}/api/grant`, fields, { authorization: client.basic });
}

test('C-2 G-18: each programme counts its own requests', async (t) => {
  const both = await openBoth(t);
  const statuses: number[] = [];
  for (let call = 0; call < 3; call++) {
    statuses.push((await tokenRequest(both, golden, partnerToken)).status);
  }
  assert.deepEqual(statuses, [200, 200, 429]);
  assert.equal((await tokenRequest(both, executive, partnerToken)).status, 200);
});

test('C-7: from login to refresh and refusal the service never calls the partner', async (t) => {
  const calls: string[] = [];
  const partner = createServer((request, response) => {
    calls.push(request.url ?? '');
    response.end();
  });
  partner.on('connection', () => calls.push('connection'));
  partner.listen(0, '127.0.0.1');
  await once(partner, 'listening');
  t.after(() => partner.close());
  const { port } = partner.address() as AddressInfo;
  const club = await openClub(t);
  const redirectUris = [`http://127.0.0.1:${port}/callback`];
  const client = await club.addClient({ id: 'partnerapi-00002', redirectUris });
  const calling = { ...club, client };
  const { refresh_token: token } = await tokensOfLogin(calling);
  tokensIn(await refresh(calling, token));
  assert.deepEqual(await redeem(calling, 'unknown'), invalidCode);
  const target = loginTarget(client, { response_type: 'token' });
  assert.equal(
    (await ask(club.url, target)).headers['location'],
    `${redirectUris[0]}?error=unsupported_response_type`,
  );
  assert.deepEqual(
    await redeem(calling, await codeFor(calling), { scope: 'x' }),
    refused(400, { error: 'invalid_scope' }),
  );
  // Nothing was sent; a call that was under way would arrive with the next turns of the loop.
  await setTimeout(50);
  assert.deepEqual(calls, []);
  await fetch(redirectUris[0] ?? '');
  assert.deepEqual(calls, ['connection', '/callback']);
});

test('HOSTILE 39: what a header proved at one programme is nothing to another', async (t) => {
  const encoded = (credentials: string): string =>
    `client: { authentication: { credentials: ${credentials} } }`;
  const jetway = await startJetway(t, {
    programmes: {
      [executive.id]: shippedProgramme(executive.id, encoded('raw')),
      [golden.id]: shippedProgramme(executive.id, encoded('form'), 'base_path: /gold-club'),
    },
  });
  const { id } = await jetway.addClient({ secret: 'a%41b' });
  await jetway.addClient({ id, secret: 'a%41b', programme: golden.id });
  const asked = async (base: string, secret: string): Promise<Answer> =>
    plain(await post(jetway.url, `/${base}/api/grant`, partnerToken, basic(`${id}:${secret}`)));
  for (let sent = 0; sent < 2; sent += 1) {
    assert.deepEqual(await asked(executive.id, 'a%41b'), letIn);
    assert.deepEqual(await asked(golden.id, 'a%41b'), unknownClient);
    assert.deepEqual(await asked(golden.id, 'a%2541b'), letIn);
    assert.deepEqual(await asked(executive.id, 'a%2541b'), unknownClient);
  }
});
