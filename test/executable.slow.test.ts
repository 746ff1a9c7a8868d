// Owns what is promised of the executable itself: it runs alone, answers on the port it names,
// and is built the same twice. What it answers is tested at the sources.

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';

import { build, buildIfStale } from '../scripts/build.ts';
import { sourceState } from '../scripts/source_state.ts';
import type { StatusView } from '../src/server/status.ts';
import { type BuildFacts, versionOf } from '../src/server/version.ts';
import { configOnPostgres } from './server/operated.ts';
import { scratchFolder } from './support/scratch.ts';
import { without } from './support/tools.ts';
import { until } from './support/until.ts';

const root = join(import.meta.dirname, '..');

describe('executable', () => {
  let folder: string;
  let executable: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jetway-'));
    executable = join(folder, 'jetway');
    copyFileSync(await buildIfStale(), executable);
  });

  after(() => {
    rmSync(folder, { recursive: true });
  });

  test('is one file that may be executed by everyone', () => {
    assert.equal(statSync(join(root, 'dist/jetway')).mode & 0o777, 0o755);
  });

  test('tells its version, commit and build in an empty folder', () => {
    const facts = readFileSync(join(root, 'dist/jetway.build.json'), 'utf8');
    const { build: digest, source } = JSON.parse(facts) as BuildFacts;
    const version = versionOf(readFileSync(join(root, 'package.json'), 'utf8'), source);
    assert.match(digest, /^[0-9a-f]{12}$/);
    assert.deepEqual(
      source,
      sourceState(root, ['src', 'programmes', 'package*', 'scripts/build*']),
    );
    const tell = (...args: readonly string[]): string =>
      execFileSync(executable, args, { cwd: folder, encoding: 'utf8' });
    const { commit = '', committedAt = '', isChanged = false } = source ?? {};
    const short = `${commit.slice(0, 10)}${isChanged ? '-dirty' : ''} of ${committedAt}`;
    const origin = `commit ${source === undefined ? 'unknown' : short}, build ${digest}`;
    const line = `jetway ${version} (${origin}, node ${process.versions.node})\n`;
    assert.deepEqual([tell('version'), tell('--version')], [line, line]);
    assert.deepEqual(JSON.parse(tell('version', '--json')), {
      version,
      commit: source?.commit ?? null,
      committed_at: source?.committedAt ?? null,
      changed: source?.isChanged ?? null,
      build: digest,
      node: process.versions.node,
    });
  });

  test('writes what an operator starts from into an empty folder', () => {
    const cwd = mkdtempSync(join(folder, 'operator-'));
    const run = (...args: readonly string[]): string =>
      execFileSync(executable, args, { cwd, encoding: 'utf8' });
    assert.match(run('init'), new RegExp(`^  ${executable} check$`, 'm'));
    run('new', 'my-club', '--variant', 'partner-login');
    assert.match(run('check'), /^4 programmes, 0 errors, \d+ warnings$/m);
    assert.equal(run('schema'), readFileSync(join(root, 'docs/programme.schema.json'), 'utf8'));
  });

  test('serves the shipped programmes in an empty folder and ends when told', async () => {
    const jetway = spawn(executable, ['dev', '--listen', '127.0.0.1:0'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const url = await urlPrinted(jetway);
      const response = await fetch(url);
      assert.ok(response.status < 500, `${url} answered ${response.status}`);
      const page = await (await fetch(`${url}/executive-club/login`)).text();
      const logo = /<img src="([^"]*)"/.exec(page)?.[1] ?? '';
      assert.equal(
        await (await fetch(url + logo)).text(),
        readFileSync(join(root, 'programmes/executive-club.svg'), 'utf8'),
      );
      jetway.kill('SIGTERM');
      assert.deepEqual(await once(jetway, 'exit'), [0, null]);
    } finally {
      jetway.kill('SIGKILL');
    }
  });

  test('runs several processes as one server', { skip: without('postgres') }, async (t) => {
    const cwd = mkdtempSync(join(folder, 'workers-'));
    cpSync(join(root, 'programmes'), join(cwd, 'programmes'), { recursive: true });
    writeFileSync(join(cwd, 'config.yaml'), `${await configOnPostgres(t)}workers: 2\n`);
    writeFileSync(join(cwd, 'master.key'), randomBytes(32).toString('base64url'), { mode: 0o600 });
    const jetway = spawn(executable, ['serve', '--config', 'config.yaml'], {
      cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const lines = createInterface({ input: jetway.stdout });
      for await (const line of lines) if (line.startsWith('jetway serves')) break;
      const tell = (): StatusView => {
        const text = execFileSync(executable, ['status', '--json'], { cwd, encoding: 'utf8' });
        return JSON.parse(text) as StatusView;
      };
      const { health, listeners, workers = [] } = tell();
      assert.deepEqual(health, { status: 'ready', reasons: [] });
      assert.equal(workers.length, 2);
      assert.equal((await fetch(`${listeners.main}/executive-club/login`)).status, 400);
      const former = workers[0]?.pid ?? 0;
      process.kill(former, 'SIGKILL');
      await until(() => {
        const now = tell().workers ?? [];
        return now.length === 2 && now.every(({ pid }) => pid !== former);
      });
      execFileSync(executable, ['reload'], { cwd });
      jetway.kill('SIGTERM');
      assert.deepEqual(await once(jetway, 'exit'), [0, null]);
    } finally {
      jetway.kill('SIGKILL');
    }
  });

  test('HOSTILE 61: no debugger and no code of others by the environment', async () => {
    const evil = join(folder, 'evil.cjs');
    writeFileSync(evil, "require('node:fs').writeSync(2, 'injected');");
    const tell = (more: Readonly<Record<string, string>>): string[] => {
      const told = spawnSync(executable, ['version', '--json'], {
        cwd: folder,
        env: { PATH: process.env['PATH'], ...more },
        encoding: 'utf8',
      });
      return [told.stdout, told.stderr];
    };
    const usual = tell({});
    assert.equal(usual[1], '');
    for (const options of [
      `--require=${evil}`,
      `--import=${evil}`,
      '--inspect=0',
      '--inspect-brk',
    ]) {
      assert.deepEqual(tell({ NODE_OPTIONS: options }), usual, options);
    }
    const coverage = join(folder, 'coverage');
    assert.deepEqual(tell({ NODE_PATH: folder, NODE_V8_COVERAGE: coverage }), usual);
    assert.ok(!existsSync(coverage));
    const [printed, refusal] = tell({ NODE_REPL_EXTERNAL_MODULE: evil });
    assert.equal(printed, '');
    assert.match(refusal ?? '', /NODE_REPL_EXTERNAL_MODULE can't be used/);

    const jetway = spawn(executable, ['dev', '--listen', '127.0.0.1:0'], {
      cwd: folder,
      env: { NODE_EXTRA_CA_CERTS: '/dev/null', NODE_OPTIONS: '--inspect=0', KEPT: 'kept' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      const url = await urlPrinted(jetway);
      const environment = readFileSync(`/proc/${jetway.pid}/environ`, 'utf8');
      assert.equal(environment, 'KEPT=kept\0');
      let complaints = '';
      jetway.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
      jetway.kill('SIGUSR1');
      assert.ok((await fetch(url)).status < 500);
      jetway.kill('SIGTERM');
      assert.deepEqual(await once(jetway, 'close'), [0, null]);
      // Lines of requests alone.
      assert.match(complaints, /^(?:\{"time":[^\n]*"event":"request"[^\n]*\}\n)*$/);
    } finally {
      jetway.kill('SIGKILL');
    }
  });

  test('HOSTILE 61: without sockets that would be lost with what node reads of the environment', () => {
    const tell = (pid: string): readonly unknown[] => {
      const script = `LISTEN_PID=${pid} LISTEN_FDS=1 LISTEN_FDNAMES=listen exec "$0" version`;
      const env = { NODE_PATH: folder };
      const { status, stderr } = spawnSync('sh', ['-c', script, executable], {
        env,
        encoding: 'utf8',
      });
      return [status, stderr];
    };
    const refusal =
      'sockets that were handed down (LISTEN_FDS) cannot be kept beside NODE_PATH in the environment: take that out (UnsetEnvironment= of the unit)\n';
    assert.deepEqual(tell('$$'), [3, refusal]);
    assert.deepEqual(tell('1'), [0, '']);
  });

  const skip = without('cc');
  test('HOSTILE 61: no library of others by the environment', { skip }, () => {
    const source = join(folder, 'evil.c');
    writeFileSync(
      source,
      '#include <unistd.h>\n__attribute__((constructor)) static void go(void) { write(2, "injected", 8); }\n',
    );
    const library = join(folder, 'evil.so');
    execFileSync('cc', ['-shared', '-fPIC', '-w', '-o', library, source]);
    const config = join(folder, 'openssl.cnf');
    writeFileSync(
      config,
      `nodejs_conf = a\n[a]\nproviders = b\n[b]\nc = c\n[c]\nmodule = ${library}\nactivate = 1\n`,
    );
    const env = { OPENSSL_CONF: config };
    const node = spawnSync(process.execPath, ['-e', ''], { env, encoding: 'utf8' });
    assert.match(node.stderr, /^injected/);
    assert.equal(spawnSync(executable, ['version'], { env, encoding: 'utf8' }).stderr, '');
  });

  test('is the same to the byte when built twice, and names no folder of the machine', async (t) => {
    const bytes = readFileSync(executable);
    // What node keeps compiled of the build's own scripts would change the tables that V8 writes.
    const cache = process.env['NODE_COMPILE_CACHE'];
    t.after(() => {
      if (cache === undefined) delete process.env['NODE_COMPILE_CACHE'];
      else process.env['NODE_COMPILE_CACHE'] = cache;
    });
    process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
    const again = await build(join(folder, 'again'));
    assert.ok(bytes.equals(readFileSync(again)), 'two builds differ');
    assert.ok(!bytes.includes(root), `${root} is in the executable`);
    assert.ok(!bytes.includes(folder), `${folder} is in the executable`);
  });
});

test('two commits are told apart, and what was changed since', { skip: without('git') }, (t) => {
  const folder = scratchFolder(t, 'commits');
  const git = (...args: readonly string[]): void => {
    const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com'];
    execFileSync('git', [...who, ...args], { cwd: folder, stdio: 'ignore' });
  };
  const states: ReturnType<typeof sourceState>[] = [];
  const look = (): void => void states.push(sourceState(folder, ['src/**']));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  look();
  mkdirSync(join(folder, 'src'));
  write('src/main.ts', 'one');
  git('init');
  look();
  git('add', '.');
  git('commit', '-m', 'one');
  look();
  write('readme', 'not built from');
  look();
  write('src/another.ts', 'never added');
  look();
  git('add', '.');
  git('commit', '-m', 'two');
  look();
  git('tag', 'v1.2.3');
  look();
  write('src/another.ts', 'changed');
  look();
  const commits = states.map((state) => state?.commit);
  const [, , one] = commits;
  assert.match(one ?? '', /^[0-9a-f]{40}$/);
  assert.deepEqual(commits.slice(0, 5), [undefined, undefined, one, one, one]);
  assert.ok(commits[5] !== undefined && commits[5] !== one);
  assert.deepEqual(
    states.map((state) => state?.isChanged),
    [undefined, undefined, false, false, true, false, false, true],
  );
  const time = states[5]?.committedAt.replaceAll(/\D/g, '');
  assert.deepEqual(
    [undefined, ...states.slice(5)].map((state) => versionOf('{"version":"1.2.3"}', state)),
    ['1.2.3-dev', `1.2.3-dev.${time}`, '1.2.3', `1.2.3-dev.${time}`],
  );
  assert.match(states[2]?.committedAt ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

/** The first address that `jetway dev` prints; it prints one only once it listens. */
async function urlPrinted(jetway: ChildProcess): Promise<string> {
  assert.ok(jetway.stdout);
  const printed: string[] = [];
  for await (const line of createInterface({ input: jetway.stdout })) {
    printed.push(line);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error(`jetway dev ended without an address:\n${printed.join('\n')}`);
}
