// Owns the promises of dated backups in a folder (`store backup FOLDER --keep N`), and of noting that there
// is one.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { without } from '../../support/tools.ts';
import { ask } from '../../support/wire.ts';
import {
  configText,
  jetway,
  jetwayAt,
  jetwayEach,
  jetwayJson,
  jetwayWith,
  workFolder,
} from '../command.ts';
import { startServer } from '../server.ts';
import { postgresSite } from './postgres_site.ts';

const add = ['client', 'add', '--programme', 'club', '--name', 'A', '--role', 'partner'];
const backup = ['store', 'backup', 'backups', '--keep', '2'];
const form = /^jetway-\d{8}T\d{6}\.\d{3}Z\.db$/;

interface Made {
  readonly path: string;
  readonly removed: readonly string[];
  readonly left: readonly string[];
}

async function newestOf(admin: string): Promise<number | undefined> {
  const { body } = await ask(admin, '/metrics');
  const [, value] = /^jetway_newest_backup_timestamp_seconds (\S+)$/m.exec(body) ?? [];
  return value === undefined ? undefined : Number(value);
}

describe('store backup --keep', { concurrency: 2 }, () => {
  test('FAULTS 40: makes dated backups, each of them whole, and removes the oldest of its own alone', async (t) => {
    const folder = workFolder(t, {
      'other.yaml': configText.replace('jetway.db', 'other.db'),
    });
    await jetwayEach(folder, [add, [...add, '--config', 'other.yaml']]);
    const place = join(folder, 'backups');
    // Twice within a second, too.
    const first = (await jetwayJson(folder, backup)) as Made;
    assert.equal(statSync(place).mode & 0o777, 0o700);
    const other = (await jetwayJson(folder, [...backup, '--config', 'other.yaml'])) as Made;
    const foreign = [
      'notes.txt',
      'jetway-20200101T000000.000Z.db',
      'jetway-20200101T000000.000Z.db-wal',
      'jetway.db',
    ];
    for (const name of foreign) writeFileSync(join(place, name), 'somebody’s');
    mkdirSync(join(place, 'jetway-20190101T000000.000Z.db'));
    const [second, third] = [
      (await jetwayJson(folder, backup)) as Made,
      (await jetwayJson(folder, backup)) as Made,
    ];
    const nameOf = ({ path }: Made): string => path.slice(place.length + 1);
    for (const one of [first, other, second, third]) assert.match(nameOf(one), form);
    assert.deepEqual([first.removed, second.removed, third.removed], [[], [], [nameOf(first)]]);
    assert.deepEqual(third.left.toSorted(), ['jetway-20200101T000000.000Z.db', nameOf(other)]);
    const left = [...foreign, 'jetway-20190101T000000.000Z.db'];
    assert.deepEqual(
      readdirSync(place).toSorted(),
      [...left, nameOf(other), nameOf(second), nameOf(third)].toSorted(),
    );
    for (const one of [second, third]) {
      const verified = await jetway(folder, ['store', 'verify', one.path]);
      assert.equal(verified.code, 0);
    }
    const told = await jetway(folder, backup);
    assert.match(told.stdout, /^The store is backed up to backups\/jetway-\S+\.db, /);
    assert.match(told.stdout, new RegExp(`\n${nameOf(second)} is removed\\.\n`));
  });

  test('FAULTS 40: of a store that is damaged none is made, and none goes', async (t) => {
    const folder = workFolder(t);
    await jetwayEach(folder, [add, backup, backup]);
    const place = join(folder, 'backups');
    const before = readdirSync(place);
    const path = join(folder, 'data/jetway.db');
    const bytes = readFileSync(path);
    bytes.write('"name":"B"', bytes.indexOf('"name":"A"'));
    writeFileSync(path, bytes);
    const damaged = await jetway(folder, ['store', 'backup', 'backups', '--keep', '1']);
    assert.equal(damaged.code, 4);
    assert.match(damaged.stderr, /is damaged/);
    assert.deepEqual(readdirSync(place), before);
  });

  test('FAULTS 11: the new one stays when the clock was ahead, or is behind', async (t) => {
    const folder = workFolder(t);
    await jetway(folder, add);
    const place = join(folder, 'backups');
    const ahead = { ahead: 10 * 365 * 86_400 };
    const one = [...backup.slice(0, -1), '1', '--json'];
    await jetwayAt(folder, ahead, one);
    const [wrong] = readdirSync(place);
    await jetwayJson(folder, one);
    const names = readdirSync(place);
    assert.equal(names.length, 1);
    assert.notEqual(names[0], wrong);
  });

  test('leftovers of a killed backup go after a day, those of one under way stay', async (t) => {
    const folder = workFolder(t);
    await jetway(folder, add);
    const place = join(folder, 'backups');
    mkdirSync(place);
    const [old, young, foreign] = [
      'jetway-20200101T000000.000Z.db.abcDEF12.new',
      'jetway-20200102T000000.000Z.db.abcDEF12.new',
      'other.db.abcDEF12.new',
    ] as const;
    for (const name of [old, `${old}-journal`, young, foreign])
      writeFileSync(join(place, name), '');
    const dayAgo = Date.now() / 1000 - 90_000;
    for (const name of [old, `${old}-journal`, foreign])
      utimesSync(join(place, name), dayAgo, dayAgo);
    const { removed } = (await jetwayJson(folder, backup)) as Made;
    assert.deepEqual(removed.toSorted(), [old, `${old}-journal`]);
    assert.equal(readdirSync(place).length, 3);
  });

  test('wrong usage is told', async (t) => {
    const folder = workFolder(t);
    const [none, words, force, output, file] = await jetwayEach(folder, [
      ['store', 'backup', 'backups', '--keep', '0'],
      ['store', 'backup', 'backups', '--keep', 'all'],
      [...backup, '--force'],
      ['store', 'backup', '-', '--keep', '2'],
      ['store', 'backup', 'config.yaml', '--keep', '2'],
    ]);
    assert.deepEqual(
      [none, words, force, output].map(({ code, stdout }) => [code, stdout]),
      Array.from({ length: 4 }, () => [2, '']),
    );
    assert.equal(none.stderr.split('\n')[0], '--keep must be a number from 1 to 9999, not "0"');
    assert.equal(file.code, 1);
    assert.match(file.stderr, /^the backup cannot be written to config\.yaml \(E/);
  });

  test(
    'FAULTS 40: without room nothing is written and nothing removed',
    { skip: without('mount') },
    async (t) => {
      const folder = workFolder(t);
      const place = join(folder, 'backups');
      mkdirSync(place);
      await jetwayEach(folder, [add, ['store', 'backup', 'probe.db']]);
      const size = Math.ceil(statSync(join(folder, 'probe.db')).size * 1.7);
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place]);
      assert.equal(mounted.status, 0);
      await jetwayJson(folder, backup);
      const before = readdirSync(place);
      const full = await jetway(folder, ['store', 'backup', 'backups', '--keep', '1']);
      const left = readdirSync(place);
      spawnSync('umount', ['-l', place]);
      assert.equal(full.code, 1);
      assert.match(
        full.stderr,
        /^the backup cannot be written to backups \(it takes some 0\.\d MB where 0\.\d MB are free\): look at /,
      );
      assert.deepEqual(left, before);
    },
  );

  test('the age of the newest backup is a metric: 0 before the first, and after a restore', async (t) => {
    const folder = workFolder(t, {
      'config.yaml': `${configText}admin: 127.0.0.1:0\nstop_delay: 0s\n`,
    });
    await jetway(folder, add);
    const server = await startServer(t, folder);
    assert.equal(await newestOf(server.admin), 0);
    for (const command of [['store', 'backup', 'backup.db'], backup]) {
      const before = Date.now() / 1000;
      assert.equal((await jetway(folder, command)).code, 0);
      const at = (await newestOf(server.admin)) ?? 0;
      assert.ok(at >= before - 1 && at <= Date.now() / 1000 + 1, String(at));
    }
    assert.equal(await server.end('SIGTERM'), 0);
    assert.equal((await jetway(folder, ['store', 'restore', 'backup.db', '--yes'])).code, 0);
    const again = await startServer(t, folder);
    assert.equal(await newestOf(again.admin), 0);
  });

  test('a store that cannot be noted in has its backup all the same', async (t) => {
    const folder = workFolder(t, {
      'config.yaml': `${configText}audit: off\n`,
      'live.yaml': `${configText.replace('staging', 'live')}audit: off\n`,
    });
    await jetway(folder, add);
    const { code, stderr } = await jetway(folder, [...backup, '--config', 'live.yaml']);
    assert.equal(code, 0);
    assert.match(stderr, /^the backup is made, and cannot be noted in the store: .*environment/m);
    assert.equal(readdirSync(join(folder, 'backups')).length, 1);
  });

  test('of PostgreSQL, with its metric', { skip: without('postgres') }, async (t) => {
    const { folder, run, start, register } = await postgresSite(t, 'admin: 127.0.0.1:0\n');
    await register('postgres');
    const server = await start('postgres');
    assert.equal(await newestOf(server.admin), 0);
    const names: string[] = [];
    for (let night = 0; night < 3; night += 1) {
      const made = await run('postgres', ...backup, '--json');
      assert.deepEqual([made.code, made.stderr], [0, '']);
      names.push((JSON.parse(made.stdout) as Made).path);
    }
    const place = join(folder, 'backups');
    assert.deepEqual(
      readdirSync(place).map((name) => join(place, name)),
      names.slice(1),
    );
    assert.ok(((await newestOf(server.admin)) ?? 0) > Date.now() / 1000 - 60);
    assert.equal((await run('postgres', 'store', 'verify', names[2] ?? '')).code, 0);
  });
});

test('a second restore keeps what the first has put aside', async (t) => {
  const folder = workFolder(t);
  await jetwayEach(folder, [add, ['store', 'backup', 'backup.db']]);
  const kept: string[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const restored = await jetwayJson(folder, ['store', 'restore', 'backup.db', '--yes']);
    kept.push((restored as { readonly replaced: string }).replaced);
  }
  assert.equal(new Set(kept).size, 2);
  for (const path of kept) assert.match(path, /jetway\.db\.before-restore-\d{8}T\d{6}\.\d{3}Z$/);
  for (const path of kept) assert.equal((await jetway(folder, ['store', 'verify', path])).code, 0);
});

test('verify tries a restore, beside any configuration and without one', async (t) => {
  const folder = workFolder(t);
  await jetwayEach(folder, [add, ['store', 'backup', 'backup.db']]);
  const alone = workFolder(t, { 'config.yaml': 'nonsense: 1\n' });
  copyFileSync(join(folder, 'backup.db'), join(alone, 'backup.db'));
  const before = readdirSync(alone);
  const { code, stdout, stderr } = await jetway(alone, ['store', 'verify', 'backup.db']);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(
    stdout,
    /^The store is sound\. A restore of it was tried elsewhere: that opens\. No master key was tried: there is no configuration at \.\/config\.yaml\.\n\n/,
  );
  assert.deepEqual(readdirSync(alone), before);
  // Without a place for the trial what was read is told all the same.
  const verify = ['store', 'verify', 'backup.db'];
  const nowhere = await jetwayWith(alone, { TMPDIR: '/nowhere' }, verify);
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.stdout, /^The store is sound\. A trial of its restore failed\.\n\n/);
  assert.match(nowhere.stderr, /^a restore cannot be tried in \/nowhere \(ENOENT: /);
});

test('FAULTS 8: verify tries the present master key, and makes none', async (t) => {
  const folder = workFolder(t, {
    'live.yaml': configText.replace('staging', 'live'),
    'new.yaml': configText.replace('data/jetway.db', 'new/jetway.db'),
  });
  await jetwayEach(folder, [add, ['store', 'backup', 'backup.db']]);
  const verify = ['store', 'verify', 'backup.db'];
  const verified = async (...options: string[]) => {
    const { code, stdout, stderr } = await jetway(folder, [...verify, ...options]);
    assert.equal(stderr, '');
    const [verdict = ''] = stdout.split('\n');
    assert.match(
      verdict,
      /^The store is sound\. A restore of it was tried elsewhere: that opens\. /,
    );
    const json = await jetway(folder, [...verify, ...options, '--json']);
    const { master_key } = JSON.parse(json.stdout) as { readonly master_key: string };
    return [code, json.code, master_key, verdict.split('that opens. ')[1]];
  };
  const key = join(folder, 'data/master.key');
  const shown = 'data/master.key';
  assert.deepEqual(await verified(), [0, 0, 'fits', `${shown} is its master key.`]);
  const untried = (why: string) => [0, 0, 'not_tried', `No master key was tried: ${why}.`];
  const live = 'live.yaml is for environment live';
  assert.deepEqual(await verified('--config', 'live.yaml'), untried(live));
  assert.deepEqual(await verified('--config', 'new.yaml'), untried('new.yaml has none yet'));
  assert.equal(existsSync(join(folder, 'new')), false);
  writeFileSync(key, `${randomBytes(32).toString('base64url')}\n`);
  const another = `But ${shown} is not its master key, and without that it is of no use: find the key of the store that it was made of.`;
  assert.deepEqual(await verified(), [4, 4, 'another', another]);
  chmodSync(key, 0o644);
  const [code, , tried, told] = await verified();
  assert.deepEqual([code, tried], [0, 'not_tried']);
  assert.match(String(told), /^No master key was tried: .*master\.key.*read by others/);
});
