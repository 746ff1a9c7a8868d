// Tests of the metrics of requests: what they count, and that no caller can add series at will.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { expose } from '../../../src/lib/metrics/exposition.ts';
import { processFamilies } from '../../../src/lib/metrics/families.ts';
import { requestMetrics } from '../../../src/server/requests/metrics.ts';
import {
  askPartnerToken,
  askTokens,
  type Club,
  loginTarget,
  openClub,
  paths,
} from '../../support/club.ts';
import { openLogin, submitLogin } from '../../support/login.ts';
import { ask } from '../../support/wire.ts';

/** The series of requests that count something, without the buckets and sums of times. */
function series(club: Club): readonly string[] {
  for (const record of club.records.splice(0)) requestMetrics.answered(record);
  return expose(processFamilies(), 'text')
    .split('\n')
    .filter((line) => /^jetway_request.* [1-9]\d*$/.test(line) && !/_(bucket|sum)/.test(line))
    .toSorted();
}

test('requests and failures are counted by programme, endpoint, grant, status and reason', async (t) => {
  const club = await openClub(t);
  await askPartnerToken(club);
  await askPartnerToken(club);
  await askPartnerToken(club, { authorization: `Basic ${btoa(`${club.client.id}:wrong`)}` });
  await askTokens(club, { grant_type: 'authorization_code', code: 'x'.repeat(64) });
  const login = await openLogin(club.url, loginTarget(club.client));
  await submitLogin(club.url, login, { ...club.member, password: 'wrong' });
  await ask(club.url, '/nowhere');
  const token = 'programme="executive-club",endpoint="token"';
  const page = 'programme="executive-club",endpoint="login_page"';
  const link = 'programme="executive-club",endpoint="login_request"';
  assert.deepEqual(
    series(club),
    [
      `jetway_requests_total{${token},grant="client_credentials",status="200"} 2`,
      `jetway_requests_total{${token},status="401"} 1`,
      `jetway_requests_total{${token},grant="authorization_code",status="400"} 1`,
      `jetway_requests_total{${link},status="302"} 1`,
      `jetway_requests_total{${page},status="200"} 2`,
      'jetway_requests_total{endpoint="other",status="404"} 1',
      `jetway_request_failures_total{${token},reason="client_authentication_failed"} 1`,
      `jetway_request_failures_total{${token},grant="authorization_code",reason="invalid_code"} 1`,
      `jetway_request_failures_total{${page},reason="not_recognised"} 1`,
      'jetway_request_failures_total{endpoint="other",reason="not_found"} 1',
      `jetway_request_duration_seconds_count{${token}} 4`,
      `jetway_request_duration_seconds_count{${link}} 1`,
      `jetway_request_duration_seconds_count{${page}} 2`,
      'jetway_request_duration_seconds_count{endpoint="other"} 1',
    ].toSorted(),
  );
});

test('HOSTILE 53, 59: whatever strangers send, no label tells of it and no series is added', async (t) => {
  const club = await openClub(t);
  const strange = async (word: string): Promise<void> => {
    await ask(club.url, `/${word}`);
    await ask(club.url, `${paths.login}?client_id=${word}&${word}=${word}`);
    await ask(club.url, `/executive-club/verify/${word}`, {
      headers: { authorization: `Bearer ${word}` },
    });
    await askTokens(club, { grant_type: word, [word]: word });
    await askPartnerToken(club, { authorization: `Basic ${btoa(`${word}:${word}`)}` });
    await ask(club.url, paths.grant, { method: word.toUpperCase() });
  };
  await strange('REPORT');
  const before = series(club).length;
  for (const word of ['SEARCH', 'LINK', 'PURGE']) await strange(word);
  const after = series(club);
  assert.equal(after.length, before);
  assert.doesNotMatch(after.join('\n'), /SEARCH|LINK|PURGE|REPORT|partnerapi/i);
});

test('a failure that a sandbox was asked for counts as nothing else: no alert goes off', async (t) => {
  const club = await openClub(t, { over: 'sandbox: { header: X-Fail }' });
  const before = series(club);
  for (const reason of ['server_error', 'temporarily_unavailable', 'unheard_of']) {
    await ask(club.url, paths.grant, { method: 'POST', headers: { 'x-fail': reason } });
  }
  assert.deepEqual(series(club), before);
  const forced = expose(processFamilies(), 'text').match(/^jetway_forced_failures_total\{.*$/gm);
  assert.deepEqual(forced, [
    'jetway_forced_failures_total{programme="executive-club",endpoint="token"} 3',
  ]);
});
