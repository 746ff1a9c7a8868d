// Subjects of members and of clients stay apart when the prefix of clients changes, whatever subjects
// the store or an airline's system gives its members (C-9, HOSTILE 72).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Subject } from '../../src/oauth/member.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { findMember } from '../store/fixtures.ts';
import { testClock } from '../support/clock.ts';
import {
  askTokens,
  type Club,
  codeFor,
  loginTarget,
  openClub,
  programme,
  redeem,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { inactive, introspect, managed, verify } from '../support/gateway.ts';
import { hookMember, hookSecret, memberDirectory, password, startHook } from '../support/hook.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';

const away = refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });
const own = { grant_type: 'client_credentials' };

/** What is told of a token: status and subject, at verify and to its own partner. */
async function told(club: Club, kind: 'member' | 'client', token: string): Promise<unknown> {
  const { status, headers } = await verify(club, programme, kind, { token });
  const about = await introspect(club, programme, club.client.basic, token);
  if (status === 401) assert.deepEqual(about, inactive);
  const { sub } = JSON.parse(about.body) as { sub?: string };
  return [status, headers['x-auth-kind'], headers['x-auth-subject'], sub];
}

for (const format of ['opaque', 'jwt'] as const) {
  test(`HOSTILE 72: a member whose subject looks like a client’s by now gets no token, ${format}`, async (t) => {
    const [store, clock] = [openMemoryStore(), testClock()];
    const over = [managed, `tokens: { access: { format: ${format} } }`];
    const before = await openClub(t, { store, clock, over });
    const changed = shippedProgramme(
      programme,
      ...over,
      'tokens: { client_subject_prefix: "partner:" }',
    );
    const after: Club = {
      ...before,
      ...(await startJetway(t, { store, clock, programmes: { [programme]: changed } })),
    };
    const clientSubject = `partner:${before.client.id}`;
    const ann = await findMember(store, programme, 'ann');
    assert.ok(ann);
    await store.add('member', [{ ...ann, username: 'eve', subject: clientSubject as Subject }]);
    const eve = { ...before, member: { ...before.member, username: 'eve' } };

    const [tokens, code] = [await tokensOfLogin(eve), await codeFor(eve)];
    const others = await tokensOfLogin(before);
    const { access_token: old } = tokensIn(await askTokens(before, own));
    const passes = [200, 'member', clientSubject, clientSubject];
    assert.deepEqual(await told(before, 'member', tokens.access_token), passes);

    // Nothing of hers is good under the new prefix, and nothing is lost for when it is taken back.
    const no = [401, undefined, undefined, undefined];
    assert.deepEqual(await told(after, 'member', tokens.access_token), no);
    assert.deepEqual(await refresh(after, tokens.refresh_token), away);
    assert.deepEqual(await redeem(after, code), away);
    const login = await openLogin(after.url, loginTarget(after.client));
    assert.equal((await submitLogin(after.url, login, eve.member)).status, 503);
    const detail = after.events.map(({ event, facts }) => `${event} ${facts['detail']}`);
    assert.equal(detail.length, 3);
    for (const one of detail) {
      assert.match(
        one,
        /^unavailable .* a subject that begins as those of clients do: change tokens/,
      );
      assert.ok(!one.includes(clientSubject));
    }
    tokensIn(await redeem(before, code));
    tokensIn(await refresh(before, tokens.refresh_token));

    // A JWT of the old prefix might by now be a member's by its subject. A sealed token names its client,
    // whose subject is told by the present prefix.
    const isJwt = format === 'jwt';
    const fits = [200, 'client', clientSubject, clientSubject];
    assert.deepEqual(await told(after, 'client', old), isJwt ? no : fits);
    const { access_token: fresh } = tokensIn(await askTokens(after, own));
    assert.deepEqual(await told(after, 'client', fresh), fits);
    const former = `client:${before.client.id}`;
    const wasFit = [200, 'client', former, former];
    assert.deepEqual(await told(before, 'client', fresh), isJwt ? no : wasFit);
    const { subject } = before.member;
    assert.deepEqual(await told(after, 'member', others.access_token), [
      200,
      'member',
      subject,
      subject,
    ]);
    tokensIn(await refresh(after, others.refresh_token));
  });
}

test('HOSTILE 34 72: an airline’s system that gives a client’s subject logs nobody in', async (t) => {
  const clock = testClock();
  const members = [hookMember('ann', { subject: 'client:partnerapi-12345' }), hookMember('bea')];
  const now = () => clock.now();
  const hook = await startHook(t, memberDirectory({ secrets: [hookSecret], members, now }));
  const over = `members: { directory: http, url: "${hook.url}" }`;
  const club = await openClub(t, { over, clock, credentials: { secrets: [hookSecret] } });
  const statuses: number[] = [];
  for (const username of ['ann', 'bea']) {
    const login = await openLogin(club.url, loginTarget(club.client));
    statuses.push((await submitLogin(club.url, login, { username, password })).status);
  }
  assert.deepEqual(statuses, [503, 302]);
});
