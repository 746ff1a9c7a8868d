// CORS where a request is refused before its client is looked for, and where programmes share a path; else it
// is in cross_origin.transcript.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import { wholeProgramme } from '../../src/oauth/maintenance.ts';
import { openClub, paths } from '../support/club.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { type Answer, ask, post } from '../support/wire.ts';

const origin = 'https://app.example';
const ofPages = { isPublic: true, secrets: [], origins: [origin] } as const;

const over = `
client: { authentication: { methods: [basic, none], when_both: refuse } }
authorize: { pkce: required }
token_endpoints: { grant: { inputs: { client_id: { must_equal: client.id } } } }
userinfo: { path: /userinfo }
sandbox: { parameter: fail }
cors: on
`;

/** What a browser needs of an answer to show it to a page. */
const readers = ({ status, headers }: Answer) => [status, headers['access-control-allow-origin']];

test('maintenance and forced failures are read by pages of the client that a request names', async (t) => {
  const club = await openClub(t, { over });
  const { id } = await club.addClient({ id: 'partnerapi-00002', more: ofPages });
  const refresh = (more = {}, query = ''): Promise<Answer> =>
    post(
      club.url,
      paths.grant + query,
      { grant_type: 'refresh_token', refresh_token: 'none', client_id: id, ...more },
      { origin },
    );
  assert.deepEqual(readers(await refresh()), [400, origin]);
  assert.deepEqual(readers(await refresh({}, '?fail=server_error')), [500, origin]);
  assert.deepEqual(readers(await refresh({ client_id: club.client.id })), [401, undefined]);
  const programme = 'executive-club' as ProgrammeId;
  const [createdAt, retryAfter] = [club.clock.now(), milliseconds(60_000)];
  await club.store.add('maintenance', [{ programme, part: wholeProgramme, createdAt, retryAfter }]);
  assert.deepEqual(readers(await refresh()), [503, origin]);
  assert.deepEqual(readers(await refresh({ client_id: 'partnerapi-99999' })), [503, undefined]);
  const headers = { origin, authorization: 'Bearer none' };
  const told = await ask(club.url, '/executive-club/userinfo', { headers });
  assert.deepEqual(readers(told), [503, undefined]);
});

test('programmes that share a path by a header let pages of each ask', async (t) => {
  const shared = (name: string, more: string): string =>
    shippedProgramme(
      name,
      `base_path: /clubs
selector: { input: programme, default: ${name === 'second-club'} }
${more}`,
    );
  const browsers = `
client: { authentication: { methods: [basic, none], when_both: refuse } }
authorize: { pkce: required }
token_endpoints: { key: { inputs: { authorization: null } }, refresh: { inputs: { authorization: null } } }
cors: on`;
  const { url, addClient } = await startJetway(t, {
    programmes: {
      'second-club': shared('second-club', ''),
      'third-club': shared('third-club', browsers),
    },
  });
  await addClient({ programme: 'third-club', id: 'App1', more: ofPages });
  const asked = (from: string) =>
    ask(url, '/clubs/secure/key', {
      method: 'OPTIONS',
      headers: { origin: from, 'access-control-request-method': 'POST' },
    });
  const answer = await asked(origin);
  assert.deepEqual(readers(answer), [204, origin]);
  assert.match(answer.headers['access-control-allow-headers'] ?? '', /programme-identifier/);
  assert.deepEqual(readers(await asked('https://other.example')), [405, undefined]);
});

test('what a dialect says of Vary stays, and a request id that it does not send is not exposed', async (t) => {
  const words = `request_id: none
errors: { reasons: { invalid_refresh_token: { headers: { vary: Accept } } } }`;
  const club = await openClub(t, { over: [over, words] });
  const { id } = await club.addClient({ id: 'partnerapi-00002', more: ofPages });
  const sent = { grant_type: 'refresh_token', refresh_token: 'none', client_id: id };
  const { status, headers } = await post(club.url, paths.grant, sent, { origin });
  assert.deepEqual(
    [status, headers['vary'], headers['access-control-expose-headers']],
    [400, 'Accept, Origin', 'WWW-Authenticate, Retry-After'],
  );
});
