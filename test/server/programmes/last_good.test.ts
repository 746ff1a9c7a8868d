// Tests of the versions that a machine keeps of its programmes' files: what is kept, what is believed of it
// and when it is forgotten.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { instant } from '../../../src/lib/clock.ts';
import { type Look, ProgrammeFolder } from '../../../src/server/programmes/folder.ts';
import { LastGood, lastGoodFolder } from '../../../src/server/programmes/last_good.ts';
import { programmeText, workFolder } from '../../cli/command.ts';

const since = instant(Date.UTC(2026, 10, 28));

interface Scene {
  readonly path: string;
  readonly kept: string;
  readonly lastGood: LastGood;
  readonly lines: readonly string[];
  readonly write: (text: string) => void;
  readonly look: () => Promise<Look>;
  readonly keep: () => Promise<void>;
}

function openScene(t: TestContext): Scene {
  const folder = workFolder(t, {});
  const [path, kept] = [join(folder, 'programmes/club.yaml'), join(folder, 'state/served')];
  const lines: string[] = [];
  const log = { error: (event: string) => void lines.push(event) };
  const lastGood = new LastGood(kept, log);
  const programmes = new ProgrammeFolder(join(folder, 'programmes'));
  const look = async (): Promise<Look> => {
    const found = (await programmes.read()).find((one) => one.path === path);
    assert.ok(found);
    return found;
  };
  return {
    path,
    kept,
    lastGood,
    lines,
    look,
    write: (text) => writeFileSync(path, text),
    keep: async () => lastGood.keep([{ look: await look(), since }]),
  };
}

test('FAULTS 16: the version that was served last is found by its path, and is what was read', async (t) => {
  const { lastGood, look, keep, write, path, kept, lines } = openScene(t);
  assert.equal(lastGood.find(path), undefined);
  const served = await look();
  await keep();
  write('variant: [\n');
  const [found] = lastGood.standIns([await look()]);
  assert.equal(found?.file.loaded?.id, served.id);
  assert.deepEqual(
    [found?.fileDigest, found?.servedDigest, found?.digest, found?.since],
    [served.fileDigest, served.servedDigest, served.digest, since],
  );
  assert.equal(lastGood.find(`${path}.other`), undefined);
  const [file = ''] = readdirSync(kept);
  assert.match(
    file,
    new RegExp(`^club\\.[0-9a-f]{16}\\.${served.servedDigest.slice(0, 16)}\\.json$`),
  );
  assert.equal(statSync(join(kept, file)).mode & 0o777, 0o600);
  assert.equal(statSync(kept).mode & 0o777, 0o700);
  assert.deepEqual(lines, []);
});

test('FAULTS 17: a version takes the place of the one before; a file that is sound needs none', async (t) => {
  const { lastGood, look, keep, write, path, kept } = openScene(t);
  await keep();
  write(programmeText('Another'));
  assert.deepEqual(lastGood.standIns([await look()]), []);
  await keep();
  assert.equal(readdirSync(kept).length, 1);
  assert.equal(lastGood.find(path)?.file.loaded?.definition.name, 'Another');
});

test('FAULTS 17: what has changed since it was read is not kept, and what was cut off is not believed', async (t) => {
  const { lastGood, look, keep, write, path, kept } = openScene(t);
  const before = await look();
  write(programmeText('Another'));
  await lastGood.keep([{ look: before, since }]);
  assert.deepEqual(readdirSync(kept), []);
  await keep();
  const file = join(kept, readdirSync(kept)[0] ?? '');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, 100));
  assert.equal(lastGood.find(path), undefined);
  const other = Buffer.from(programmeText('Forged')).toString('base64');
  writeFileSync(file, text.replace(/("files":\[\["club\.yaml",")[^"]*/, `$1${other}`));
  assert.equal(lastGood.find(path), undefined);
  writeFileSync(file, text);
  assert.ok(lastGood.find(path));
});

test('HOSTILE 54, FAULTS 16: what is no version at all is passed over at a start and at a prune', async (t) => {
  const { lastGood, look, keep, write, path, kept, lines } = openScene(t);
  await keep();
  const file = join(kept, readdirSync(kept)[0] ?? '');
  const whole = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  write('variant: [\n');
  const broken = await look();
  const others: readonly unknown[] = [
    {},
    null,
    [],
    1,
    'x',
    { ...whole, path: 1 },
    { ...whole, since: 'x' },
    { ...whole, files: {} },
    { ...whole, files: [null] },
    { ...whole, files: [['a']] },
    { ...whole, files: [['a', 1]] },
    { ...whole, files: [] },
  ];
  for (const other of others) {
    writeFileSync(file, JSON.stringify(other));
    assert.deepEqual(lastGood.standIns([broken]), [], JSON.stringify(other));
    await lastGood.prune(join(path, '..'), []);
  }
  // Neither the thread waits for a pipe, nor does a folder count as a file.
  rmSync(file, { force: true });
  assert.equal(spawnSync('mkfifo', [file]).status, 0);
  assert.deepEqual(lastGood.standIns([broken]), []);
  rmSync(file);
  mkdirSync(file);
  assert.deepEqual(lastGood.standIns([broken]), []);
  await lastGood.prune(join(path, '..'), []);
  assert.deepEqual(lines, []);
});

test('FAULTS 17: what a process left unfinished when it was killed is removed at the next start', async (t) => {
  const { lastGood, keep, kept } = openScene(t);
  await keep();
  const [whole = ''] = readdirSync(kept);
  const ended = spawnSync(process.execPath, ['--version']).pid;
  const written = [whole, `${whole}.${process.ppid}`, 'notes.txt'];
  for (const name of [...written.slice(1), `${whole}.${process.pid}`, `${whole}.${ended}`]) {
    writeFileSync(join(kept, name), '{');
  }
  await lastGood.keep([]);
  assert.deepEqual(readdirSync(kept).toSorted(), written.toSorted());
});

test('FAULTS 17: a prune forgets the files of the folder that have gone, and no others', async (t) => {
  const { lastGood, keep, path, kept } = openScene(t);
  await keep();
  await lastGood.prune(join(path, '../..'), []);
  await lastGood.prune(join(path, '..'), [path]);
  assert.ok(lastGood.find(path));
  await lastGood.prune(join(path, '..'), []);
  assert.deepEqual(readdirSync(kept), []);
});

test('a folder that cannot be written costs a line of the log, and nothing else', async (t) => {
  const { lastGood, keep, kept, lines, path } = openScene(t);
  rmSync(join(kept, '..'), { recursive: true, force: true });
  writeFileSync(join(kept, '..'), '');
  await keep();
  assert.deepEqual(lines, ['last_version_not_kept']);
  assert.equal(lastGood.find(path), undefined);
});

test('versions are kept where systemd says, or else beside the control socket', (t) => {
  assert.equal(lastGoodFolder({ control: '/data/jetway.db.control' }), '/data/jetway.db.served');
  process.env['STATE_DIRECTORY'] = '/var/lib/jetway:/var/lib/other';
  t.after(() => delete process.env['STATE_DIRECTORY']);
  assert.equal(lastGoodFolder({ control: '/run/jetway/control' }), '/var/lib/jetway/served');
});
