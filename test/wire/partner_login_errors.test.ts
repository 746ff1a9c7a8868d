// The partner-login clubs' refusals at the token endpoints, each in full (P-5, P-10, P-11, P-14).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { failureReasons, Unavailable } from '../../src/oauth/failure.ts';
import { compileProgramme } from '../../src/programme/compile.ts';
import { loadProgramme } from '../../src/programme/language/load.ts';
import { failingStore } from '../support/failing_store.ts';
import { publicUrl, shippedProgramme } from '../support/jetway.ts';
import {
  addPartner,
  askKey,
  badRequest,
  challenged,
  codeFor,
  headersOf,
  invalidCode,
  invalidScope,
  openPartnerClub,
  redeem,
  refresh,
  refused,
  secondClub,
  thirdClub,
  tokensIn,
  tooMany,
} from '../support/partner_club.ts';
import { type Answer, ask } from '../support/wire.ts';

for (const names of [secondClub, thirdClub]) {
  test(`P-5 P-11: POST alone is answered, anything else 405 with Allow, ${names.name}`, async (t) => {
    const club = await openPartnerClub(t, { names });
    const code = await codeFor(club);
    const target = `${club.paths.key}?grant_type=authorization_code&code=${code}`;
    const notAllowed = refused(405, 'invalid_request', 'Method not allowed', { allow: 'POST' });
    for (const path of [target, club.paths.refresh]) {
      for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        const answer = await ask(club.url, path, { method, headers: headersOf(club) });
        assert.deepEqual(answer, method === 'HEAD' ? { ...notAllowed, body: '' } : notAllowed);
      }
    }
    tokensIn(await redeem(club, code));
  });

  test(`P-11: grant_type and code, missing, empty and unknown, ${names.name}`, async (t) => {
    const club = await openPartnerClub(t, { names });
    const missing = (name: string): Answer => badRequest(`Missing parameter: ${name}`);
    assert.deepEqual(await askKey(club, {}), missing('grant type'));
    assert.deepEqual(await askKey(club, { grant_type: '', code: 'x' }), missing('grant type'));
    assert.deepEqual(await redeem(club, ''), missing('code'));
    assert.deepEqual(await askKey(club, { grant_type: 'authorization_code' }), missing('code'));
    assert.deepEqual(await refresh(club, ''), missing('refresh token'));
    assert.deepEqual(await refresh(club, 'x', { grant_type: '' }), missing('grant type'));
    const unsupported = refused(400, 'unsupported_grant_type', 'Unsupported grant type');
    const types = ['password', 'client_credentials', 'code', 'x', '__proto__', ' '];
    for (const type of [...types, 'AUTHORIZATION_CODE']) {
      const answer = await askKey(club, { grant_type: type, code: 'x', refresh_token: 'x' });
      assert.deepEqual(answer, unsupported, type);
    }
    const both = { grant_type: 'refresh_token', code: 'x' };
    assert.deepEqual(await askKey(club, both), missing('refresh token'));
    for (const type of ['authorization_code', 'password', 'client_credentials']) {
      const answer = await refresh(club, 'x', { grant_type: type, code: 'x' });
      assert.deepEqual(answer, unsupported, type);
    }
  });
}

test('P-11: a code that is unknown, misshapen or another partner’s', async (t) => {
  const club = await openPartnerClub(t);
  const code = await codeFor(club);
  const other = { ...club, client: await addPartner(club, { id: 'Partner2' }) };
  for (const unknown of ['x', `${code}0`, code.toLowerCase(), ` ${code}`, '\0', 'é', '<script>']) {
    assert.deepEqual(await redeem(club, unknown), invalidCode, unknown);
  }
  assert.deepEqual(await redeem(other, code), invalidCode);
  tokensIn(await redeem(club, code));
});

test('P-11: a partner that may not log members in is unauthorized', async (t) => {
  const club = await openPartnerClub(t);
  const client = await addPartner(club, { id: 'Partner2', roles: ['partner'] });
  const unauthorized = challenged(club, 'unauthorized', 'Client not authorized');
  assert.deepEqual(await redeem({ ...club, client }, 'x'), unauthorized);
  assert.deepEqual(await refresh({ ...club, client }, 'x'), unauthorized);
});

test('P-5 P-10 P-11: a scope that is unknown, malformed or two, is told with the scope', async (t) => {
  const club = await openPartnerClub(t);
  const code = await codeFor(club);
  const scopes = ['x', 'RESET_PASSWORD', 'reset_password ', 'reset_password retrieve_username'];
  for (const scope of [...scopes, 'reset_password,retrieve_username', '"\n</script>']) {
    assert.deepEqual(await redeem(club, code, { scope }), invalidScope(scope), scope);
    assert.deepEqual(await refresh(club, 'x', { scope }), invalidScope(scope), scope);
  }
  tokensIn(await redeem(club, code, { scope: '' }));
});

test('P-11 HOSTILE 32: a code gives no other scope than the login asked for', async (t) => {
  const club = await openPartnerClub(t);
  const code = await codeFor(club, { scope: 'reset_password' });
  const scope = 'retrieve_username';
  assert.deepEqual(await redeem(club, code, { scope }), invalidScope(scope));
  assert.equal(tokensIn(await redeem(club, code)).scope, 'reset_password');
});

test('P-11: a crash is 500 server_error, and says Request UnAuthorized', async (t) => {
  const failing = failingStore();
  const club = await openPartnerClub(t, { store: failing.store });
  const code = await codeFor(club);
  failing.fail('spendCode', new Error('planted'));
  const crash = refused(500, 'server_error', 'Request UnAuthorized');
  assert.deepEqual(await redeem(club, code), crash);
  failing.heal();
  tokensIn(await redeem(club, code));
  assert.deepEqual(
    club.events.map(({ event, facts }) => [event, facts['programme']]),
    [['server_error', 'second-club']],
  );
});

test('P-11: an outage of the store is 500 temporarily_unavailable with Retry-After', async (t) => {
  const failing = failingStore();
  const club = await openPartnerClub(t, { store: failing.store });
  const code = await codeFor(club);
  const away = refused(500, 'temporarily_unavailable', 'Temporarily unavailable', {
    'retry-after': '5',
  });
  for (const verb of ['findClient', 'findCode', 'spendCode'] as const) {
    failing.fail(verb, new Unavailable('the store is away'));
    assert.deepEqual(await redeem(club, code), away, verb);
    failing.heal();
  }
  tokensIn(await redeem(club, code));
});

test('P-14: nothing is throttled, until a partner is given a limit of its own', async (t) => {
  const club = await openPartnerClub(t);
  for (let batch = 0; batch < 14; batch += 1) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => redeem(club, 'x')));
    for (const answer of answers) assert.deepEqual(answer, invalidCode);
  }
  const throttle = { limit: 1, window: 60_000 };
  const slow = { ...club, client: await addPartner(club, { id: 'Slow', more: { throttle } }) };
  const code = await codeFor(slow);
  assert.deepEqual(await redeem(slow, 'x'), invalidCode);
  assert.deepEqual(await redeem(slow, code), tooMany(60));
  club.clock.advance(60);
  tokensIn(await redeem(slow, code));
});

test('P-10: every refusal is of letters and underscore, letters, digits, colon and space', () => {
  for (const { programme } of [secondClub, thirdClub]) {
    const { loaded } = loadProgramme(`${programme}.yaml`, shippedProgramme(programme));
    assert.ok(loaded);
    const compiled = compileProgramme(programme, loaded.definition, publicUrl);
    const parameters = ['grant_type', 'business-context-identifier', '<script>"é', '', undefined];
    for (const reason of failureReasons) {
      for (const parameter of parameters) {
        const facts = parameter === undefined ? {} : { parameter };
        const { status, headers, body } = compiled.renderFailure(reason, facts);
        // P-11: a 401 without a challenge is none (RFC 9110 15.5.2).
        assert.equal('WWW-Authenticate' in headers, status === 401 || status === 403, reason);
        const shape = /^\{"error":"[A-Za-z_]+","error_description":"[A-Za-z0-9: ]+"\}$/;
        assert.match(body, shape, `${reason} ${parameter}`);
      }
    }
  }
});
