// FAULTS 36: what operators see of registered things whose rows are damaged, how they take them away, and
// that a server goes on with all others.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';

import { without } from '../support/tools.ts';
import { jetwayJson, type Ran } from './command.ts';
import { askClientTokens } from './server.ts';
import { postgresSite, storePath } from './store/postgres_site.ts';

const damaged = 'partnerapi-00001';
const sound = 'partnerapi-00002';
const words = (line: string): readonly string[] => line.split(' ');
const harm = (where: string): string =>
  `UPDATE registered SET record = replace(record, '"', '~') WHERE ${where}`;

interface Listed {
  readonly client_id: string;
  readonly username: string;
  readonly subject: string;
  readonly kid: string;
}

const names = ({ stdout }: Ran): readonly string[] =>
  (JSON.parse(stdout) as Listed[]).map((one) => one.client_id ?? one.username ?? one.kid);

describe('damaged items', { skip: without('postgres') }, () => {
  test('FAULTS 36: are told by list, hide no other, and can be removed', async (t) => {
    const site = await postgresSite(t, 'audit: { file: ./audit.log }\n');
    const { run, start, query, code, grant, refreshTokenIn, folder } = site;
    const jetway = (line: string): Promise<Ran> => run('postgres', ...words(line));
    await site.register('postgres');
    const at = ['--config', 'postgres.yaml'];
    const add = `client add --programme club --name Green --client-id ${sound} --role partner`;
    const other = (await jetwayJson(folder, [...words(add), ...at])) as { client_secret: string };
    const server = await start('postgres');
    const login = { grant_type: 'authorization_code', code: await code(server) };
    const refresh_token = refreshTokenIn(await grant(server, login));
    const refresh = { grant_type: 'refresh_token', refresh_token };
    const own = () => askClientTokens(server.url, sound, other.client_secret);
    assert.equal((await own()).status, 200);
    const [member] = JSON.parse((await jetway('member list --json')).stdout) as Listed[];
    assert.ok(member);

    await query(harm(`id IN ('${damaged}', '${member.subject}')`));
    await query('UPDATE epoch SET registrations = registrations + 1');
    const both = await Promise.all([grant(server, refresh), own()]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [503, 200],
    );
    const remedy = (kind: string, id: string): string => {
      // A subject is drawn from base64url: one that looks like an option comes behind all of them.
      const more = '--programme club --yes';
      const named = id.startsWith('-') ? `${more} -- ${id}` : `${id} ${more}`;
      return `store: the ${kind} ${id} of club is damaged: remove it (jetway ${kind} remove ${named}), or restore a backup (jetway store restore)\n`;
    };
    const listed = await jetway('client list --json');
    assert.deepEqual([listed.code, listed.stderr], [1, remedy('client', damaged)]);
    assert.deepEqual(names(listed), [sound]);
    const counted = await jetway('client list --count');
    assert.deepEqual([counted.code, counted.stdout], [1, '1\n']);
    for (const line of [`client show ${damaged}`, `client disable ${damaged}`]) {
      const told = { code: 4, stdout: '', stderr: remedy('client', damaged) };
      assert.deepEqual(await jetway(line), told);
    }
    for (const [line, stdout] of [
      ['member list --json', '[]\n'],
      ['member list', ''],
    ] as const) {
      const stderr = remedy('member', member.subject);
      assert.deepEqual(await jetway(line), { code: 1, stdout, stderr });
    }

    const gone = await jetway(`client remove ${damaged} --yes --json`);
    assert.equal(gone.stderr, '');
    assert.deepEqual(JSON.parse(gone.stdout), {
      client_id: damaged,
      programme: 'club',
      damaged: true,
      removed: true,
    });
    assert.deepEqual(await jetway('member remove ann --yes'), {
      code: 0,
      stdout: `member "${member.subject}" of club is removed with all its tokens\n`,
      stderr: '',
    });
    assert.equal((await grant(server, refresh)).status, 401);
    assert.equal((await own()).status, 200);
    const again = await jetway('client list --json');
    assert.deepEqual([again.code, again.stderr, names(again)], [0, '', [sound]]);
    // C-5: never given out again.
    const taken = await jetway(add.replace(sound, damaged));
    assert.equal(taken.code, 1);
    assert.match(taken.stderr, /is taken in club, or was before/);
    const told = readFileSync(join(folder, 'audit.log'), 'utf8').split('\n');
    const removals = told.filter((line) => line.includes('"client_removed"'));
    assert.equal(removals.length, 1);
    assert.match(removals[0] ?? '', new RegExp(`"client":"${damaged}"`));
    assert.equal(told.filter((line) => line.includes('"member_removed"')).length, 1);
  });

  test('FAULTS 36: a damaged key is told and taken away by its name, with --force', async (t) => {
    const site = await postgresSite(t);
    const { run, query } = site;
    const jetway = (line: string): Promise<Ran> => run('postgres', ...words(line));
    await site.register('postgres');
    await jetway('key rotate --now --programme club');
    await jetway('key rotate --now --programme club');
    const [first, second] = names(await jetway('key list --json'));
    assert.ok(first !== undefined && second !== undefined);
    await query(harm(`kind = 'token_key' AND id = '${first}'`));
    await query('UPDATE epoch SET registrations = registrations + 1');
    const remedy = `store: the token key ${first} of club is damaged: remove it (jetway key retire --programme club --kind token --kid ${first} --force), or restore a backup (jetway store restore)\n`;
    const listed = await jetway('key list --json');
    assert.deepEqual([listed.code, listed.stderr, names(listed)], [1, remedy, [second]]);
    const retire = `key retire --programme club --kind token --kid ${first}`;
    assert.deepEqual(await jetway(retire), { code: 4, stdout: '', stderr: remedy });
    assert.deepEqual(await jetway(`${retire} --force`), {
      code: 0,
      stdout: `club: the damaged key ${first} is removed\n`,
      stderr: '',
    });
    assert.deepEqual(names(await jetway('key list --json')), [second]);
  });

  test('FAULTS 36: a client is added with the API key that a damaged one has too', async (t) => {
    const { register, query, run } = await postgresSite(t);
    await register('postgres');
    const add = (id: string): Promise<Ran> => {
      const line = `client add --programme club --name Green --role partner --client-id ${id}`;
      return run('postgres', ...words(line), '--api-key-of', damaged, '--json');
    };
    assert.equal((await add(sound)).code, 0);
    await query(harm(`id = '${sound}'`));
    await query('UPDATE epoch SET registrations = registrations + 1');
    const ran = await add('partnerapi-00003');
    assert.deepEqual([ran.code, ran.stderr], [0, '']);
    const { client_secret } = JSON.parse(ran.stdout) as { client_secret: string };
    assert.match(client_secret, /^[\w-]{43}$/);
  });

  test('FAULTS 36: a running server that is asked tells the way out', async (t) => {
    const { register, query, run, start } = await postgresSite(t);
    await register('postgres');
    await run('postgres', 'maintenance', 'on', 'club');
    await start('postgres');
    await query(harm(`kind = 'maintenance'`));
    await query('UPDATE epoch SET registrations = registrations + 1');
    assert.deepEqual(await run('postgres', 'status'), {
      code: 1,
      stdout: '',
      stderr:
        'the server answers: store: the maintenance all of club is damaged: remove it (jetway maintenance off club), or restore a backup (jetway store restore)\n',
    });
    assert.equal((await run('postgres', 'maintenance', 'off', 'club')).code, 0);
    assert.equal((await run('postgres', 'status')).code, 0);
  });

  test('FAULTS 6: a file store that is damaged is refused by every command', async (t) => {
    const site = await postgresSite(t);
    await site.register('file');
    const path = storePath(site.folder, 'jetway.db');
    const database = new DatabaseSync(path);
    database.exec(harm(`id = '${damaged}'`));
    database.close();
    for (const line of ['client list', `client remove ${damaged} --yes`]) {
      assert.deepEqual(await site.run('file', ...words(line)), {
        code: 4,
        stdout: '',
        stderr: `store ${path} is damaged: rows do not fit their checksums: 1 of registered: restore it from a backup (jetway store restore); it was left as it is\n`,
      });
    }
  });
});
