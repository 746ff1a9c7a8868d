// A refresh token beside a client's own token (`grants.client_credentials.refresh_token: on`): wherever
// tokens are looked at, it and what comes from it are the client's, never a member's.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Unavailable } from '../../src/oauth/failure.ts';
import { testClock } from '../support/clock.ts';
import {
  askPartnerToken,
  type Club,
  invalidRefreshToken,
  isLive,
  jsonHeaders,
  openClub,
  programme,
  redeem,
  codeFor,
  refresh,
  refused,
  type Tokens,
  tokensIn,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { addGateway, inactive, introspect, managed, revoke, verify } from '../support/gateway.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { changeClient } from '../support/partner_token.ts';

const own = `grants:
  client_credentials: { endpoint: grant, role: partner, refresh_token: on }
  refresh_token: { endpoint: grant, role: partner }
`;

async function ownTokens(club: Club): Promise<Tokens> {
  return tokensIn(await askPartnerToken(club));
}

const subject = 'client:partnerapi-12345';

for (const format of ['opaque', 'jwt'] as const) {
  const over = [own, managed, `tokens: { access: { format: ${format} } }`];

  test(`HOSTILE 34: a client’s tokens from a refresh are its own everywhere, ${format}`, async (t) => {
    const failing = failingStore();
    const club = await openClub(t, { over, store: failing.store });
    const gateway = await addGateway(club, programme);
    await changeClient(club, () => ({ roles: ['partner'] }));
    // No member is asked for.
    failing.fail('find member', new Unavailable('the directory is away'));
    const first = await ownTokens(club);
    assert.deepEqual(first, {
      access_token: first.access_token,
      refresh_token: first.refresh_token,
      scope: 'AUTHN-LEVEL-15',
      token_type: 'bearer',
      expires_in: 1800,
      ba_refresh_expires_in: 86_400,
    });
    const second = tokensIn(await refresh(club, first.refresh_token));
    assert.deepEqual({ ...second, ...tokensOf(first) }, first);
    for (const { access_token: token } of [first, second]) {
      const { status, headers } = await verify(club, programme, 'client', { token });
      assert.deepEqual(
        [status, headers['x-auth-kind'], headers['x-auth-subject'], headers['x-auth-level']],
        [200, 'client', subject, 'AUTHN-LEVEL-15'],
      );
      assert.equal(headers['x-auth-membership-number'], '');
      assert.equal((await verify(club, programme, 'member', { token })).status, 403);
      for (const asker of [gateway, club.client.basic]) {
        const about = JSON.parse((await introspect(club, programme, asker, token)).body) as object;
        assert.equal('sub' in about && about.sub, subject);
      }
    }
    const about = await introspect(club, programme, club.client.basic, second.refresh_token);
    assert.deepEqual(about, {
      status: 200,
      headers: jsonHeaders,
      body: JSON.stringify({
        active: true,
        token_use: 'refresh_token',
        client_id: 'partnerapi-12345',
        sub: subject,
        scope: 'AUTHN-LEVEL-15',
        iss: 'https://tokens.example/executive-club',
        exp: club.clock.now() / 1000 + 86_400,
      }),
    });
    assert.deepEqual(
      club.records.map(({ member }) => member).filter((member) => member !== undefined),
      [],
    );
  });

  test(`a client’s refresh token ends all that came with it, ${format}`, async (t) => {
    const club = await openClub(t, { over });
    const { basic } = club.client;
    const [reused, revoked, left] = [
      await ownTokens(club),
      await ownTokens(club),
      await ownTokens(club),
    ];
    const next = tokensIn(await refresh(club, reused.refresh_token));
    club.clock.advance(11);
    assert.deepEqual(await refresh(club, reused.refresh_token), invalidRefreshToken);
    await revoke(club, programme, basic, revoked.refresh_token);
    for (const { access_token: token } of [reused, next, revoked]) {
      assert.equal(await isLive(club, token), false);
      assert.deepEqual(await introspect(club, programme, basic, token), inactive);
    }
    assert.deepEqual(await refresh(club, revoked.refresh_token), invalidRefreshToken);
    assert.equal(await isLive(club, left.access_token), true);
    await revoke(club, programme, basic, left.access_token);
    assert.equal(await isLive(club, left.access_token), false);
    const fresh = tokensIn(await refresh(club, left.refresh_token));
    await club.store.revoke(programme, { client: club.client.id as never });
    assert.equal(await isLive(club, fresh.access_token), false);
    assert.deepEqual(await refresh(club, fresh.refresh_token), invalidRefreshToken);
  });

  test(`HOSTILE 72: a client’s login stays the client’s under another prefix, ${format}`, async (t) => {
    const clock = testClock();
    const { store } = failingStore();
    const before = await openClub(t, { over, store, clock });
    const changed = shippedProgramme(
      programme,
      ...over,
      'tokens: { client_subject_prefix: "partner:" }',
    );
    const programmes = { [programme]: changed };
    const after: Club = { ...before, ...(await startJetway(t, { store, clock, programmes })) };
    const tokens = await ownTokens(before);
    const kinds = ['member', 'client'] as const;
    const asked = (token: string): Promise<number[]> =>
      Promise.all(
        kinds.map(async (kind) => (await verify(after, programme, kind, { token })).status),
      );
    // A JWT says the former subject.
    const isSealed = format === 'opaque';
    assert.deepEqual(await asked(tokens.access_token), isSealed ? [403, 200] : [401, 401]);
    const next = tokensIn(await refresh(after, tokens.refresh_token));
    assert.deepEqual(await asked(next.access_token), [403, 200]);
  });
}

test('a client whose role or status is gone gets no token for its refresh token', async (t) => {
  const club = await openClub(t, { over: own });
  const { refresh_token: token, access_token: access } = await ownTokens(club);
  await changeClient(club, () => ({ roles: ['member'] }));
  const denied = { error: 'invalid_grant', error_description: 'access_denied' };
  assert.deepEqual(await refresh(club, token), refused(400, denied));
  await changeClient(club, () => ({ roles: ['partner'], status: 'disabled' }));
  assert.equal((await refresh(club, token)).status, 401);
  assert.equal((await verify(club, programme, 'client', { token: access })).status, 401);
});

test('members and clients refresh at one endpoint, each its own; numbers are for members', async (t) => {
  const numbers = `members: { membership_number: { characters: digits, length: 8 } }
token_response: { fields: { number: membership_number, kind: kind, level: level } }
`;
  const club = await openClub(t, { over: [own, numbers] });
  await changeClient(club, () => ({ roles: ['partner', 'member'] }));
  const ours = tokensIn(await refresh(club, (await ownTokens(club)).refresh_token));
  const { kind, number, level } = { number: 'none', level: 'none', ...ours } as Kinds;
  assert.deepEqual([kind, number, level], ['client', 'none', 'none']);
  assert.equal((await redeem(club, await codeFor(club))).status, 400);
});

interface Kinds {
  readonly kind?: string;
  readonly number?: string;
  readonly level?: string;
}

function tokensOf({ access_token, refresh_token }: Tokens): object {
  return { access_token, refresh_token };
}

test('any grant can do without a refresh token', async (t) => {
  const off =
    'grants: { authorization_code: { endpoint: grant, role: member, refresh_token: off } }';
  const club = await openClub(t, { over: off });
  const tokens = tokensIn(await redeem(club, await codeFor(club)));
  assert.deepEqual(Object.keys(tokens), ['access_token', 'scope', 'token_type', 'expires_in']);
});
