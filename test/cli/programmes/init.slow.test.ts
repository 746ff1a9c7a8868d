// Owns the promises of `init`, `new` and `schema`: an operator who has nothing but the executable gets
// to a running server, and to a programme of their own, by what is printed.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';

import { scratchFolder } from '../../support/scratch.ts';
import { ask } from '../../support/wire.ts';
import {
  environment,
  jetway,
  jetwayEach,
  jetwayJson,
  jetwayWith,
  root,
  workFolder,
} from '../command.ts';
import { startServer } from '../server.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

/** The commands among what `init` printed, for a shell. */
function commandsOf(printed: string): readonly string[] {
  return printed.split('\n').flatMap((line) => (/^ {2}(.*)/.exec(line) ?? []).slice(1));
}

/** What a shell prints that these lines were pasted into. */
async function paste(lines: readonly string[]): Promise<readonly [string, string]> {
  const child = spawn('sh', ['-ec', lines.join('\n')], { env: environment });
  return Promise.all([text(child.stdout), text(child.stderr)]);
}

describe('init', { concurrency: 2 }, () => {
  test('writes what ships; what it prints can be pasted, down to a server that answers', async (t) => {
    const parent = scratchFolder(t, "o'brien's ");
    const { code, stdout, stderr } = await jetwayWith(parent, {}, ['init', 'new folder']);
    assert.deepEqual([code, stderr], [0, '']);
    const folder = join(parent, 'new folder');
    assert.equal(read(join(folder, 'config.yaml')), read(join(root, 'config.example.yaml')));
    const shipped = readdirSync(join(root, 'programmes'));
    const written = readdirSync(join(folder, 'programmes'));
    assert.deepEqual(written.toSorted(), [...shipped, 'programme.schema.json'].toSorted());
    for (const name of shipped) {
      const first = name.endsWith('.yaml')
        ? '# yaml-language-server: $schema=programme.schema.json\n'
        : '';
      const [copy, original] = [folder, root].map((one) => read(join(one, 'programmes', name)));
      assert.equal(copy, first + (original ?? ''));
    }
    const commands = commandsOf(stdout);
    assert.match(commands.at(-1) ?? '', / serve$/);
    const [printed, complaints] = await paste(commands.slice(0, -1));
    assert.equal(complaints, '');
    assert.match(printed, /\d programmes, 0 errors, \d+ warnings\nClient \S+ is added to /);
    assert.match(printed, /\nmember "ann" is added to /);

    // The test's machine may have others on the ports of the example.
    const path = join(folder, 'config.yaml');
    writeFileSync(path, read(path).replaceAll(/127\.0\.0\.1:[89]0\d0$/gm, '127.0.0.1:0'));
    const server = await startServer(t, folder);
    // What the comment on admin promises is there, and nothing else is promised.
    const [, promised = ''] = /how the service is: ([^.]*)\./.exec(read(path)) ?? [];
    const names = promised.split(/, | and /);
    assert.ok(names.length > 0);
    for (const name of names) {
      assert.equal((await ask(server.admin, `/${name}`)).status, 200, name);
    }
  });

  test('writes nothing where one of its files is; a folder with others will do', async (t) => {
    const folder = scratchFolder(t, 'init');
    mkdirSync(join(folder, 'programmes'));
    writeFileSync(join(folder, 'programmes/third-club.yaml'), 'mine');
    writeFileSync(join(folder, 'config.yaml'), 'mine');
    const ran = await jetway(folder, ['init']);
    assert.deepEqual(ran, {
      code: 1,
      stdout: '',
      stderr: `${folder} has config.yaml, programmes/third-club.yaml already: name another folder; nothing is written\n`,
    });
    assert.deepEqual(readdirSync(folder).toSorted(), ['config.yaml', 'programmes']);
    assert.deepEqual(readdirSync(join(folder, 'programmes')), ['third-club.yaml']);
    rmSync(join(folder, 'programmes/third-club.yaml'));
    rmSync(join(folder, 'config.yaml'));
    writeFileSync(join(folder, 'jetway'), 'the executable itself, say');
    const { files } = (await jetwayJson(folder, ['init'])) as { files: string[] };
    assert.ok(files.length > 5);
    for (const file of files) assert.ok(existsSync(join(folder, file)), file);
  });

  test('a folder that cannot be made is refused with the reason', async (t) => {
    const folder = scratchFolder(t, 'init');
    writeFileSync(join(folder, 'file'), '');
    const advice = 'look at its folder, its permissions and the space left on the disk';
    for (const [target, path, reason] of [
      [join(folder, 'file'), join(folder, 'file'), 'EEXIST: file already exists'],
      [join(folder, 'file/below'), join(folder, 'file'), 'EEXIST: file already exists'],
      // Node's own recursive mkdir never returns below /proc.
      ['/proc/jetway/below', '/proc/jetway', 'ENOENT: no such file or directory'],
    ] as const) {
      assert.deepEqual(await jetway(folder, ['init', target]), {
        code: 1,
        stdout: '',
        stderr: `the folder ${path} cannot be made (${reason}): ${advice}\n`,
      });
    }
    assert.deepEqual(readdirSync(folder), ['file']);
  });

  test('--store names a PostgreSQL store, for which the master key is made at once', async (t) => {
    const folder = scratchFolder(t, 'shared');
    const url = 'postgres://jetway@db.example/airline';
    const made = await jetwayWith(folder, {}, ['init', '--store', url, '--json']);
    assert.deepEqual([made.code, made.stderr], [0, '']);
    assert.equal(statSync(join(folder, 'data/master.key')).mode & 0o777, 0o600);
    const written = read(join(folder, 'config.yaml'));
    assert.match(written, /^store: "postgres:\/\/jetway@db\.example\/airline"$/m);
    const { code, stdout } = await jetwayWith(folder, {}, ['check']);
    assert.equal(code, 3);
    assert.match(
      stdout,
      /config\.yaml:\d+:22: error: the password of the store postgres:\/\/jetway@db\.example:5432\/airline cannot be used: \S+data\/store\.password does not exist\n/,
    );
    writeFileSync(join(folder, 'data/store.password'), 'hunter2\n', { mode: 0o600 });
    assert.match((await jetwayWith(folder, {}, ['check'])).stdout, / 0 errors/);
    const again = ['init', 'other', '--store', 'postgres://jetway:hunter2@db.example/airline'];
    const refused = await jetwayWith(folder, {}, again);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--store: a password does not belong into the URL/);
    assert.doesNotMatch(refused.stderr, /hunter2/);
    assert.equal(existsSync(join(folder, 'other')), false);
  });
});

describe('new and schema', { concurrency: 2 }, () => {
  test('a programme of each variant is written, passes check, and finds its schema', async (t) => {
    const folder = workFolder(t);
    const lines = ['grant', 'partner-login'].flatMap((variant, index) => [
      ['new', `harbour-${index}-no`, '--variant', variant],
      ['check'],
      ['check', `programmes/harbour-${index}-no.yaml`],
    ]);
    const runs = await jetwayEach(folder, lines);
    for (const [index, { code, stdout, stderr }] of runs.entries()) {
      assert.deepEqual([code, stderr], [0, ''], `${String(lines[index])} ${stdout}`);
    }
    const [written, checked, alone] = runs;
    assert.match(written?.stdout ?? '', /^programmes\/harbour-0-no\.yaml is written: /);
    assert.match(checked?.stdout ?? '', /(?:^|\n)2 programmes, 0 errors, \d+ warnings?\n$/);
    assert.match(
      alone?.stdout ?? '',
      /(?:^|\n)1 programme, 0 errors, \d+ warnings?; no configuration was looked at: jetway check without a file does\n$/,
    );
    const [line = ''] = read(join(folder, 'programmes/harbour-1-no.yaml')).split('\n');
    const [, reference = ''] = /^# yaml-language-server: \$schema=(.*)$/.exec(line) ?? [];
    const [schema] = await jetwayEach(folder, [['schema']]);
    assert.equal(schema.stdout, read(join(root, 'docs/programme.schema.json')));
    assert.equal(schema.stdout, read(join(folder, 'programmes', reference)));
  });

  test('what is there is not written over, and what cannot be is not written', async (t) => {
    const folder = workFolder(t, {
      'programmes/squatter.yaml': read(join(workFolder(t), 'programmes/club.yaml')).replace(
        '/club',
        '/harbour',
      ),
    });
    const grant = ['--variant', 'grant'];
    const [taken, path, name, variant, mounted] = await jetwayEach(folder, [
      ['new', 'club', ...grant],
      ['new', 'sub/harbour', ...grant],
      ['new', 'Harbour', ...grant],
      ['new', 'harbour', '--variant', 'grand'],
      ['new', 'harbour', ...grant],
    ]);
    assert.deepEqual(taken, {
      code: 1,
      stdout: '',
      stderr: 'programmes/club.yaml is there already: choose another name; nothing is written\n',
    });
    assert.deepEqual([path.code, name.code, variant.code, mounted.code], [2, 2, 2, 3]);
    assert.match(name.stderr, /^a programme cannot be called "Harbour": expected lower-case /);
    assert.match(variant.stderr, /Allowed choices are grant, partner-login/);
    assert.match(mounted.stderr, /^programmes\/harbour\.yaml:\d+:\d+: error: .*squatter/);
    assert.deepEqual(readdirSync(join(folder, 'programmes')).toSorted(), [
      'club.yaml',
      'squatter.yaml',
    ]);
  });
});
