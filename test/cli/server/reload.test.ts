// Tests of a running server that takes up changed files: FAULTS 16, 17 and 32.

import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ReloadView, StatusView } from '../../../src/cli/server/status.ts';
import { until } from '../../support/until.ts';
import { ask } from '../../support/wire.ts';
import { configText, jetway, jetwayJson, programmeText, workFolder } from '../command.ts';
import { type ServerProcess, startServer } from '../server.ts';

interface Site {
  readonly folder: string;
  readonly server: ServerProcess;
  readonly write: (path: string, text: string) => void;
  /** What `jetway status --json` prints. */
  readonly status: () => Promise<StatusView>;
  readonly reload: (...args: readonly string[]) => ReturnType<typeof jetway>;
}

/** Files are taken up when they are told to be: without a watch, nothing happens in between. */
const told = `${configText}admin: 127.0.0.1:0\nwatch_programmes: false\n`;
const watched = `${configText}admin: 127.0.0.1:0\n`;

async function openSite(
  t: TestContext,
  config: string,
  files: Readonly<Record<string, string>> = {},
): Promise<Site> {
  const folder = workFolder(t, { 'config.yaml': config, ...files });
  const server = await startServer(t, folder);
  return {
    folder,
    server,
    write: (path, text) => writeFileSync(join(folder, path), text),
    status: async () => (await jetwayJson(folder, ['status'])) as StatusView,
    reload: (...args) => jetway(folder, ['reload', ...args]),
  };
}

async function isServed({ url }: ServerProcess, name: string): Promise<boolean> {
  return (await ask(url, `/${name}/api/grant`)).status !== 404;
}

async function readiness({ admin }: ServerProcess): Promise<unknown> {
  const { status, body } = await ask(admin, '/readyz');
  return { code: status, ...(JSON.parse(body) as object) };
}

function eventsIn({ server }: Site): readonly Record<string, string>[] {
  const lines = server.printed().stderr.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, string>);
}

test('a file that is dropped into the folder is served; the others keep what they have', async (t) => {
  const site = await openSite(t, watched);
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
  const site = await openSite(t, told, { 'programmes/harbour.yaml': programmeText('Harbour') });
  const since = (await site.status()).programmes[1]?.since;
  site.write('programmes/harbour.yaml', 'variant: grant\nname: [\n');
  site.write('programmes/club.yaml', programmeText('Club', 'code: { length: 40 }\n'));
  const fault =
    'programmes/harbour.yaml:2:7: error: the [ opened here is not closed, or its lines are not indented';
  const { code, stdout, stderr } = await site.reload();
  assert.deepEqual(
    { code, stderr, stdout },
    {
      code: 3,
      stderr: '',
      stdout: `club: changed, and served as the file has it now
${fault}
harbour: not taken up; its last version is served on
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
    [['programme_not_taken_up', `${fault}; its last version is served on`]],
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
  const site = await openSite(t, watched, { 'programmes/harbour.yaml': programmeText('Harbour') });
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
      'harbour: served on though its file is gone; --prune ends it\n1 of 2 programmes unchanged\n',
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
  const site = await openSite(t, watched);
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
  const site = await openSite(t, told, { 'programmes/harbour.yaml': programmeText('Harbour') });
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
  const site = await openSite(t, told);
  const before = await site.status();
  const path = join(site.folder, 'programmes/club.yaml');
  writeFileSync(path, readFileSync(path));
  chmodSync(path, 0o600);
  const { code, stdout } = await site.reload();
  assert.deepEqual([code, stdout], [0, '1 of 1 programmes unchanged\n']);
  assert.deepEqual((await site.status()).programmes, before.programmes);
});

test('a dry run tells what callers would see change, and changes nothing', async (t) => {
  const site = await openSite(t, told);
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

test('settings: some are taken up, the others need a restart, a broken file changes none', async (t) => {
  const site = await openSite(t, told);
  assert.deepEqual(Object.keys((await site.status()).listeners), ['main', 'admin']);
  assert.equal((await ask(site.server.url, '/club/verify/none')).status, 401);
  site.write(
    'config.yaml',
    `${told.replace('listen: 127.0.0.1:0', 'listen: 127.0.0.1:1')}gateway: 127.0.0.1:0
trusted_proxies: [127.0.0.1/32]
master_key_file: ./other.key
`,
  );
  const { code, stdout } = await jetway(site.folder, ['reload']);
  assert.deepEqual(
    [code, stdout],
    [
      0,
      `listen: counts after a restart
trusted_proxies: taken up
gateway: taken up
master_key_file: counts after a restart
1 of 1 programmes unchanged
`,
    ],
  );
  const { listeners } = await site.status();
  assert.equal((await ask(listeners.gateway ?? '', '/club/verify/none')).status, 401);
  assert.equal((await ask(site.server.url, '/club/verify/none')).status, 404);
  // An address that is taken: gateways ask where they did.
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await until(() => other.listening);
  const { port } = other.address() as { readonly port: number };
  site.write('config.yaml', `${told}gateway: 127.0.0.1:${port}\ntrusted_proxies: [127.0.0.1/32]\n`);
  const refused = await site.reload();
  assert.deepEqual(
    [refused.code, refused.stdout],
    [
      3,
      `gateway: not taken up: cannot listen on 127.0.0.1:${port} (gateway): something listens there already: stop it, or choose another address
1 of 1 programmes unchanged
`,
    ],
  );
  assert.deepEqual((await site.status()).listeners, listeners);
  assert.equal((await ask(listeners.gateway ?? '', '/club/verify/none')).status, 401);
});

test('reload and status without a server say where none answers; the socket is its owner’s alone', async (t) => {
  const folder = workFolder(t);
  const socket = join(folder, 'data/jetway.db.control');
  const nobody = `no server of this configuration runs: nothing answers at ${socket} (control)\n`;
  for (const verb of ['reload', 'status']) {
    assert.deepEqual(await jetway(folder, [verb]), { code: 1, stdout: '', stderr: nobody });
  }
  const first = await startServer(t, folder);
  const { mode } = lstatSync(socket);
  assert.equal(mode & 0o777, 0o600);
  // A second server of the store waits for the first one's end, and takes over.
  const second = await startServer(t, folder);
  await until(() => second.printed().stderr.includes('no_control_socket'));
  const pid = async (): Promise<number> =>
    ((await jetwayJson(folder, ['status'])) as StatusView).pid;
  assert.equal(await pid(), first.child.pid);
  assert.equal(await first.end('SIGTERM'), 0);
  await until(async () => (await jetway(folder, ['status'])).code === 0);
  assert.equal(await pid(), second.child.pid);
  // One that was killed leaves its socket behind.
  await second.end('SIGKILL');
  assert.deepEqual(await jetway(folder, ['status']), { code: 1, stdout: '', stderr: nobody });
  const third = await startServer(t, folder);
  assert.equal(await pid(), third.child.pid);
});

test('a file that stands where the control socket is to be stays', async (t) => {
  const folder = workFolder(t, {
    'config.yaml': `${configText}control: ./precious\n`,
    precious: 'x',
  });
  const server = await startServer(t, folder);
  await until(() => server.printed().stderr.includes('a file that is no socket is there'));
  assert.equal(readFileSync(join(folder, 'precious'), 'utf8'), 'x');
});
