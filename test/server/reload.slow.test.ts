// Tests of a running server that takes up changed files: FAULTS 16 and 17.

import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ReloadView, StatusView } from '../../src/server/status.ts';
import { jetwayJson, programmeText, workFolder } from '../cli/command.ts';
import { startServer } from '../cli/server.ts';
import { until } from '../support/until.ts';
import { eventsIn, isServed, operate, readiness, told, watched } from './operated.ts';

test('a file that is dropped into the folder is served; the others keep what they have', async (t) => {
  const site = await operate(t, watched);
  const before = await site.status();
  site.write('programmes/harbour.yaml', programmeText('Harbour'));
  await until(() => isServed(site.server, 'harbour'));
  const { programmes, health, last_reload: last } = await site.status();
  assert.deepEqual(
    programmes.map(({ programme }) => programme),
    ['club', 'harbour'],
  );
  assert.deepEqual(programmes[0], before.programmes[0]);
  assert.deepEqual(health, { status: 'ready', reasons: [] });
  assert.deepEqual(
    last.programmes.map(({ programme, outcome }) => [programme, outcome]),
    [
      ['club', 'unchanged'],
      ['harbour', 'added'],
    ],
  );
});

test('FAULTS 16: a broken file leaves its last version in service, and says so everywhere', async (t) => {
  const site = await operate(t, told, { 'programmes/harbour.yaml': programmeText('Harbour') });
  const since = (await site.status()).programmes[1]?.since;
  site.write('programmes/harbour.yaml', 'variant: grant\nname: [\n');
  site.write('programmes/club.yaml', programmeText('Club', 'code: { length: 40 }\n'));
  const fault =
    'programmes/harbour.yaml:2:7: error: flow sequence in block collection must be sufficiently indented and end with a ]';
  const { code, stdout, stderr } = await site.reload();
  assert.deepEqual(
    { code, stderr, stdout },
    {
      code: 3,
      stderr: '',
      stdout: `club: changed, and served as the file has it now
${fault}
harbour: not taken up; its last version is still served
0 of 2 programmes unchanged
`,
    },
  );
  assert.equal(await isServed(site.server, 'harbour'), true);
  const reason = `the file of harbour is not taken up: its version of ${since} is served`;
  assert.deepEqual(await readiness(site.server), {
    code: 200,
    status: 'degraded',
    reasons: [reason],
  });
  const { health, programmes } = await site.status();
  assert.deepEqual(health, { status: 'degraded', reasons: [reason] });
  assert.equal(programmes[1]?.since, since);
  const logged = eventsIn(site).filter(({ programme }) => programme === 'harbour');
  assert.deepEqual(
    logged.map(({ event, detail }) => [event, detail]),
    [['programme_not_taken_up', `${fault}; its last version is still served`]],
  );
  site.write('programmes/harbour.yaml', programmeText('Harbour', 'code: { length: 41 }\n'));
  const mended = await site.reload();
  assert.deepEqual(
    [mended.code, mended.stdout],
    [0, 'harbour: changed, and served as the file has it now\n1 of 2 programmes unchanged\n'],
  );
  assert.deepEqual(await readiness(site.server), { code: 200, status: 'ready', reasons: [] });
});

test('FAULTS 17: half-written files, editors that swap and files that vanish', async (t) => {
  const site = await operate(t, watched, { 'programmes/harbour.yaml': programmeText('Harbour') });
  const path = join(site.folder, 'programmes/harbour.yaml');
  // Longer than a look apart in all: the first half by itself is a file that loads.
  const text = programmeText('Harbour', 'code: { length: 50 }\n');
  for (let end = 120; end < text.length; end += 10) {
    writeFileSync(path, text.slice(0, end));
    await sleep(100);
  }
  writeFileSync(path, text);
  const digest = async (): Promise<unknown> => (await site.status()).programmes[1]?.sha256;
  const first = await digest();
  await until(async () => (await digest()) !== first);
  const changes = eventsIn(site).filter(({ programme }) => programme === 'harbour');
  assert.deepEqual(
    changes.map(({ event }) => event),
    ['programme_changed'],
  );
  // As editors save: another file under a name of its own, renamed over the old one.
  writeFileSync(join(site.folder, 'programmes/.harbour.yaml.swp'), 'half');
  writeFileSync(join(site.folder, 'programmes/4913'), programmeText('Harbour'));
  renameSync(join(site.folder, 'programmes/4913'), path);
  const second = await digest();
  await until(async () => (await digest()) !== second);
  rmSync(path);
  const gone = 'the file of harbour is gone: put it back, or end it with jetway reload --prune';
  await until(async () => (await site.status()).health.reasons[0] === gone);
  assert.equal(await isServed(site.server, 'harbour'), true);
  const unpruned = await site.reload();
  assert.deepEqual(
    [unpruned.code, unpruned.stdout],
    [
      0,
      'harbour: still served although its file is gone; --prune ends that\n1 of 2 programmes unchanged\n',
    ],
  );
  const pruned = await site.reload('--prune');
  assert.deepEqual(
    [pruned.code, pruned.stdout],
    [0, 'harbour: removed: its file is gone\n1 of 2 programmes unchanged\n'],
  );
  assert.equal(await isServed(site.server, 'harbour'), false);
  assert.deepEqual(await readiness(site.server), { code: 200, status: 'ready', reasons: [] });
});

test('FAULTS 17: a folder of links that are exchanged together, as orchestrators mount it', async (t) => {
  const folder = workFolder(t, { 'config.yaml': watched.replace('./programmes', './mounted') });
  for (const [version, length] of [
    ['one', 40],
    ['two', 41],
  ] as const) {
    mkdirSync(join(folder, 'mounted', version), { recursive: true });
    const text = programmeText('Club', `code: { length: ${length} }\n`);
    writeFileSync(join(folder, 'mounted', version, 'club.yaml'), text);
  }
  symlinkSync('one', join(folder, 'mounted/..data'));
  symlinkSync('..data/club.yaml', join(folder, 'mounted/club.yaml'));
  writeFileSync(join(folder, 'config.yaml'), `${watched}programmes: ./mounted\n`);
  await startServer(t, folder);
  const digest = async (): Promise<unknown> =>
    ((await jetwayJson(folder, ['status'])) as StatusView).programmes[0]?.sha256;
  const first = await digest();
  symlinkSync('two', join(folder, 'mounted/..data_tmp'));
  renameSync(join(folder, 'mounted/..data_tmp'), join(folder, 'mounted/..data'));
  await until(async () => (await digest()) !== first);
});

test('FAULTS 17: the folder of programmes goes and comes back', async (t) => {
  const site = await operate(t, watched);
  renameSync(join(site.folder, 'programmes'), join(site.folder, 'elsewhere'));
  const fault = 'programmes:1:1: error: the folder of programmes cannot be read (ENOENT)';
  await until(async () => (await site.status()).health.reasons[0] === fault);
  const failed = await site.reload();
  assert.deepEqual([failed.code, failed.stdout], [3, `${fault}\n1 of 1 programmes unchanged\n`]);
  assert.equal(await isServed(site.server, 'club'), true);
  renameSync(join(site.folder, 'elsewhere'), join(site.folder, 'programmes'));
  await until(async () => (await site.status()).health.status === 'ready');
  assert.equal(eventsIn(site).filter(({ event }) => event === 'reload_failed').length, 2);
});

test('C-2: no reload takes a path from a programme that is served', async (t) => {
  const site = await operate(t, told, { 'programmes/harbour.yaml': programmeText('Harbour') });
  const claim = programmeText('Harbour').replace('/harbour', '/club');
  site.write('programmes/harbour.yaml', claim);
  site.write('programmes/another.yaml', claim.replaceAll('Harbour', 'Another'));
  const view = async (...args: readonly string[]): Promise<unknown> => {
    const { stdout } = await site.reload('--json', ...args);
    const { programmes, complete } = JSON.parse(stdout) as ReloadView;
    return [
      complete,
      ...programmes.map(({ programme, outcome, served }) => [programme, outcome, served]),
    ];
  };
  assert.deepEqual(await view(), [
    false,
    ['another', 'refused', false],
    ['club', 'unchanged', true],
    ['harbour', 'refused', true],
  ]);
  assert.equal(await isServed(site.server, 'harbour'), true);
  // The paths that one leaves, another may take in the same step.
  site.write('programmes/club.yaml', programmeText('Club').replace('/club', '/elsewhere'));
  rmSync(join(site.folder, 'programmes/another.yaml'));
  assert.deepEqual(await view('--dry-run'), [
    true,
    ['club', 'changed', true],
    ['harbour', 'changed', true],
  ]);
  assert.equal(await isServed(site.server, 'elsewhere'), false);
  assert.deepEqual(await view(), [true, ['club', 'changed', true], ['harbour', 'changed', true]]);
  assert.equal(await isServed(site.server, 'elsewhere'), true);
  assert.equal(await isServed(site.server, 'harbour'), false);
});

test('a file that is only touched changes nothing', async (t) => {
  const site = await operate(t, told);
  const before = await site.status();
  const path = join(site.folder, 'programmes/club.yaml');
  writeFileSync(path, readFileSync(path));
  chmodSync(path, 0o600);
  const { code, stdout } = await site.reload();
  assert.deepEqual([code, stdout], [0, '1 of 1 programmes unchanged\n']);
  assert.deepEqual((await site.status()).programmes, before.programmes);
});

test('a dry run tells what callers would see change, and changes nothing', async (t) => {
  const site = await operate(t, told);
  site.write(
    'programmes/club.yaml',
    programmeText('Club', 'metadata: on\n').replace('/club', '/new'),
  );
  site.write('programmes/harbour.yaml', programmeText('Harbour'));
  const { code, stdout } = await site.reload('--dry-run');
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^Nothing is changed; a reload would do this:\nclub: changed, [^\n]*\nharbour: new, [^\n]*\n0 of 2 programmes unchanged\n\nclub, as its callers see it:\n/,
  );
  assert.match(
    stdout,
    /\n! endpoint \(breaks partners: it is gone\)\n|\n {2}- \/club\/api\/grant\n/,
  );
  assert.match(
    stdout,
    /\nharbour, as its callers see it:\nprogramme\n[^]*\+ token endpoint \/harbour\/api\/grant\n/,
  );
  assert.equal(await isServed(site.server, 'new'), false);
  assert.equal(await isServed(site.server, 'harbour'), false);
  // What was read for it counts when it is asked for.
  assert.equal((await site.reload()).code, 0);
  assert.equal(await isServed(site.server, 'new'), true);
});

test('whether files are watched is itself taken up', async (t) => {
  const site = await operate(t, told);
  site.write('config.yaml', told.replace('watch_programmes: false', 'watch_programmes: true'));
  const { code, stdout } = await site.reload();
  assert.deepEqual(
    [code, stdout],
    [0, 'watch_programmes: taken up\n1 of 1 programmes unchanged\n'],
  );
  site.write('programmes/harbour.yaml', programmeText('Harbour'));
  await until(() => isServed(site.server, 'harbour'));
});

test('FAULTS 16: a file that cannot be read to its end is one programme’s trouble', async (t) => {
  const site = await operate(t, told);
  // A regular file whose first byte cannot be read.
  symlinkSync('/proc/self/mem', join(site.folder, 'programmes/harbour.yaml'));
  site.write('programmes/club.yaml', programmeText('Club', 'code: { length: 40 }\n'));
  const { code, stdout } = await site.reload();
  assert.deepEqual(
    [code, stdout],
    [
      3,
      `club: changed, and served as the file has it now
programmes/harbour.yaml:1:1: error: the file cannot be read (EIO)
harbour: not taken up; it is not served
0 of 2 programmes unchanged
`,
    ],
  );
});

test('HOSTILE 66 HOSTILE 87: the name of a file is told on one line, and is its own', async (t) => {
  const site = await operate(t, told);
  site.write('programmes/x\nclub: removed\n\u009B31m.yaml', '{');
  site.write('programmes/club.yml', programmeText('Club'));
  site.write('programmes/club.YAML', programmeText('Club'));
  const { stdout } = await site.reload();
  const lines = stdout.split('\n').filter((line) => !line.includes(': error: '));
  const name = String.raw`x\u{a}club: removed\u{a}\u{9b}31m`;
  assert.deepEqual(lines, [
    'club.YAML: not taken up; it is not served',
    'club.yml: not taken up; it is not served',
    `${name}: not taken up; it is not served`,
    '1 of 4 programmes unchanged',
    '',
  ]);
  assert.deepEqual(await readiness(site.server), {
    code: 200,
    status: 'degraded',
    reasons: ['club.YAML is not served', 'club.yml is not served', `${name} is not served`],
  });
});

test('FAULTS 16: a broken configuration is told of until it is read again', async (t) => {
  const site = await operate(t, watched);
  site.write('config.yaml', `${watched}listen: nowhere\n`);
  site.server.child.kill('SIGHUP');
  const status = async (): Promise<string> =>
    ((await readiness(site.server)) as { readonly status: string }).status;
  await until(async () => (await status()) === 'degraded');
  const broken = await readiness(site.server);
  site.write('programmes/harbour.yaml', programmeText('Harbour'));
  await until(() => eventsIn(site).some(({ event }) => event === 'programme_added'));
  assert.deepEqual(await readiness(site.server), broken);
  assert.equal(eventsIn(site).filter(({ event }) => event === 'reload_failed').length, 1);
  site.write('config.yaml', watched);
  assert.equal((await site.reload()).code, 0);
  assert.equal(await status(), 'ready');
});
