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
    const alone = await jetway(scene.folder, [...levelled, '--keep-logins']);
    assert.deepEqual(
      [alone.code, alone.stderr],
      [2, '--keep-logins goes with --password-stdin: nothing else ends logins\n'],
    );
  });

  test('says what it did, and of whom there is nobody', async (t) => {
    const folder = workFolder(t, { 'programmes/other.yaml': programmeText('Other') });
    const other = add.map((word) => (word === 'club' ? 'other' : word));
    const revoke = ['token', 'revoke'];
    const [, , both, one, nobody, subject, name, none, two] = await jetwayEach(folder, [
      add,
      other,
      [...revoke, '--client', id],
      [...revoke, '--client', id, '--programme', 'club', '--json'],
      [...revoke, '--client', 'nobody', '--programme', 'club'],
      [...revoke, '--member', 'nobody'],
      [...revoke, '--username', 'nobody'],
      revoke,
      [...revoke, '--client', id, '--member', 'x'],
    ]);
    const line = (programme: string): string =>
      `${programme}: every code and token issued to client ${id} is revoked; with its secret it can get new ones\n`;
    assert.deepEqual(both, { code: 0, stdout: line('club') + line('other'), stderr: '' });
    assert.deepEqual(JSON.parse(one.stdout), [{ programme: 'club', client_id: id, subject: null }]);
    assert.deepEqual([nobody.code, nobody.stderr], [1, 'there is no client "nobody" in club\n']);
    assert.deepEqual(
      [subject.code, subject.stderr],
      [1, 'there is no member with the subject "nobody"\n'],
    );
    assert.deepEqual([name.code, name.stderr], [1, 'there is no member "nobody"\n']);
    for (const ran of [none, two]) {
      assert.deepEqual(
        [ran.code, ran.stderr],
        [2, 'name one of --client, --member and --username\n'],
      );
    }
    const store = openFileStore({ path: join(folder, 'data/jetway.db'), environment: 'staging' });
    for (const programme of ['club', 'other'] as ProgrammeId[]) {
      const issuedAt = instant(Date.now() - 60_000);
      const own = { client: id as ClientId, era: firstEra, issuedAt };
      const token = { tokenId: 'x', expiresAt: after(issuedAt, milliseconds(3_600_000)), own };
      assert.equal(await store.isStanding(programme, token), false, programme);
    }
    await store.close();
  });

  test('a member of a directory elsewhere is named by its subject, which the store need not know', async (t) => {
    const hook = 'members: { directory: http, url: "https://members.example" }';
    const folder = workFolder(t, {
      'programmes/hooked.yaml': programmeText('Hooked', hook),
      // Served by a server that was started before somebody misspelt it.
      'programmes/odd.yaml': programmeText('Odd', hook.replace('url', 'ulr')),
    });
    const addMember = ['member', 'add', '--programme', 'hooked', '--password-stdin', '--username'];
    const { stderr } = await jetway(folder, [...addMember, 'ann'], member.password);
    assert.equal(
      stderr,
      'warning: members of this programme log in by its hook (members.url): those in the store count once its directory is store\n',
    );
    const revoke = ['token', 'revoke', '--member'];
    const [text, json, faulty, other, odd] = await jetwayEach(folder, [
      [...revoke, 'airline-ann', '--programme', 'hooked'],
      [...revoke, 'airline-ann', '--programme', 'hooked', '--json'],
      [...revoke, 'airline-ann', '--json'],
      [...revoke, 'airline-ann', '--programme', 'club'],
      [...revoke, 'airline ann'],
    ]);
    assert.deepEqual(text, {
      code: 0,
      stdout:
        'hooked: every code and token of the logins of any member airline-ann that its directory may have is revoked; they can log in anew\n',
      stderr: '',
    });
    assert.deepEqual(JSON.parse(json.stdout), [
      { programme: 'hooked', client_id: null, subject: 'airline-ann' },
    ]);
    assert.deepEqual(
      JSON.parse(faulty.stdout),
      ['hooked', 'odd'].map((programme) => ({
        programme,
        client_id: null,
        subject: 'airline-ann',
      })),
    );
    assert.deepEqual([other.code, odd.code], [1, 1]);
    const store = openFileStore({ path: join(folder, 'data/jetway.db'), environment: 'staging' });
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
    const [unsure, removed, again, taken, nobody] = await jetwayEach(folder, [
      ['client', 'remove', id],
      ['client', 'remove', id, '--yes', '--json'],
      ['client', 'remove', id, '--yes'],
      add,
      ['token', 'revoke', '--client', id],
    ]);
    assert.deepEqual([unsure.code, unsure.stdout], [2, '']);
    assert.match(unsure.stderr, /could never be given out again; .*: add --yes if you mean it\n$/);
    assert.deepEqual(JSON.parse(removed.stdout), {
      client_id: id,
      programme: 'club',
      name: 'Blue',
      removed: true,
    });
    assert.equal(await status(), 401);
    assert.deepEqual([again.code, taken.code, nobody.code], [1, 1, 1]);
    assert.match(taken.stderr, /is taken in club, or was before: identifiers are given out once/);
  });
});
