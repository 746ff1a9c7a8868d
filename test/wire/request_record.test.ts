// Every answer carries a request id, under which the request's record says what became of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import type { RequestRecord } from '../../src/oauth/request_record.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import {
  askPartnerToken,
  askTokens,
  type Club,
  loginTarget,
  openClub,
  paths,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { shippedProgramme } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { ask, rawExchange } from '../support/wire.ts';

const verify = '/executive-club/verify/';
const idForm = /^[0-9A-HJKMNP-TV-Z]{12}$/;

/** The values of a header in the answers to raw requests, each over a connection of its own. */
async function headerOf(club: Club, name: string, targets: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const target of targets) {
    const answer = await rawExchange(
      club.url,
      `${target.replace('\r\n', '\r\nConnection: close\r\n')}\r\n\r\n`,
    );
    found.push(new RegExp(`^${name}: (.*)\r$`, 'm').exec(answer)?.[1] ?? 'none');
  }
  return found;
}

const requests = (club: Club): readonly string[] => [
  `GET ${loginTarget(club.client)} HTTP/1.1\r\nHost: x`,
  `GET ${loginTarget({ id: 'x' })} HTTP/1.1\r\nHost: x`,
  `GET ${paths.page} HTTP/1.1\r\nHost: x`,
  `POST ${paths.grant} HTTP/1.1\r\nHost: x\r\nContent-Length: 0`,
  `POST ${paths.grant} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0`,
  `PUT ${paths.grant} HTTP/1.1\r\nHost: x`,
  `GET ${verify}member HTTP/1.1\r\nHost: x`,
];

const elsewhere = ['GET /nowhere HTTP/1.1\r\nHost: x', 'GET /a HTTP/1.1\r\nHost: a b'];

test('every answer carries an id of its own', async (t) => {
  const club = await openClub(t);
  const ids = await headerOf(club, 'X-Request-Id', [...requests(club), ...elsewhere]);
  for (const id of ids) assert.match(id, idForm);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(
    club.records.map(({ id }) => id),
    ids,
  );
});

test('a dialect names the header, or has none; neither changes answers of no programme', async (t) => {
  const named = await openClub(t, { over: 'request_id: X-Correlation-Id' });
  for (const id of await headerOf(named, 'X-Correlation-Id', requests(named))) {
    assert.match(id, idForm);
  }
  const none = new Set(await headerOf(named, 'X-Request-Id', requests(named)));
  assert.deepEqual(none, new Set(['none']));
  const silent = await openClub(t, { over: 'request_id: none' });
  assert.deepEqual(new Set(await headerOf(silent, '.*', [])), new Set());
  assert.deepEqual(new Set(await headerOf(silent, 'X-Request-Id', requests(silent))), none);
  for (const id of await headerOf(silent, 'X-Request-Id', elsewhere)) assert.match(id, idForm);
  const page = await ask(silent.url, paths.page);
  assert.doesNotMatch(page.body, /class="reference"/);
});

test('a header that answers have already is refused for the id', () => {
  const cases: readonly (readonly [name: string, words: string])[] = [
    ['X-Auth-Subject', 'answers of Jetway have this header already: name another'],
    ['Vary', 'answers of Jetway have this header already: name another'],
    ['Location', 'this header is not for a dialect to set'],
    ['X-Left', 'throttle.headers has a header of this name, too'],
    ['x-mine', 'token_response.headers has a header of this name, too'],
  ];
  for (const [name, words] of cases) {
    const text = shippedProgramme(
      'executive-club',
      'throttle: { headers: { X-Left: remaining } }',
      'token_response: { headers: { X-Mine: yes } }',
      `request_id: ${name}`,
    );
    const { faults } = loadProgramme('executive-club.yaml', text);
    const errors = faults.map(formatFault).filter((fault) => fault.includes(' error: '));
    assert.equal(errors.length, 1, `${name}: ${errors.join('\n')}`);
    assert.match(errors[0] ?? '', new RegExp(`^executive-club.yaml:\\d+:\\d+: error: ${words}$`));
  }
});

/** What a record tells, without what differs from run to run. */
function told(record: RequestRecord | undefined): object {
  assert.ok(record !== undefined);
  const { endpoint, method, status, grant, client, claimedClient, member, failure } = record;
  assert.ok(record.duration > 0 && record.startedAt > 0);
  const { kind, path, programme } = endpoint;
  const reason = failure?.reason;
  return { kind, path, programme, method, status, grant, client, claimedClient, member, reason };
}

test('the record of a token request says who asked for what, and why it was refused', async (t) => {
  const club = await openClub(t);
  const { id } = club.client;
  const base = { kind: 'token', path: paths.grant, programme: 'executive-club', method: 'POST' };
  const known = { claimedClient: id, client: id, member: undefined };
  const last = (): object => told(club.records.at(-1));
  await askPartnerToken(club);
  const own = { ...base, ...known, status: 200, grant: 'client_credentials', reason: undefined };
  assert.deepEqual(last(), own);
  await askPartnerToken(club, { authorization: `Basic ${btoa(`${id}:wrong`)}` });
  const reason = 'client_authentication_failed';
  const refused = { ...own, status: 401, grant: undefined, client: undefined, reason };
  assert.deepEqual(last(), refused);
  await askTokens(club, { grant_type: 'authorization_code', code: 'x'.repeat(64) });
  const { failure } = club.records.at(-1) ?? {};
  const answered = { ...own, grant: 'authorization_code', reason: 'invalid_code' };
  assert.deepEqual(last(), { ...answered, status: 400 });
  assert.equal(failure?.reason, 'invalid_code');
  await tokensOfLogin(club);
  const { subject } = club.member;
  const redeemed = { ...answered, status: 200, reason: undefined, member: subject };
  assert.deepEqual(last(), redeemed);
});

test('the records of a login follow it from the link to the code', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, loginTarget(club.client));
  await submitLogin(club.url, login, { ...club.member, password: 'wrong' });
  await submitLogin(club.url, login, club.member);
  const { id } = club.client;
  const page = {
    kind: 'login_page',
    path: paths.page,
    programme: 'executive-club',
    grant: undefined,
  };
  const of = (method: string, status: number, reason?: string, member?: string): object => ({
    ...page,
    method,
    status,
    client: id,
    claimedClient: undefined,
    member,
    reason,
  });
  const [first, ...others] = club.records.map(told);
  const link = { ...of('GET', 302), kind: 'login_request', path: paths.login, claimedClient: id };
  assert.deepEqual(first, link);
  assert.deepEqual(others, [
    of('GET', 200),
    of('POST', 200, 'not_recognised'),
    of('POST', 302, undefined, club.member.subject),
  ]);
});

test('the record of a verification names the client and member of the token', async (t) => {
  const club = await openClub(t);
  const { access_token: accessToken } = tokensIn(await askPartnerToken(club));
  await ask(club.url, `${verify}client/x?y=z`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  await ask(club.url, `${verify}client`);
  const facts = { programme: 'executive-club', method: 'GET', grant: undefined };
  const one = {
    ...facts,
    kind: 'verification',
    path: `${verify}*`,
    claimedClient: undefined,
  };
  const [passed, refused] = club.records.slice(-2).map(told);
  const { id: client } = club.client;
  assert.deepEqual(passed, { ...one, status: 200, client, member: undefined, reason: undefined });
  const nobody = { client: undefined, member: undefined };
  assert.deepEqual(refused, { ...one, ...nobody, status: 401, reason: 'missing_token' });
});
