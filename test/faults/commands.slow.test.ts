// DESIGN, "Command line": what an operator changes counts in a running server with the next request.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { jetway, jetwayJson } from '../cli/command.ts';
import {
  askTokens,
  invalidRefreshToken,
  programme,
  refresh,
  tokensIn,
  tokensOfLogin,
  unknownClient,
} from '../support/club.ts';
import { lookInto, openSite } from './site.ts';

test('DESIGN: commands count at once in every server that is running', async (t) => {
  const site = await openSite(t);
  const servers = [await site.start(), await site.start()] as const;
  const [first, second] = servers;
  const ofProgramme = ['--programme', programme];
  const run = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await jetway(site.folder, [...args, ...ofProgramme]);
    assert.equal(code, 0, stderr);
  };
  /** The answers of both servers to a token request of the partner. */
  const ask = (authorization = first.client.basic) => {
    const fields = { grant_type: 'client_credentials' };
    return Promise.all(servers.map((club) => askTokens(club, fields, { authorization })));
  };
  const { id } = first.client;

  await t.test('P-7: each has a node number of its own', () => {
    const database = lookInto(site.path);
    const rows = database.prepare('SELECT node FROM node_lease ORDER BY node').all();
    database.close();
    assert.deepEqual(
      rows.map(({ node }) => node),
      [0, 1],
    );
  });

  await t.test('a disabled client is nobody, an enabled one is who it was', async () => {
    for (const answer of await ask()) tokensIn(answer);
    await run('client', 'disable', id);
    assert.deepEqual(await ask(), [unknownClient, unknownClient]);
    await run('client', 'enable', id);
    for (const answer of await ask()) tokensIn(answer);
  });

  await t.test('HOSTILE 29: revoked tokens are dead at both', async () => {
    const [one, other] = [await tokensOfLogin(first), await tokensOfLogin(second)];
    await run('token', 'revoke', '--client', id);
    assert.deepEqual(await refresh(first, other.refresh_token), invalidRefreshToken);
    assert.deepEqual(await refresh(second, one.refresh_token), invalidRefreshToken);
  });

  await t.test(
    'a new secret is good beside the old one, and alone once that is retired',
    async () => {
      const rotated = (await jetwayJson(site.folder, [
        'client',
        'rotate-secret',
        id,
        ...ofProgramme,
      ])) as { client_secret: string };
      const basic = `Basic ${Buffer.from(`${id}:${rotated.client_secret}`).toString('base64')}`;
      for (const answer of [...(await ask(basic)), ...(await ask())]) tokensIn(answer);
      await run('client', 'retire-secret', id);
      assert.deepEqual(await ask(), [unknownClient, unknownClient]);
      for (const answer of await ask(basic)) tokensIn(answer);
    },
  );

  await t.test('C-5: a removed client is nobody for good', async () => {
    await run('client', 'remove', id, '--yes');
    assert.deepEqual(await ask(), [unknownClient, unknownClient]);
  });
});
