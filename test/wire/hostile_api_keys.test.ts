// HOSTILE 82: wrong API keys are counted and told of, wherever a key is read; a right one always passes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';

import { expose } from '../../src/lib/metrics/exposition.ts';
import { processFamilies } from '../../src/lib/metrics/families.ts';
import { type Club, openClub, programme } from '../support/club.ts';
import { giveApiKey, passed, verify } from '../support/gateway.ts';
import { startJetway } from '../support/jetway.ts';
import { base64 } from '../support/partner_token.ts';
import { type Answer, post } from '../support/wire.ts';

const over = 'client: { authentication: { failure_limit: { limit: 3, window: 10s } } }\n';
const partnerToken = { grant_type: 'client_credentials' };

/** Wrong keys that this process has counted for a programme. */
function counted(name: string): number {
  const line = new RegExp(`^jetway_wrong_api_keys_total\\{programme="${name}"\\} (\\d+)$`, 'm');
  return Number(line.exec(expose(processFamilies(), 'text'))?.[1] ?? 0);
}

interface Scene {
  readonly club: Club;
  readonly apiKey: string;
  /** Asks a verify path, from an address by the word of who asks. */
  readonly ask: (key: string, from?: string, mode?: string) => Promise<Answer>;
  readonly right: Answer;
  /** Whether each request cost no line of the log any more. */
  readonly turnedAway: () => readonly boolean[];
}

async function openScene(t: TestContext, trustedProxies: readonly string[]): Promise<Scene> {
  const club = await openClub(t, { over, trustedProxies });
  const apiKey = await giveApiKey(club, programme, club.client.id);
  return {
    club,
    apiKey,
    ask: (key, from, mode = 'none') =>
      verify(club, programme, mode, {
        apiKey: key,
        headers: from === undefined ? {} : { 'x-forwarded-for': from },
      }),
    right: passed({ programme, kind: 'none', 'client-id': club.client.id }),
    turnedAway: () => club.records.splice(0).map(({ isTurnedAway }) => isTurnedAway),
  };
}

function expectToldOnce({ events }: Club, from: string): void {
  const told = events.splice(0).map(({ event, facts: { detail } }) => ({ event, detail }));
  const detail = `more than 3 wrong API keys within 10 s, ${from}: somebody guesses, or has an old key`;
  assert.deepEqual(told, [{ event: 'wrong_api_keys', detail }]);
}

test('HOSTILE 82: without trusted proxies wrong keys are counted and told once, and refuse nobody', async (t) => {
  const { club, apiKey, ask, right, turnedAway } = await openScene(t, []);
  const before = counted(programme);
  const wrong = await ask('wrong-0', '192.0.2.1');
  assert.equal(wrong.status, 401);
  for (let sent = 1; sent < 8; sent += 1) {
    assert.deepEqual(await ask(`wrong-${sent}`, '192.0.2.1'), wrong);
  }
  assert.equal(counted(programme), before + 8);
  assert.deepEqual(turnedAway(), Array(8).fill(false));
  expectToldOnce(club, 'without an address to count by');
  assert.deepEqual(await ask(apiKey, '192.0.2.1'), right);
  assert.equal(counted(programme), before + 8);
});

test('HOSTILE 82 58: behind a trusted proxy an address is turned away as before, and its right key passes', async (t) => {
  const { club, apiKey, ask, right, turnedAway } = await openScene(t, ['127.0.0.1/32']);
  const from = '2001:db8::1';
  const wrong = await ask('wrong-0', from);
  assert.equal(wrong.status, 401);
  for (let sent = 1; sent < 5; sent += 1) {
    assert.deepEqual(await ask(`wrong-${sent}`, `2001:db8::${sent}`), wrong);
  }
  assert.deepEqual(turnedAway(), [false, false, false, true, true]);
  expectToldOnce(club, 'from one address');
  assert.deepEqual(await ask(apiKey, from), right);
  // Its neighbours, and what the proxy says nothing of, are no part of that count.
  assert.deepEqual(await ask('wrong', '192.0.2.7'), wrong);
  for (let sent = 0; sent < 5; sent += 1) assert.deepEqual(await ask('wrong'), wrong);
  // An address of the proxies themselves is nobody's.
  for (let sent = 0; sent < 5; sent += 1) assert.deepEqual(await ask('wrong', '127.0.0.1'), wrong);
  assert.deepEqual(turnedAway(), Array(12).fill(false));
  club.clock.advance(10);
  assert.deepEqual(await ask('wrong', from), wrong);
  assert.deepEqual(turnedAway(), [false]);
});

test('HOSTILE 82: beside a floor, and at once, every wrong key is counted', async (t) => {
  const { club, apiKey, ask, right } = await openScene(t, ['127.0.0.1/32']);
  const before = counted(programme);
  const wrong = await ask('wrong', '192.0.2.1', 'none,key');
  const many = Array.from({ length: 200 }, (_, n) => ask(`wrong-${n}`, '192.0.2.1', 'none,key'));
  for (const answer of await Promise.all(many)) assert.deepEqual(answer, wrong);
  assert.equal(counted(programme), before + 201);
  assert.equal(club.records.filter(({ isTurnedAway }) => !isTurnedAway).length, 3);
  assert.deepEqual(await ask(apiKey, '192.0.2.1'), right);
});

for (const [place, input] of [
  ['header', '{ in: header, name: X-App-Key, required: true, must_equal: client.api_key }'],
  ['query', '{ in: query, name: key, required: true, must_equal: client.api_key }'],
  ['body', '{ in: form, name: key, required: true, must_equal: client.api_key }'],
] as const) {
  test(`HOSTILE 82: a dialect that reads the key from the ${place} counts wrong ones of its token endpoint`, async (t) => {
    const text = readFileSync('test/dialects/api-key-header.yaml', 'utf8')
      .replace(/app_key: \{.*\}/, `app_key: ${input}`)
      .replace(/^ +enterprise: .*\n/m, '')
      .replace('credentials: form', 'credentials: form, failure_limit: { limit: 3, window: 10s }');
    const name = `hotels-${place}`;
    const trustedProxies = ['127.0.0.1/32'];
    const jetway = await startJetway(t, { programmes: { [name]: text }, trustedProxies });
    const { id, secret } = await jetway.addClient({ id: 'hotel-partner' });
    const apiKey = await giveApiKey(jetway, name, id);
    const ask = (key: string): Promise<Answer> => {
      const where = place === 'query' ? `?key=${key}` : '';
      const fields = place === 'body' ? { ...partnerToken, key } : partnerToken;
      return post(jetway.url, `/hotels/oauth/v1/tokens${where}`, fields, {
        authorization: `Basic ${base64(`${id}:${secret}`)}`,
        'x-forwarded-for': '192.0.2.1',
        ...(place === 'header' ? { 'x-app-key': key } : {}),
      });
    };
    assert.equal((await ask(apiKey)).status, 200);
    const wrong = await ask('wrong-0');
    assert.notEqual(wrong.status, 200);
    for (let sent = 1; sent < 5; sent += 1) assert.deepEqual(await ask(`wrong-${sent}`), wrong);
    assert.equal(counted(name), 5);
    const turnedAway = jetway.records.map(({ isTurnedAway }) => isTurnedAway);
    assert.deepEqual(turnedAway, [false, false, false, false, true, true]);
    assert.equal((await ask(apiKey)).status, 200);
  });
}
