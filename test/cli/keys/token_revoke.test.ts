// Owns the promises of `token revoke` and `client remove`: a running server refuses at once.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { after, instant, milliseconds } from '../../../src/lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../../src/oauth/client.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import { firstEra } from '../../../src/store/judgement.ts';
import { openFileStore } from '../../../src/store/sqlite/store.ts';
import { aLogin, placeAt } from '../../store/fixtures.ts';
import { isRevoked } from '../../store/login.ts';
import { logIn } from '../../support/login.ts';
import { type Answer, post } from '../../support/wire.ts';
import { jetway, jetwayEach, jetwayJson, programmeText, workFolder } from '../command.ts';
import { askClientTokens, serve } from '../server.ts';

const id = 'partnerapi-00001';
const member = { username: 'ann', password: 'correct horse battery staple' };
const add = `client add --programme club --name Blue --client-id ${id} --role partner member
  --redirect-uri https://blue.example/cb`.split(/\s+/);

interface Scene {
  readonly folder: string;
  readonly url: string;
  readonly subject: string;
  readonly secret: string;
  readonly code: () => Promise<string>;
  readonly grant: (fields: Readonly<Record<string, string>>) => Promise<Answer>;
  readonly refreshToken: () => Promise<string>;
}

/** A server with a partner and a member. */
async function open(scene: Parameters<typeof workFolder>[0]): Promise<Scene> {
  const folder = workFolder(scene, { 'programmes/other.yaml': programmeText('Other') });
  const added = (await jetwayJson(folder, add)) as { client_secret: string };
  const secret = added.client_secret;
  const { subject } = (await jetwayJson(
    folder,
    'member add --programme club --username ann --password-stdin'.split(' '),
    member.password,
  )) as { subject: string };
  const url = await serve(scene, folder);
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const target = `/club/auth/login?client_id=${id}&response_type=code`;
  const code = (): Promise<string> => logIn(url, target, member);
  const grant: Scene['grant'] = (fields) => post(url, '/club/api/grant', fields, { authorization });
  const refreshToken = async (): Promise<string> => {
    const { status, body } = await grant({
      grant_type: 'authorization_code',
      code: await code(),
    });
    assert.equal(status, 200, body);
    return (JSON.parse(body) as { refresh_token: string }).refresh_token;
  };
  return { folder, url, subject, secret, code, grant, refreshToken };
}

/** Whether a code and a refresh token of a login before `revoke` are refused after it. */
async function kills(scene: Scene, revoke: readonly string[]): Promise<void> {
  const refresh_token = await scene.refreshToken();
  const code = await scene.code();
  const { code: exitCode, stderr } = await jetway(scene.folder, revoke);
  assert.deepEqual([exitCode, stderr], [0, '']);
  const refreshed = await scene.grant({ grant_type: 'refresh_token', refresh_token });
  const redeemed = await scene.grant({ grant_type: 'authorization_code', code });
  assert.deepEqual([refreshed.status, redeemed.status], [400, 400]);
  assert.equal((JSON.parse(refreshed.body) as { error: string }).error, 'invalid_grant');
}

describe('token revoke', () => {
  test("ends a client's or a member's codes and tokens at once, and new ones are good", async (t) => {
    const scene = await open(t);
    const revoke = ['token', 'revoke'];
    await kills(scene, [...revoke, '--client', id]);
    await kills(scene, [...revoke, '--member', scene.subject, '--programme', 'club']);
    await kills(scene, [...revoke, '--username', ' Ann ']);
    const refresh_token = await scene.refreshToken();
    const { status } = await scene.grant({ grant_type: 'refresh_token', refresh_token });
    assert.equal(status, 200);
  });

  test('HOSTILE 94: a new password ends the logins of its member, unless they are to be kept', async (t) => {
    const scene = await open(t);
    const set = 'member set ann --programme club --password-stdin'.split(' ');
    const statuses = async (words: readonly string[], said: string): Promise<readonly number[]> => {
      const refresh_token = await scene.refreshToken();
      const code = await scene.code();
      const ran = await jetway(scene.folder, words, `${member.password}\n`);
      assert.deepEqual([ran.code, ran.stderr], [0, said]);
      const refreshed = await scene.grant({ grant_type: 'refresh_token', refresh_token });
      const redeemed = await scene.grant({ grant_type: 'authorization_code', code });
      return [refreshed.status, redeemed.status];
    };
    const ended =
      'every code and token of its logins so far is revoked: it logs in anew, with the new password\n';
    assert.deepEqual(await statuses(set, ended), [400, 400]);
    assert.deepEqual(await statuses([...set, '--keep-logins'], ''), [200, 200]);
    const levelled = 'member set ann --programme club --level AUTHN-LEVEL-12'.split(' ');
    assert.deepEqual(await statuses(levelled, ''), [200, 200]);
  });

  test('ends those of one client in every programme, and those of one subject that the store does not know', async (t) => {
    const folder = workFolder(t, {
      'programmes/other.yaml': programmeText('Other'),
      'programmes/hooked.yaml': programmeText(
        'Hooked',
        'members: { directory: http, url: "https://members.example" }',
      ),
    });
    const revoke = ['token', 'revoke'];
    const ran = await jetwayEach(folder, [
      add,
      add.map((word) => (word === 'club' ? 'other' : word)),
      [...revoke, '--client', id],
      [...revoke, '--member', 'airline-ann', '--programme', 'hooked'],
    ]);
    assert.deepEqual(
      ran.map(({ code }) => code),
      [0, 0, 0, 0],
    );
    const store = openFileStore({ path: join(folder, 'data/jetway.db'), environment: 'staging' });
    for (const programme of ['club', 'other'] as ProgrammeId[]) {
      const issuedAt = instant(Date.now() - 60_000);
      const own = { client: id as ClientId, era: firstEra, issuedAt };
      const token = { tokenId: 'x', expiresAt: after(issuedAt, milliseconds(3_600_000)), own };
      assert.equal(await store.isStanding(programme, token), false, programme);
    }
    const logins = ['airline-ann', 'airline-bob'].map((subject, n) =>
      aLogin({
        programme: 'hooked' as ProgrammeId,
        place: placeAt(0, n),
        member: { subject: subject as Subject },
        // They began before the revocation.
        era: firstEra,
      }),
    );
    for (const login of logins) await store.startLogin(login);
    assert.deepEqual(await Promise.all(logins.map((login) => isRevoked(store, login))), [
      true,
      false,
    ]);
    await store.close();
  });
});

describe('client disable and remove', () => {
  test('count in a running server from the next request on', async (t) => {
    const scene = await open(t);
    const { folder, url, secret } = scene;
    const status = async (): Promise<number> => (await askClientTokens(url, id, secret)).status;
    assert.equal(await status(), 200);
    await jetway(folder, ['client', 'disable', id]);
    assert.equal(await status(), 401);
    await jetway(folder, ['client', 'enable', id]);
    assert.equal(await status(), 200);
    await jetway(folder, ['client', 'remove', id, '--yes']);
    assert.equal(await status(), 401);
  });
});
