// Text that is not well-formed Unicode, on the wire: refused where it comes in, before anything is spent, and
// written all the same where a store holds it already (HOSTILE 77, 78).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Club, codeFor, loginTarget, openClub, paths } from '../support/club.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { type Answer, ask } from '../support/wire.ts';

/** Answers in an encoding, with what the request, the client and the member bring. */
const answering = (encoding: string): string => `
authorize: { answer: { more: { plan: client.plan, tier: member.tier } } }
token_endpoints: { grant: { read: [form, json], inputs: { echo: {} } } }
token_response:
  encoding: ${encoding}
  headers: { Partner-Plan: { value: client.plan } }
  cookies: { tier: { value: member.tier } }
  fields: { access_token: access_token, refresh_token: refresh_token, plan: client.plan, tier: member.tier, echo: sent.echo }
errors: { fields: { error: error, error_description: null, echo: sent.echo } }
`;

function send(club: Club, body: string): Promise<Answer> {
  const { basic: authorization } = club.client;
  const headers = { authorization, 'content-type': 'application/json' };
  return ask(club.url, paths.grant, { method: 'POST', headers, body });
}

for (const encoding of ['json', 'form']) {
  test(`HOSTILE 77: such a text in a request spends nothing, with answers in ${encoding}`, async (t) => {
    const club = await openClub(t, { over: answering(encoding) });
    const code = await codeFor(club);
    const grant = `"grant_type":"authorization_code","code":"${code}"`;
    for (const bad of [String.raw`,"echo":"\ud800"`, String.raw`,"\udc00":1`]) {
      const { status, body } = await send(club, `{${grant}${bad}}`);
      assert.deepEqual([status, body], [400, '{"error":"invalid_request"}']);
    }
    const { status, body } = await send(club, String.raw`{${grant},"echo":"\ud83d\ude00"}`);
    assert.deepEqual([status, decodeURIComponent(body).includes('😀')], [200, true]);
  });

  test(`HOSTILE 77: such a text in the store is told, and the login goes on, in ${encoding}`, async (t) => {
    const club = await openClub(t, { over: answering(encoding) });
    const client = await club.addClient({
      id: 'partnerapi-54321',
      more: { properties: { plan: 'a\ud800' } },
    });
    const member = await club.addMember({ username: 'zoe', properties: { tier: '\udfffb' } });
    const login = await openLogin(club.url, loginTarget(client));
    const { status, headers } = await submitLogin(club.url, login, member);
    const { searchParams } = new URL(headers['location'] ?? `about:${status}`);
    assert.deepEqual([searchParams.get('plan'), searchParams.get('tier')], ['a\ufffd', '\ufffdb']);
    const own = { ...club, client };
    const code = searchParams.get('code') ?? '';
    const told = await send(own, JSON.stringify({ grant_type: 'authorization_code', code }));
    const read = (body: string): Record<string, string> =>
      (encoding === 'json'
        ? JSON.parse(body)
        : Object.fromEntries(new URLSearchParams(body))) as Record<string, string>;
    const { plan, tier, refresh_token } = read(told.body);
    assert.deepEqual([told.status, plan, tier], [200, 'a\ufffd', '\ufffdb']);
    assert.equal(told.headers['partner-plan'], 'a%EF%BF%BD');
    assert.match(told.headers['set-cookie'] ?? '', /^tier=%EF%BF%BDb; /);
    const next = await send(own, JSON.stringify({ grant_type: 'refresh_token', refresh_token }));
    assert.equal(next.status, 200);
  });
}

test('HOSTILE 78: the first value of a JSON body is the first, as in a form', async (t) => {
  const over = 'token_endpoints: { grant: { read: [form, json], repeated: first } }';
  const club = await openClub(t, { over });
  const code = await codeFor(club);
  const grant = '"grant_type":"authorization_code"';
  const wrong = await send(club, `{${grant},"code":"x","code":"${code}"}`);
  assert.deepEqual([wrong.status, wrong.body], [400, '{"error":"invalid_grant"}']);
  const right = await send(club, `{${grant},"code":"${code}","c\\u006fde":"x"}`);
  assert.equal(right.status, 200);
});
