// What the audit stream is told of requests: one line each, with digests for members.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { accountIdentifier, identifierDigests } from '../../../src/audit/identifiers.ts';
import type { ProgrammeId } from '../../../src/oauth/client.ts';
import { RequestRecord } from '../../../src/oauth/request_record.ts';
import { AuditObserver } from '../../../src/server/requests/audit_events.ts';
import {
  askPartnerToken,
  askTokens,
  type Club,
  codeFor,
  loginTarget,
  openClub,
  programme,
  redeem,
  refresh,
  tokensIn,
  tokensOfLogin,
} from '../../support/club.ts';
import { verify } from '../../support/gateway.ts';
import { openLogin, submitLogin } from '../../support/login.ts';
import { ask, post } from '../../support/wire.ts';

type Told = Readonly<Record<string, unknown>>;

interface Watched extends Club {
  /** What the requests since the last call are told as, without time and request id. */
  readonly told: (tellsVerification?: boolean) => readonly Told[];
  readonly texts: string[];
  readonly identify: ReturnType<typeof identifierDigests>;
}

async function watch(t: TestContext, over: string): Promise<Watched> {
  const club = await openClub(t, { over });
  const identify = identifierDigests(club.keyring);
  const texts: string[] = [];
  const told = (tellsVerification = false): readonly Told[] => {
    const from = texts.length;
    const stream = {
      putText: (text: string): void => void texts.push(text),
      put: (): void => assert.fail('nothing is left out'),
    };
    const isIdentifier = (_: ProgrammeId, text: string): boolean =>
      club.services.get(programme)?.programme.clients.isIdentifier(text) === true;
    const observer = new AuditObserver({ stream, identify, tellsVerification, isIdentifier });
    for (const record of club.records.splice(0)) observer.answered(record);
    return texts.slice(from).map((text) => {
      const { time, request, ...rest } = JSON.parse(`{${text}}`) as Told;
      assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
      assert.match(String(request), /^[0-9A-Z]{12}$/);
      return rest;
    });
  };
  return { ...club, told, texts, identify };
}

test('tokens: who got which, by what grant, and who was refused why', async (t) => {
  const club = await watch(t, 'revocation: { path: /revoke }');
  const { id: client, basic } = club.client;
  const address = club.identify('address', '127.0.0.1');
  const member = club.identify('member', club.member.subject);
  await askPartnerToken(club);
  const own = { event: 'token_issued', programme, client, grant: 'client_credentials' };
  const [issued] = club.told();
  const { scope: _scope, ...rest } = issued ?? {};
  assert.deepEqual(rest, own);
  const refused = { event: 'token_refused', programme, address };
  await askPartnerToken(club, { authorization: `Basic ${btoa(`${client}:wrong`)}` });
  await askPartnerToken(club, { authorization: `Basic ${btoa('my secret:x')}` });
  await askTokens(club, { grant_type: 'authorization_code', code: 'x'.repeat(64) });
  const reason = 'client_authentication_failed';
  assert.deepEqual(club.told(), [
    { ...refused, client, proved: false, reason },
    // A text that has not the form of an identifier may be a secret in the wrong place.
    { ...refused, reason },
    { ...refused, client, grant: 'authorization_code', reason: 'invalid_code' },
  ]);
  // A login, from its code to its end.
  const code = await codeFor(club);
  club.told();
  const first = tokensIn(await redeem(club, code));
  const second = tokensIn(await refresh(club, first.refresh_token));
  await refresh(club, first.refresh_token);
  await refresh(club, second.refresh_token);
  club.clock.advance(60);
  await refresh(club, first.refresh_token);
  const lines = club.told();
  const login = lines[0]?.['login'];
  assert.match(String(login), /^[\w-]{22}$/);
  const common = { programme, client, login };
  const used = { ...common, grant: 'refresh_token', scope: first.scope, member };
  const ended = { ...common, grant: 'refresh_token', ended: 'reused_refresh_token', address };
  const why = { ...ended, reason: 'invalid_refresh_token' };
  assert.deepEqual(lines, [
    { ...used, event: 'token_issued', grant: 'authorization_code' },
    { ...used, event: 'token_issued' },
    { ...used, event: 'token_issued', retry: true },
    { ...used, event: 'token_issued' },
    { ...why, event: 'token_refused' },
    { ...why, event: 'login_ended' },
  ]);
  await redeem(club, code);
  const replayed = club.told();
  assert.deepEqual(
    replayed.map(({ event, ended: cause, login: whose, reason: told }) => [
      event,
      cause,
      whose,
      told,
    ]),
    ['token_refused', 'login_ended'].map((event) => [
      event,
      'replayed_code',
      login,
      'invalid_code',
    ]),
  );
  // RFC 7009.
  const third = await tokensOfLogin(club);
  const [{ login: another } = {}] = club.told().slice(-1);
  for (const token of [third.access_token, third.refresh_token, 'nonsense']) {
    await post(club.url, '/executive-club/revoke', { token }, { authorization: basic });
  }
  await post(club.url, '/executive-club/revoke', { token: 'x' }, {});
  assert.deepEqual(club.told(), [
    { event: 'token_revoked', programme, client, ended: 'access_token_revoked' },
    { event: 'token_revoked', programme, client, member, login: another, ended: 'revoked' },
    { event: 'revocation_refused', programme, address, reason: 'authentication_missing' },
  ]);
});

test('logins: the right password, the wrong ones, and the one that locks', async (t) => {
  const club = await watch(t, 'login: { lockout: { attempts: 2, window: 10m, lock: 5m } }');
  const { id: client } = club.client;
  const address = club.identify('address', '127.0.0.1');
  const username = accountIdentifier(club.keyring.accountDigest('ann'));
  assert.equal(username, club.identify('username', 'ann'));
  const member = club.identify('member', club.member.subject);
  await ask(club.url, loginTarget({ id: 'nobody' }));
  const login = await openLogin(club.url, loginTarget(club.client));
  for (const password of ['wrong', 'wrong', 'wrong', 'wrong']) {
    await submitLogin(club.url, login, { username: 'Ann', password });
    club.clock.advance(1);
  }
  await submitLogin(club.url, login, { username: '', password: 'x' });
  club.clock.advance(400);
  const again = await openLogin(club.url, loginTarget(club.client));
  await submitLogin(club.url, again, club.member);
  const failed = { event: 'login_failed', programme, client, username, address };
  const locked = { ...failed, event: 'account_locked', reason: 'not_recognised' };
  const done = { programme, client, member, username };
  assert.deepEqual(club.told(), [
    { event: 'login_refused', programme, address, reason: 'unknown_client' },
    { ...failed, reason: 'not_recognised' },
    { ...failed, reason: 'not_recognised' },
    { ...failed, reason: 'not_recognised' },
    locked,
    { ...failed, reason: 'not_recognised' },
    { ...done, event: 'login_succeeded' },
    { ...done, event: 'code_issued' },
  ]);
  // HOSTILE 53.
  for (const text of [club.member.subject, club.member.password, 'ann', 'Ann', '127.0.0.1']) {
    assert.ok(!club.texts.join('\n').includes(text), text);
  }
});

test('refused questions of gateways are told where that is wanted', async (t) => {
  const club = await watch(t, '');
  const token = 'made-up';
  await verify(club, programme, 'member', { token });
  assert.deepEqual(club.told(), []);
  await verify(club, programme, 'member', { token });
  assert.deepEqual(club.told(true), [
    { event: 'verification_refused', programme, reason: 'invalid_token' },
  ]);
});

test('HOSTILE 59: refusals of one kind are told up to a number, and counted beyond it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const told: string[] = [];
  const counted: unknown[] = [];
  const observer = new AuditObserver({
    stream: {
      putText: (text) => void told.push(text),
      put: (event, facts) => void counted.push([event, facts]),
    },
    identify: (kind) => kind,
    tellsVerification: false,
    isIdentifier: () => false,
  });
  const refuse = (reason: string, times: number): void => {
    for (let time = 0; time < times; time += 1) {
      const record = new RequestRecord('POST', observer);
      record.endpoint = { kind: 'token', path: '/grant', programme };
      record.failure = { reason, facts: {} };
      record.answered(400);
    }
  };
  refuse('invalid_code', 1000);
  refuse('throttled', 5);
  assert.deepEqual([told.length, counted], [305, []]);
  t.mock.timers.tick(10_000);
  const kind = { programme, of: 'token_refused', reason: 'invalid_code', client: '' };
  assert.deepEqual(counted, [['refusals_left_out', { ...kind, count: 700 }]]);
  refuse('invalid_code', 1);
  assert.equal(told.length, 306);
});
