// Two programmes of one variant side by side: nothing of one is worth anything at the other (C-2),
// and nobody calls the partner but the member's browser (C-7).

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import type { ProgrammeId } from '../../src/oauth/client.ts';
import { tokenKey } from '../../src/oauth/token_key.ts';
import {
  codeFor,
  invalidCode,
  invalidRefreshToken,
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
  publicUrl,
  shippedProgramme,
  startJetway,
  type TestClient,
  type TestMember,
} from '../support/jetway.ts';
import { logIn, openLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
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

function targetAt({ base }: Side, { id }: { readonly id: string }): string {
  return `${base}/auth/login?client_id=${id}&response_type=code`;
}

function codeAt({ jetway, member, client }: Both, side: Side): Promise<string> {
  return logIn(jetway.url, targetAt(side, client), member);
}

function tokenRequest(
  { jetway, client }: Both,
  { base }: Side,
  fields: Readonly<Record<string, string>>,
): Promise<Answer> {
  return post(jetway.url, `${base}/api/grant`, fields, { authorization: client.basic });
}

const byCode = (code: string) => ({ grant_type: 'authorization_code', code });
const byToken = (token: string) => ({ grant_type: 'refresh_token', refresh_token: token });
const partnerToken = { grant_type: 'client_credentials' };

test('C-2 HOSTILE 33: a code of one programme is worth nothing at the other', async (t) => {
  const both = await openBoth(t);
  const code = await codeAt(both, executive);
  assert.deepEqual(await tokenRequest(both, golden, byCode(code)), invalidCode);
  const tokens = tokensIn(await tokenRequest(both, executive, byCode(code)));
  // Not even as a replay: the other programme cannot revoke what was issued here.
  assert.deepEqual(await tokenRequest(both, golden, byCode(code)), invalidCode);
  tokensIn(await tokenRequest(both, executive, byToken(tokens.refresh_token)));
});

test('C-2 HOSTILE 33: nor is a refresh token, nor an access token', async (t) => {
  const both = await openBoth(t);
  const code = await codeAt(both, executive);
  const tokens = tokensIn(await tokenRequest(both, executive, byCode(code)));
  const refreshed = await tokenRequest(both, golden, byToken(tokens.refresh_token));
  assert.deepEqual(refreshed, invalidRefreshToken);
  const { store, clock } = both.jetway;
  const key = tokenKey(tokens.access_token);
  assert.equal(await store.findAccessToken(golden.id, key, clock.now()), undefined);
  assert.ok(await store.findAccessToken(executive.id, key, clock.now()));
  tokensIn(await tokenRequest(both, executive, byToken(tokens.refresh_token)));
});

test('C-2: a client is known where it was onboarded, and nowhere else', async (t) => {
  const both = await openBoth(t);
  const { jetway } = both;
  const client = await jetway.addClient({ programme: executive.id, id: 'partnerapi-77777' });
  const here = await tokenRequest({ ...both, client }, executive, partnerToken);
  assert.equal(here.status, 200);
  assert.deepEqual(await tokenRequest({ ...both, client }, golden, partnerToken), {
    ...unknownClient,
    headers: { ...unknownClient.headers, 'www-authenticate': 'Basic realm="Gold Club"' },
  });
  const page = readPage(await ask(jetway.url, targetAt(golden, client)));
  assert.deepEqual([page.status, page.title], [400, 'This login cannot start']);
});

test('C-2: a secret of the same identifier at the other programme does not open this one', async (t) => {
  const both = await openBoth(t);
  const { jetway } = both;
  const id = 'partnerapi-77777';
  const one = await jetway.addClient({ programme: executive.id, id, secret: 'of executive' });
  const other = await jetway.addClient({ programme: golden.id, id, secret: 'of gold' });
  const statusOf = async (client: TestClient, side: Side): Promise<number> =>
    (await tokenRequest({ ...both, client }, side, partnerToken)).status;
  assert.deepEqual([await statusOf(one, executive), await statusOf(one, golden)], [200, 401]);
  assert.deepEqual([await statusOf(other, executive), await statusOf(other, golden)], [401, 200]);
});

test('C-2: a login begun at one programme cannot end at the other', async (t) => {
  const both = await openBoth(t);
  const { jetway, client, member } = both;
  const login = await openLogin(jetway.url, targetAt(executive, client));
  const page = await openLogin(jetway.url, targetAt(golden, client));
  assert.equal(readPage(page.page).title, 'Log in to Executive Club');
  const moved = { ...login, action: page.action };
  const answer = await submitLogin(jetway.url, moved, member);
  assert.equal(readPage(answer).title, 'This login cannot go on');
  const outsider = await jetway.addMember({ programme: golden.id, username: 'gina' });
  const refusal = await submitLogin(jetway.url, login, outsider);
  assert.deepEqual(readPage(refusal).text, [
    'The username or password was not recognised. Please try again.',
  ]);
});

test('C-2: each programme has its own lifetimes', async (t) => {
  const both = await openBoth(t);
  const goldTokens = tokensIn(await tokenRequest(both, golden, byCode(await codeAt(both, golden))));
  assert.deepEqual([goldTokens.expires_in, goldTokens.ba_refresh_expires_in], [300, 7200]);
  const executiveTokens = tokensIn(
    await tokenRequest(both, executive, byCode(await codeAt(both, executive))),
  );
  const { expires_in: access, ba_refresh_expires_in: renewal } = executiveTokens;
  assert.deepEqual([access, renewal], [1800, 86_400]);
  const codes = [await codeAt(both, golden), await codeAt(both, executive)] as const;
  both.jetway.clock.advance(60);
  assert.deepEqual(await tokenRequest(both, golden, byCode(codes[0])), invalidCode);
  tokensIn(await tokenRequest(both, executive, byCode(codes[1])));
  both.jetway.clock.advance(7200);
  const { refresh_token: late } = goldTokens;
  assert.deepEqual(await tokenRequest(both, golden, byToken(late)), invalidRefreshToken);
  tokensIn(await tokenRequest(both, executive, byToken(executiveTokens.refresh_token)));
});

test('C-2 G-18: each programme counts its own requests', async (t) => {
  const both = await openBoth(t);
  const statuses: number[] = [];
  for (let call = 0; call < 3; call++) {
    statuses.push((await tokenRequest(both, golden, partnerToken)).status);
  }
  assert.deepEqual(statuses, [200, 200, 429]);
  assert.equal((await tokenRequest(both, executive, partnerToken)).status, 200);
});

test('C-2 HOSTILE 33: JWTs differ in issuer, audience and key', async (t) => {
  const both = await openBoth(t, 'tokens: { access: { format: jwt } }\n');
  const seen = new Map<string, unknown>();
  for (const side of [executive, golden]) {
    const tokens = tokensIn(await tokenRequest(both, side, partnerToken));
    const [header = '', payload = ''] = tokens.access_token.split('.');
    const parse = (part: string) =>
      JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, string>;
    const { iss, aud } = parse(payload);
    assert.deepEqual([iss, aud], [publicUrl + side.base, publicUrl + side.base]);
    const answer = await ask(both.jetway.url, `${side.base}/.well-known/jwks.json`);
    const { keys } = JSON.parse(answer.body) as { readonly keys: readonly { kid: string }[] };
    assert.deepEqual(
      keys.map(({ kid }) => kid),
      [parse(header)['kid']],
    );
    seen.set(keys[0]?.kid ?? '', side);
  }
  assert.equal(seen.size, 2);
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
