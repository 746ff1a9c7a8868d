// Owns two programmes that share a path with a value in it; other values in paths are in path_values.transcript.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startJetway } from '../support/jetway.ts';
import { post } from '../support/wire.ts';

const club = `variant: grant
name: Club
programme_identifier: Club
base_path: /club
token_endpoints:
  grant:
    path: /{tenant}/token
    inputs:
      tenant: { in: path, must_equal: client.tenant }
`;

test('C-2: programmes that share a path with a value in it are told apart by the selector', async (t) => {
  const shared = (name: string, isDefault: boolean): string =>
    `${club.replace('Club\n', `${name}\n`).replace('identifier: Club', `identifier: ${name}`)}      club: { in: header, name: X-Club, must_equal: programme.identifier }
authorize: { endpoint: { inputs: { club: { in: header, name: X-Club, must_equal: programme.identifier } } } }
selector: { input: club, default: ${isDefault} }
`;
  const programmes = { north: shared('North', true), south: shared('South', false) };
  const jetway = await startJetway(t, { programmes });
  const { basic: authorization } = await jetway.addClient({
    programme: 'south',
    more: { properties: { tenant: 'a' } },
  });
  const send = (named: string): ReturnType<typeof post> =>
    post(
      jetway.url,
      '/club/a/token',
      { grant_type: 'client_credentials' },
      { authorization, 'X-Club': named },
    );
  assert.equal((await send('South')).status, 200);
  assert.equal((await send('North')).status, 401);
});
