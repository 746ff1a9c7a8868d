// Owns the promise of the demo's gateway: it asks for what the tokens of the demo are good for.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeGuide } from '../../../src/contract/partner/guide.ts';
import { verifyRequest } from '../../../src/http/demo/demo.ts';
import { programmeOf } from '../../support/definition.ts';

const base = 'http://127.0.0.1:8080';

function askedIn(file: string): readonly string[] {
  const programme = programmeOf(file);
  const { client } = makeGuide(programme, base).by;
  const demo = {
    programme,
    dialect: 'a variant',
    by: { client, secret: 'a secret', apiKey: 'a key' },
    redirectUri: `${base}/cb`,
    member: { username: 'demo', password: 'a password' },
    base,
  };
  const paths = (['member', 'client'] as const).map(
    (mode) => verifyRequest(demo, mode, { token: 'a token' }).path,
  );
  return [...paths, verifyRequest(demo, 'none').path].map((path) => path.replace(/.*verify./, ''));
}

test('HOSTILE 35: the demo’s gateway names the API that every token is for', () => {
  const resources = 'resources: ["https://orders.example.com/"]\n';
  const atLogin = 'authorize: { endpoint: { inputs: { resource: { required: true } } } }\n';
  const named = 'audience=https%3A%2F%2Forders.example.com%2F';
  const tokens = (keys: string): string =>
    `token_endpoints: { grant: { inputs: { resource: { ${keys} } } } }\n`;
  assert.deepEqual(askedIn(''), ['member', 'client', 'none']);
  assert.deepEqual(askedIn(resources + tokens('')), ['member', 'client', 'none']);
  assert.deepEqual(askedIn(resources + atLogin), [`member,${named}`, 'client', 'none']);
  assert.deepEqual(askedIn(resources + tokens('required: true, must_equal: client.resource')), [
    `member,${named}`,
    `client,${named}`,
    'none',
  ]);
});
