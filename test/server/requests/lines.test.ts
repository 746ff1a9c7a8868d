// Which requests get a line in the log, and what the line says.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { type LogSettings, usualLog } from '../../../src/config/log_keys.ts';
import { unexpected } from '../../../src/engine/causes/trouble.ts';
import type { Cause } from '../../../src/oauth/cause.ts';
import type { ClientId, ProgrammeId } from '../../../src/oauth/client.ts';
import { type EndpointFacts, RequestRecord } from '../../../src/oauth/request_record.ts';
import { requestLines } from '../../../src/server/requests/lines.ts';
import { exportRequest } from '../../../src/server/requests/spans.ts';
import { openClub } from '../../support/club.ts';
import { post } from '../../support/wire.ts';

const programme = 'harbour' as ProgrammeId;
const token: EndpointFacts = { kind: 'token', path: '/harbour/token', programme };
const page: EndpointFacts = { kind: 'login_page', path: '/harbour/login', programme };
const verification: EndpointFacts = { kind: 'verification', path: '/harbour/verify/*', programme };
const blue = 'partnerapi-00001' as ClientId;
const invalidCode = { reason: 'invalid_code', facts: { detail: 'secret', parameter: 'secret' } };
const unknown = { reason: 'client_authentication_failed', facts: {} };

function record(facts: Partial<RequestRecord>): RequestRecord {
  const made = new RequestRecord(facts.method ?? 'POST');
  return Object.assign(made, { endpoint: token, status: 200, duration: 1.23456, ...facts });
}

const parse = (line = '{}'): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>;

interface Scene {
  readonly lines: string[];
  readonly leftOut: string[];
  /** The lines of these requests. */
  readonly of: (...records: readonly RequestRecord[]) => readonly string[];
}

function open(t: TestContext, settings: Partial<LogSettings> = {}, isHuman = false): Scene {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: Date.UTC(2026, 10, 23, 12, 30, 1, 7) });
  const [lines, leftOut]: [string[], string[]] = [[], []];
  const { observer, follow } = requestLines(
    (line) => lines.push(line) > 0,
    (kind) => leftOut.push(kind),
  );
  follow({ ...usualLog, ...settings }, isHuman, false);
  const of = (...records: readonly RequestRecord[]): readonly string[] => {
    for (const one of records) observer.answered(one);
    return lines.splice(0);
  };
  return { lines, leftOut, of };
}

test('a line of JSON says all that operators ask for', (t) => {
  const { of } = open(t);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const passed = record({
    grant: 'authorization_code',
    client: blue,
    claimedClient: blue,
    trace: { traceId, isSampled: true, isRandom: true },
  });
  const [line = ''] = of(passed);
  assert.equal(
    line,
    `{"time":"2026-11-23T12:30:01.007Z","level":"info","event":"request","request_id":"${passed.id}","programme":"harbour","endpoint":"token","path":"/harbour/token","method":"POST","grant":"authorization_code","client":"partnerapi-00001","status":200,"duration_ms":1.23,"trace_id":"${traceId}"}\n`,
  );
  const event = (facts: Partial<RequestRecord>): object => {
    const { request_id: _id, time: _time, ...rest } = parse(of(record(facts))[0]);
    return rest;
  };
  const at = { programme: 'harbour', method: 'POST', duration_ms: 1.23 };
  const tokens = { ...at, event: 'request', endpoint: 'token', path: '/harbour/token' };
  assert.deepEqual(event({ client: blue, status: 400, failure: invalidCode }), {
    ...tokens,
    level: 'info',
    client: blue,
    reason: 'invalid_code',
    step: 'arrival',
    status: 400,
  });
  const claim = { claimedClient: blue, isClaimRegistered: true };
  assert.deepEqual(event({ ...claim, status: 401, failure: unknown }), {
    ...tokens,
    level: 'info',
    claimed_client: blue,
    reason: 'client_authentication_failed',
    step: 'arrival',
    status: 401,
  });
  const broken = { reason: 'server_error', facts: {} };
  assert.deepEqual(event({ endpoint: page, status: 500, failure: broken }), {
    ...at,
    event: 'login',
    endpoint: 'login_page',
    path: '/harbour/login',
    level: 'error',
    reason: 'server_error',
    step: 'arrival',
    status: 500,
  });
});

test('a refusal is no error, in whatever status its dialect words it', (t) => {
  const { of } = open(t);
  const cause = { rule: ['own'], expected: 'store and directory that answer', came: 'none' };
  const refused = ['throttled', 'client_authentication_failed', 'temporarily_unavailable'];
  const failures: readonly (readonly [reason: string, cause: Cause, isError: boolean])[] = [
    ...refused.map((reason) => [reason, cause, false] as const),
    ['difficulties', cause, false],
    ['difficulties', unexpected, true],
    ['server_error', cause, true],
  ];
  const trace = { traceId: '0af7651916cd43dd8448eb211c80319c', isSampled: true, isRandom: true };
  for (const [reason, facts, isError] of failures) {
    const one = record({ status: 500, trace, failure: { reason, facts: { cause: facts } } });
    const [line] = of(one);
    assert.equal(parse(line)['level'], isError ? 'error' : 'info', reason);
    assert.equal(exportRequest([one], 'staging').includes('"status":{"code":2}'), isError, reason);
  }
});

test('HOSTILE 82 59: a wrong key over the limit of its address costs no line, and is counted as left out', (t) => {
  const { of, leftOut } = open(t);
  const wrong = { endpoint: verification, status: 401 };
  const failure = { reason: 'invalid_api_key', facts: {} };
  assert.equal(of(record({ ...wrong, failure })).length, 1);
  assert.deepEqual(of(record({ ...wrong, failure, isTurnedAway: true })), []);
  assert.deepEqual(leftOut, ['request harbour']);
});

test('HOSTILE 53: no text of a stranger is in a line, and that of a client is escaped', (t) => {
  for (const isHuman of [false, true]) {
    const { of } = open(t, {}, isHuman);
    t.mock.timers.reset();
    const odd = 'odd"\n\u2028\u001B[31m{"event":"forged"}' as ClientId;
    const [claimed = '', proven = ''] = of(
      record({ claimedClient: 'a secret', status: 401, failure: unknown }),
      record({ client: odd }),
    );
    assert.doesNotMatch(claimed, /secret/);
    assert.match(proven, /^[ -~]+\n$/);
    if (!isHuman) assert.equal(parse(proven)['client'], odd);
  }
});

test('a line for people is short', (t) => {
  const { of } = open(t, {}, true);
  const refused = record({
    grant: 'refresh_token',
    client: blue,
    status: 400,
    failure: invalidCode,
  });
  const time = new Date().toTimeString().slice(0, 8);
  assert.deepEqual(of(refused), [
    `${time} 400 POST /harbour/token invalid_code refresh_token by partnerapi-00001 1.23 ms ${refused.id}\n`,
  ]);
});

test('shares and level say which requests have lines; nothing is told of those that are not asked for', (t) => {
  const some = [
    record({ client: blue }),
    record({ client: blue, status: 400, failure: invalidCode }),
    record({ endpoint: verification, client: blue }),
    record({
      endpoint: verification,
      status: 401,
      failure: { reason: 'missing_token', facts: {} },
    }),
    record({ status: 500, failure: { reason: 'server_error', facts: {} } }),
  ];
  const [all, none] = [
    { passed: 1, refused: 1 },
    { passed: 0, refused: 0 },
  ];
  const cases: readonly (readonly [settings: Partial<LogSettings>, lines: readonly number[]])[] = [
    [{}, [0, 1, 3, 4]],
    [{ verify: all }, [0, 1, 2, 3, 4]],
    [{ requests: none }, [3]],
    [{ requests: { passed: 0, refused: 1 }, verify: none }, [1, 4]],
    [{ level: 'error', verify: all }, [4]],
  ];
  for (const [settings, indexes] of cases) {
    const { of, leftOut } = open(t, settings);
    const ids = of(...some).map((line) => parse(line)['request_id']);
    t.mock.timers.reset();
    assert.deepEqual(
      ids,
      indexes.map((index) => some[index]?.id),
    );
    assert.deepEqual(leftOut, []);
  }
});

test('a share is a share', (t) => {
  const { of } = open(t, { requests: { passed: 0.25, refused: 1 } });
  const draws = [0, 0.24, 0.25, 0.99];
  t.mock.method(Math, 'random', () => draws.shift() ?? 1);
  const some = draws.map(() => record({ client: blue }));
  const ids = of(...some).map((line) => parse(line)['request_id']);
  assert.deepEqual(
    ids,
    some.slice(0, 2).map(({ id }) => id),
  );
});

test('HOSTILE 59: lines that strangers cause are bounded by the second and counted; no client loses its own', (t) => {
  const { of, leftOut } = open(t);
  const failing = (reason: string, client?: ClientId): RequestRecord =>
    Object.assign(record({ status: 400, failure: { reason, facts: {} } }), { client });
  const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const red = 'partnerapi-00002' as ClientId;
  // Twenty of one reason.
  assert.equal(of(...many(30, () => failing('invalid_code'))).length, 20);
  // A hundred in all, whatever the reason.
  assert.equal(of(...many(200, (index) => failing(`reason ${index}`))).length, 80);
  assert.equal(of(record({ endpoint: page, method: 'GET', status: 200, client: blue })).length, 0);
  // Clients that have proved themselves: twenty of each that are refused, all that pass.
  assert.equal(of(...many(30, () => failing('invalid_code', blue))).length, 20);
  assert.equal(of(...many(30, () => failing('invalid_code', red))).length, 20);
  assert.equal(of(...many(300, () => record({ client: blue }))).length, 300);
  assert.equal(leftOut.length, 10 + 120 + 1 + 10 + 10);
  assert.deepEqual(new Set(leftOut), new Set(['request harbour']));
  t.mock.timers.tick(999);
  assert.equal(of(failing('invalid_code')).length, 0);
  t.mock.timers.tick(1);
  assert.equal(of(failing('invalid_code')).length, 1);
});

test('HOSTILE 59, 80: a public client is one that anybody may name: its lines are those of strangers', async (t) => {
  const club = await openClub(t, {
    over: `client: { authentication: { methods: [basic, none] } }
authorize: { pkce: required }
revocation: { path: /revoke }
token_endpoints: { grant: { inputs: { client_id: {} } } }`,
  });
  const more = { isPublic: true, secrets: [] } as const;
  await club.addClient({ id: 'partnerapi-00007', roles: ['member'], more });
  const revoke = async (headers: Record<string, string>, fields = {}): Promise<number> =>
    (await post(club.url, '/executive-club/revoke', { token: 'x', ...fields }, headers)).status;
  for (let n = 0; n < 30; n += 1) {
    assert.equal(await revoke({}, { client_id: 'partnerapi-00007' }), 200);
    assert.equal(await revoke({ authorization: club.client.basic }), 200);
  }
  const { of, leftOut } = open(t);
  const clients = of(...club.records).map((line) => parse(line)['client']);
  const told = (client: string): number => clients.filter((one) => one === client).length;
  assert.deepEqual([told('partnerapi-00007'), told(club.client.id)], [20, 30]);
  assert.equal(leftOut.length, 10);
  // What only a member can get is told, whoever asks for it.
  const member = { client: blue, isPublicClient: true, member: 'subject' } as const;
  assert.equal(of(...Array.from({ length: 300 }, () => record(member))).length, 300);
});
