// Owns the floors a gateway can ask for, on the wire, and what a gateway is told when the service
// cannot tell: never a success, whatever the dialect.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { Unavailable } from '../../src/oauth/failure.ts';
import {
  askPartnerToken,
  openClub,
  programme,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { giveApiKey, verify } from '../support/gateway.ts';
import { startJetway } from '../support/jetway.ts';

test('G-12: level=AUTHN-LEVEL-12 lets 12 and 15 pass', async (t) => {
  const club = await openClub(t);
  const [low, middle] = [club.member, await club.addMember(ofLevel('12'))];
  const high = await club.addMember(ofLevel('15'));
  const tokens: string[] = [];
  for (const member of [low, middle, high]) {
    tokens.push((await tokensOfLogin({ ...club, member })).access_token);
  }
  const statuses = async (target: string): Promise<readonly number[]> => {
    const answers = await Promise.all(
      tokens.map((token) => verify(club, programme, target, { token })),
    );
    return answers.map(({ status }) => status);
  };
  for (const floor of ['member?level=', 'member,level=', 'member?scope=']) {
    assert.deepEqual(await statuses(`${floor}AUTHN-LEVEL-10`), [200, 200, 200]);
    assert.deepEqual(await statuses(`${floor}AUTHN-LEVEL-12`), [403, 200, 200]);
    assert.deepEqual(await statuses(`${floor}AUTHN-LEVEL-15`), [403, 403, 200]);
  }
  // What an appended path and query say can ask for more, and for nothing less.
  const [twelve, ten] = ['level=AUTHN-LEVEL-12', 'level=AUTHN-LEVEL-10'];
  assert.deepEqual(await statuses(`member,${twelve}/api/x?${ten}`), [403, 200, 200]);
  assert.deepEqual(await statuses(`member,${twelve}/api/x,${ten}?${ten}&${ten}`), [403, 200, 200]);
  assert.deepEqual(await statuses(`member,${twelve}?${ten}`), [403, 200, 200]);
  assert.deepEqual(await statuses(`member/api/x?${twelve}`), [403, 200, 200]);
  assert.deepEqual(await statuses(`member/api/x?level=upper&scope=all&%zz`), [200, 200, 200]);
});

function ofLevel(number: string): { readonly username: string; readonly level: string } {
  return { username: `member-${number}`, level: `AUTHN-LEVEL-${number}` };
}

test('a floor that cannot be held is a fault of the gateway’s, and lets nobody through', async (t) => {
  const club = await openClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  const invalid = (text: string) =>
    refused(400, { error: 'invalid_request', error_description: text });
  for (const [target, text] of [
    ['member?level=AUTHN-LEVEL-99', 'level is invalid'],
    ['member?levle=AUTHN-LEVEL-12', 'levle is not a known parameter'],
    ['member?level=AUTHN-LEVEL-12&level=AUTHN-LEVEL-10', 'level is repeated'],
    ['member,level=AUTHN-LEVEL-12,level=AUTHN-LEVEL-10/x', 'level is repeated'],
    ['member?level=%zz', 'the parameters could not be decoded'],
  ] as const) {
    assert.deepEqual(await verify(club, programme, target, { token }), invalid(text), target);
  }
});

test('G-22: when the store is away a gateway is told so, never that a token is no good', async (t) => {
  const failing = failingStore();
  const club = await openClub(t, { store: failing.store });
  const apiKey = await giveApiKey(club, programme, club.client.id);
  const { access_token: token } = await tokensOfLogin(club);
  const away = refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });
  for (const verb of ['findLogin', 'isStanding', 'find client'] as const) {
    failing.fail(verb, new Unavailable('the disk is gone'));
    assert.deepEqual(await verify(club, programme, 'member', { token }), away, verb);
    failing.heal();
  }
  failing.fail('findBy client', new Unavailable('the disk is gone'));
  assert.deepEqual(await verify(club, programme, 'none', { apiKey }), away);
  failing.fail('findBy client', new TypeError('a fault'));
  const fault = refused(500, { error: 'server_error' });
  assert.deepEqual(await verify(club, programme, 'none', { apiKey }), fault);
  failing.heal();
  assert.equal((await verify(club, programme, 'member', { token, apiKey })).status, 200);
});

test('a dialect that answers failures with 200 does not open the gate', async (t) => {
  const text = readFileSync('test/dialects/numeric-errors.yaml', 'utf8');
  const failing = failingStore();
  const { store } = failing;
  const jetway = await startJetway(t, { programmes: { 'numeric-errors': text }, store });
  const base = /^base_path: \/(\S+)$/m.exec(text)?.[1] ?? '';
  assert.notEqual(base, '');
  const statuses: number[] = [];
  for (const [target, token] of [
    ['none', undefined],
    ['member', undefined],
    ['member', 'unknown'],
    ['member?x=1', 'unknown'],
  ] as const) {
    const request = token === undefined ? {} : { token };
    statuses.push((await verify(jetway, base, target, request)).status);
  }
  failing.fail('findBy client', new Unavailable('away'));
  statuses.push((await verify(jetway, base, 'none', { apiKey: 'unknown' })).status);
  failing.fail('findBy client', new TypeError('broken'));
  statuses.push((await verify(jetway, base, 'none', { apiKey: 'unknown' })).status);
  assert.deepEqual(statuses, [401, 401, 401, 400, 503, 500]);
});

test('G-12: a client’s own token meets a floor by its own level', async (t) => {
  const club = await openClub(t);
  const answer = await askPartnerToken(club);
  const { access_token: token } = tokensIn(answer);
  const passes = await verify(club, programme, 'client?level=AUTHN-LEVEL-15', { token });
  assert.equal(passes.status, 200);
});
