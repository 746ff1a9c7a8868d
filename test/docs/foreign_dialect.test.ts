// Owns the check that the dialect at the end of the reference answers as the reference says.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { referencePaths } from '../../scripts/reference.ts';
import { startJetway } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { type Answer, ask } from '../support/wire.ts';

const page = readFileSync(join(import.meta.dirname, '../..', referencePaths.page), 'utf8');
const example = /^```yaml\n(?<text>[^`]*base_path:[^`]*)```\n/m.exec(page)?.groups?.['text'];
const id = 'app-0123456789abcdef';

test('a login, a code redeemed, and the same code once more', async (t) => {
  assert.ok(example);
  const jetway = await startJetway(t, { programmes: { 'harbour-hotels': example } });
  const { url, clock } = jetway;
  const { secret } = await jetway.addClient({ id });
  const member = await jetway.addMember();

  const login = await openLogin(url, `/harbour/connect?appId=${id}&response_type=code&scope=stays`);
  const { location = '' } = (await submitLogin(url, login, member)).headers;
  const authCode = new URL(location).searchParams.get('authCode') ?? '';
  assert.match(authCode, /^[A-Za-z0-9_-]{43}$/);

  const post = (fields: object): Promise<Answer> => {
    const headers = { 'content-type': 'application/json' };
    return ask(url, '/harbour/token', { method: 'POST', headers, body: JSON.stringify(fields) });
  };
  const fields = { grantType: 'login', appId: id, appKey: secret, authCode };
  const answer = await post(fields);
  const validUntil = `${new Date(clock.now() + 1_800_000).toISOString().slice(0, 19)}Z`;
  assert.equal(answer.status, 200, answer.body);
  assert.match(answer.body, /^\{"data":\{"accessToken":"[^"]+","refreshToken":"[^"]+",/);
  assert.ok(answer.body.endsWith(`,"validUntil":"${validUntil}","guest":{"level":null}}}`));

  const again = await post(fields);
  assert.deepEqual([again.status, again.body], [401, '{"errorCode":"LOGIN_AGAIN"}']);
});
