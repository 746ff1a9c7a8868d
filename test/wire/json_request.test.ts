// Token requests in JSON by clients that authenticate by parameters: which parameter is told as
// missing (RFC 6749 2.3.1), and which members are ignored (RFC 6749 3.2).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Club, openClub, paths, refused } from '../support/club.ts';
import { type Answer, ask } from '../support/wire.ts';

function dialect(methods: string, unknown: string): string {
  return `
client: { authentication: { methods: ${methods} } }
token_endpoints:
  grant:
    read: json
    unknown: ${unknown}
    inputs: { client_id: { name: key }, client_secret: { name: word } }
errors: { fields: { error_description: null, parameter: parameter } }
`;
}

function send(club: Club, members: object): Promise<Answer> {
  return ask(club.url, paths.grant, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(members),
  });
}

/** Answers to a request without credentials, with each half alone, and with both. */
async function answersTo(club: Club, more: object): Promise<Record<string, Answer>> {
  const { id: key, secret: word } = club.client;
  const grant = { grant_type: 'client_credentials', ...more };
  return {
    neither: await send(club, grant),
    identifier: await send(club, { ...grant, key }),
    secret: await send(club, { ...grant, word }),
    both: await send(club, { ...grant, key, word }),
  };
}

function missing(parameter: string): Answer {
  return refused(400, { error: 'invalid_client', parameter });
}

test('G-16: what is missing of identifier and secret is told by its own name', async (t) => {
  const over = dialect('[parameters]', 'ignore');
  const club = await openClub(t, { over });
  const { both, ...others } = await answersTo(club, {});
  assert.deepEqual(others, {
    neither: missing('key'),
    identifier: missing('word'),
    secret: missing('key'),
  });
  assert.equal(both?.status, 200);
});

test('G-16: where a header is read as well, a secret without identifier lacks the identifier', async (t) => {
  const over = dialect('[basic, parameters]', 'ignore');
  const club = await openClub(t, { over });
  const { both, ...others } = await answersTo(club, {});
  assert.deepEqual(others, {
    neither: missing('authorization'),
    identifier: missing('authorization'),
    secret: missing('key'),
  });
  assert.equal(both?.status, 200);
});

const unheardOf = { list: [1, { key: 'x' }], map: { word: {} }, part: 1.5, flag: true, none: null };

test('unknown: ignore takes members that are no input, whatever their type', async (t) => {
  const over = dialect('[parameters]', 'ignore');
  const club = await openClub(t, { over });
  const { both, neither } = await answersTo(club, unheardOf);
  assert.deepEqual(neither, missing('key'));
  assert.equal(both?.status, 200);
  for (const key of [['x'], {}, 1.5]) {
    const malformed = await send(club, { grant_type: 'client_credentials', key, word: 'x' });
    assert.deepEqual(malformed, refused(400, { error: 'invalid_request' }));
  }
});

test('unknown: refuse names a member that is no input, whatever its type', async (t) => {
  const over = dialect('[parameters]', 'refuse');
  const club = await openClub(t, { over });
  for (const [name, value] of Object.entries(unheardOf)) {
    const answer = await send(club, { grant_type: 'client_credentials', [name]: value });
    assert.deepEqual(answer, refused(400, { error: 'invalid_request', parameter: name }));
  }
});
