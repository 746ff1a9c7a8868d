// The partner-login clubs' refusals at the token endpoints, each in full (P-5, P-10, P-11, P-14).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Unavailable } from '../../src/oauth/failure.ts';
import { failureReasons } from '../../src/oauth/reasons.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { failingStore } from '../support/failing_store.ts';
import { publicUrl, shippedProgramme } from '../support/jetway.ts';
import {
  addPartner,
  codeFor,
  invalidCode,
  openPartnerClub,
  redeem,
  refused,
  secondClub,
  thirdClub,
  tokensIn,
  tooMany,
} from '../support/partner_club.ts';

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
  for (const verb of ['find client', 'findCode', 'spendCode'] as const) {
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
