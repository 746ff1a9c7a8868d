// Owns the promise of the image: tools of others read it, it runs as its own user with nothing else of a
// machine, and what it has for another architecture runs, too.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { architecture, theOne } from './made.ts';

const skip = without('skopeo', 'umoci', 'runc', 'qemu-aarch64-static');

interface Bundle {
  readonly root: object;
  readonly process: object;
  readonly mounts: readonly { readonly destination: string }[];
}

interface ImageConfig {
  readonly architecture: string;
  readonly config: {
    readonly Labels: Readonly<Record<string, string>>;
    readonly User: string;
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
  };
}

describe('the image', { skip }, () => {
  let folder: string;
  const bundle = (name: string): string => join(folder, `bundle-${name}`);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'jetway-image-'));
    for (const name of ['amd64', 'arm64']) {
      const from = `oci-archive:${theOne('*-oci.tar')}`;
      const copy = ['copy', '--quiet', from, `oci:${folder}/${name}:one`];
      execFileSync('skopeo', ['--insecure-policy', '--override-arch', name, ...copy]);
      execFileSync('umoci', ['unpack', '--image', `${folder}/${name}:one`, bundle(name)], {
        stdio: 'ignore',
      });
    }
  });
  after(() => rmSync(folder, { recursive: true }));

  test('tells where it comes from, of each architecture', () => {
    for (const name of ['amd64', 'arm64']) {
      const told = execFileSync('skopeo', ['inspect', '--config', `oci:${folder}/${name}:one`]);
      const { architecture: of, config } = JSON.parse(told.toString()) as ImageConfig;
      const { Labels: labels, User, Entrypoint, Cmd } = config;
      assert.deepEqual(
        [of, User, Entrypoint, Cmd, labels['org.opencontainers.image.title']],
        [name, '65532:65532', ['/usr/bin/jetway'], ['serve'], 'jetway'],
      );
      assert.match(labels['org.opencontainers.image.revision'] ?? '', /^[0-9a-f]{40}$/);
    }
  });

  test('serves from a file system that nobody can write to, but for its store', async () => {
    const path = join(bundle(architecture), 'config.json');
    const config = JSON.parse(readFileSync(path).toString()) as Bundle;
    const volume = config.mounts.find(({ destination }) => destination === '/var/lib/jetway');
    assert.ok(volume);
    // As with Docker, a volume begins with the rights of its folder in the image.
    Object.assign(volume, { options: ['rw', 'mode=0700', 'uid=65532', 'gid=65532'] });
    Object.assign(config.root, { readonly: true });
    Object.assign(config.process, { terminal: false });
    writeFileSync(path, JSON.stringify(config));
    const id = `jetway-${process.pid}`;
    const server = spawn('runc', ['run', '--bundle', bundle(architecture), id], {
      stdio: 'ignore',
    });
    const inside = (...args: readonly string[]): string => {
      const { pid } = JSON.parse(execFileSync('runc', ['state', id]).toString()) as { pid: number };
      return spawnSync('nsenter', ['-n', '-t', String(pid), ...args], { encoding: 'utf8' }).stdout;
    };
    try {
      const jetway = (...args: readonly string[]) =>
        spawnSync('runc', ['exec', id, '/usr/bin/jetway', ...args], { encoding: 'utf8' });
      await until(() => jetway('healthcheck').status === 0);
      const page = 'http://127.0.0.1:8080/executive-club/login';
      assert.equal(inside('curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', page), '400');
      const added = ['--name', 'Ann', '--role', 'partner', '--programme', 'executive-club'];
      const uri = ['--redirect-uri', 'https://partner.example/callback'];
      const client = jetway('client', 'add', ...added, ...uri);
      assert.deepEqual([client.status, client.stderr], [0, '']);
      execFileSync('runc', ['kill', id, 'TERM']);
      assert.deepEqual(await once(server, 'exit'), [0, null]);
    } finally {
      spawnSync('runc', ['delete', '--force', id]);
    }
  });

  test('the executable for arm64 runs, and serves', async () => {
    const root = join(bundle('arm64'), 'rootfs');
    const run = ['-L', root, join(root, 'usr/bin/jetway')];
    const env = { PATH: process.env['PATH'] };
    const told = execFileSync('qemu-aarch64-static', [...run, 'version', '--json'], { env });
    const { version = '', node } = JSON.parse(told.toString()) as Readonly<Record<string, string>>;
    assert.ok(theOne('*-oci.tar').endsWith(`/jetway-${version}-oci.tar`), version);
    assert.equal(node, process.versions.node);
    const server = spawn('qemu-aarch64-static', [...run, 'dev', '--listen', '127.0.0.1:0'], {
      env,
    });
    try {
      let printed = '';
      server.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      await until(() => /http:\/\/127\.0\.0\.1:\d+/.test(printed));
      const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
      const { status } = await fetch(`${url}/executive-club/login`);
      assert.equal(status, 400);
      server.kill('SIGTERM');
      assert.deepEqual(await once(server, 'exit'), [0, null]);
    } finally {
      server.kill('SIGKILL');
    }
  });
});
