// Owns containers of the image as an engine would run them, by runc: their root, user, groups, mounts,
// capabilities and network. The image is unpacked once; no container may write to its root.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { architecture, theOne } from './made.ts';

/** As `docker run` gives them where nothing is dropped. */
export const usualCapabilities: readonly string[] = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FSETID',
  'FOWNER',
  'MKNOD',
  'NET_RAW',
  'SETGID',
  'SETUID',
  'SETFCAP',
  'SETPCAP',
  'NET_BIND_SERVICE',
  'SYS_CHROOT',
  'KILL',
  'AUDIT_WRITE',
].map((name) => `CAP_${name}`);

export interface Mount {
  readonly source: string;
  readonly destination: string;
  readonly readOnly?: boolean;
}

export interface ContainerOptions {
  /** What follows the image's entrypoint; the image's own command if left out. */
  readonly args?: readonly string[];
  /** The image's user if left out. */
  readonly user?: {
    readonly uid: number;
    readonly gid: number;
    readonly groups: readonly number[];
  };
  readonly mounts: readonly Mount[];
  /** All that its processes can ever have. */
  readonly capabilities: readonly string[];
  readonly noNewPrivileges: boolean;
  readonly readOnly: boolean;
  readonly hostname: string;
  /** Bytes. */
  readonly memory?: number;
  /** A network namespace by its name in /run/netns. */
  readonly network: string;
}

export interface Ended {
  readonly code: number | null;
  /** What was printed, on either stream. */
  readonly text: string;
}

export interface Container {
  /** Runs the image's program in it, as an engine's `exec` does. */
  readonly jetway: (...args: readonly string[]) => Ended;
  readonly log: () => string;
  /** Sends SIGTERM; its exit code, and how long that took. */
  readonly stop: () => Promise<{ readonly code: number | null; readonly seconds: number }>;
  readonly ended: Promise<number | null>;
  /** Ends it as Ctrl-C does, without waiting for stop_delay. */
  readonly close: () => Promise<void>;
}

interface Bundle {
  readonly root: { path: string; readonly: boolean };
  readonly process: {
    args: readonly string[];
    user: object;
    terminal: boolean;
    capabilities: object;
    noNewPrivileges: boolean;
    readonly env: readonly string[];
  };
  hostname: string;
  mounts: readonly { readonly destination: string }[];
  readonly linux: { namespaces: readonly { readonly type: string }[]; resources: object };
}

export interface Image {
  /** Where its root lies unpacked. */
  readonly root: string;
  readonly run: (name: string, options: ContainerOptions) => Container;
}

/** Unpacks the image of this machine's architecture into a folder. */
export function unpack(folder: string): Image {
  const layout = `${folder}/layout:one`;
  const copy = ['--insecure-policy', '--override-arch', architecture, 'copy', '--quiet'];
  execFileSync('skopeo', [...copy, `oci-archive:${theOne('*-oci.tar')}`, `oci:${layout}`]);
  const bundle = join(folder, 'bundle');
  execFileSync('umoci', ['unpack', '--image', layout, bundle], { stdio: 'ignore' });
  const root = join(bundle, 'rootfs');
  const made = readFileSync(join(bundle, 'config.json'), 'utf8');
  return {
    root,
    run: (name, options) => {
      const own = join(folder, name);
      mkdirSync(own);
      const config = JSON.parse(made) as Bundle;
      // Engines give each container a layer of its own above the image.
      const path = options.readOnly ? root : join(own, 'rootfs');
      if (!options.readOnly) execFileSync('cp', ['-a', root, path]);
      fit(config, { ...options, path });
      writeFileSync(join(own, 'config.json'), JSON.stringify(config));
      return start(`jetway-${process.pid}-${name}`, own);
    },
  };
}

function fit(config: Bundle, options: ContainerOptions & { readonly path: string }): void {
  const { user, mounts, capabilities, memory } = options;
  const all = [...capabilities];
  Object.assign(config.root, { path: options.path, readonly: options.readOnly });
  Object.assign(config.process, {
    terminal: false,
    noNewPrivileges: options.noNewPrivileges,
    // A user that is not root has none of them from the start.
    capabilities: { bounding: all, permitted: [], effective: [], inheritable: [] },
  });
  if (user !== undefined) {
    const { uid, gid, groups } = user;
    config.process.user = { uid, gid, additionalGids: [...groups] };
  }
  if (options.args !== undefined) {
    config.process.args = [config.process.args[0] ?? '', ...options.args];
  }
  config.hostname = options.hostname;
  const places = new Set(mounts.map(({ destination }) => destination));
  const bound = mounts.map(({ source, destination, readOnly }) => ({
    destination,
    type: 'bind',
    source,
    options: ['rbind', readOnly ? 'ro' : 'rw', 'nosuid', 'nodev'],
  }));
  config.mounts = [
    ...config.mounts.filter(({ destination }) => !places.has(destination)),
    ...bound,
  ];
  const others = config.linux.namespaces.filter(({ type }) => type !== 'network');
  config.linux.namespaces = [
    ...others,
    { type: 'network', path: `/run/netns/${options.network}` } as { readonly type: string },
  ];
  if (memory !== undefined) config.linux.resources = { memory: { limit: memory } };
}

function start(id: string, bundle: string): Container {
  const path = join(bundle, 'log');
  const log = openSync(path, 'w');
  const server: ChildProcess = spawn('runc', ['run', '--bundle', bundle, id], {
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = once(server, 'exit').then(([code]) => code as number | null);
  return {
    jetway: (...args) => {
      const { status, stdout, stderr } = spawnSync(
        'runc',
        ['exec', id, '/usr/bin/jetway', ...args],
        { encoding: 'utf8' },
      );
      return { code: status, text: stdout + stderr };
    },
    log: () => readFileSync(path, 'utf8'),
    stop: async () => {
      const begun = performance.now();
      execFileSync('runc', ['kill', id, 'TERM']);
      const code = await ended;
      return { code, seconds: (performance.now() - begun) / 1000 };
    },
    ended,
    close: async () => {
      spawnSync('runc', ['kill', id, 'INT']);
      const timer = setTimeout(() => spawnSync('runc', ['kill', id, 'KILL']), 20_000);
      await ended;
      clearTimeout(timer);
      spawnSync('runc', ['delete', '--force', id]);
    },
  };
}
