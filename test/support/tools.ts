// Owns which programs of the system the tests need, what is said where one is absent, and that the
// tests which need it are skipped then. Run by itself it tells of all of them at once.

import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { isInstalled } from '../../scripts/postgres/install.ts';

interface Tool {
  /** What Debian has it in. */
  readonly packages: readonly string[];
  readonly isThere: () => boolean;
  /** Why it is no use although it is there; undefined where it is of use. */
  readonly hindrance?: () => string | undefined;
}

/** Where Debian has servers, for users too. */
const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin'];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function program(name: string, ...packages: readonly string[]): Tool {
  return {
    packages: packages.length === 0 ? [name] : packages,
    isThere: () => folders.some((folder) => folder !== '' && isExecutable(join(folder, name))),
  };
}

/** Without the windows of `chromium`, whose pages take twice the processor time. */
export const chromiumPath = '/usr/bin/chromium-headless-shell';

/** Of the oldest release that Jetway takes. */
export const oldestPostgres = '/usr/lib/postgresql/15';

/** Where Debian has Apache's modules. */
export const apacheModules = '/usr/lib/apache2/modules';

/** Debian's, which has Debian's packages. */
export const pythonPath = '/usr/bin/python3';

export function libfaketime(): string | undefined {
  return globSync('/usr/lib/*/faketime/libfaketime.so.1')[0];
}

/** Tries it: root in a container may not be allowed to. */
function whyNothingIsMounted(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-mount-'));
  try {
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
    if (status !== 0) return `no file system can be mounted here: ${String(stderr).trim()}`;
    spawnSync('umount', [folder]);
    return undefined;
  } finally {
    rmdirSync(folder);
  }
}

type ToolName =
  | 'aarch64-linux-gnu-strip'
  | 'apache2'
  | 'apache2-auth-openidc'
  | 'caddy'
  | 'cc'
  | 'chromium'
  | 'curl'
  | 'docker-compose'
  | 'fish'
  | 'git'
  | 'haproxy'
  | 'ip'
  | 'jq'
  | 'kubectl'
  | 'libfaketime'
  | 'logrotate'
  | 'man'
  | 'mount'
  | 'nginx'
  | 'openssl'
  | 'postgres'
  | 'postgresql-15'
  | 'prlimit'
  | 'prometheus'
  | 'python3'
  | 'python3-authlib'
  | 'python3-jwt'
  | 'qemu-aarch64-static'
  | 'runc'
  | 'skopeo'
  | 'strace'
  | 'strip'
  | 'systemd-notify'
  | 'systemd-nspawn'
  | 'umoci'
  | 'zsh';

const tools: Readonly<Record<ToolName, Tool>> = {
  curl: program('curl'),
  openssl: program('openssl'),
  git: program('git'),
  chromium: {
    packages: ['chromium-headless-shell'],
    isThere: () => isExecutable(chromiumPath),
  },
  nginx: program('nginx'),
  caddy: program('caddy'),
  haproxy: program('haproxy'),
  ip: {
    ...program('ip', 'iproute2'),
    hindrance: () =>
      spawnSync('unshare', ['--net', 'true']).status === 0
        ? undefined
        : 'no network of its own can be made here',
  },
  jq: program('jq'),
  kubectl: program('kubectl', 'kubernetes-client'),
  'docker-compose': program('docker-compose'),
  apache2: {
    packages: ['apache2', 'libapache2-mod-oauth2'],
    isThere: () => existsSync(`${apacheModules}/mod_oauth2.so`),
  },
  'apache2-auth-openidc': {
    packages: ['apache2', 'libapache2-mod-auth-openidc', 'libapache2-mod-security2'],
    isThere: () =>
      ['auth_openidc', 'security2'].every((name) => existsSync(`${apacheModules}/mod_${name}.so`)),
  },
  python3: { packages: ['python3'], isThere: () => isExecutable(pythonPath) },
  'python3-jwt': {
    packages: ['python3-jwt', 'python3-cryptography'],
    isThere: () => spawnSync(pythonPath, ['-c', 'import cryptography, jwt']).status === 0,
  },
  'python3-authlib': {
    packages: ['python3-authlib'],
    isThere: () => spawnSync(pythonPath, ['-c', 'import authlib.jose']).status === 0,
  },
  libfaketime: { packages: ['libfaketime'], isThere: () => libfaketime() !== undefined },
  strace: {
    ...program('strace'),
    hindrance: () =>
      spawnSync('strace', ['-o', '/dev/null', process.execPath, '--version']).status === 0
        ? undefined
        : 'strace may not trace here',
  },
  cc: {
    ...program('cc', 'gcc', 'libc6-dev'),
    hindrance: () =>
      process.platform === 'linux' ? undefined : 'there is no Linux to stand in for',
  },
  // A package of npm for the machines that have one; no package of Debian stands in for it.
  postgres: { packages: [], isThere: isInstalled },
  'postgresql-15': {
    packages: ['postgresql-15'],
    isThere: () => isExecutable(`${oldestPostgres}/bin/postgres`),
  },
  prlimit: program('prlimit', 'util-linux'),
  // With promtool.
  prometheus: program('prometheus'),
  // No test needs it: the executable that is built for them is larger without.
  strip: program('strip', 'binutils'),
  'systemd-notify': program('systemd-notify', 'systemd'),
  'systemd-nspawn': {
    ...program('systemd-nspawn', 'systemd-container'),
    hindrance: () => (process.getuid?.() === 0 ? undefined : 'only root may start a container'),
  },
  'qemu-aarch64-static': program('qemu-aarch64-static', 'qemu-user-static'),
  'aarch64-linux-gnu-strip': program('aarch64-linux-gnu-strip', 'binutils-aarch64-linux-gnu'),
  runc: { ...program('runc'), hindrance: whyNoContainers },
  skopeo: program('skopeo'),
  umoci: program('umoci'),
  logrotate: program('logrotate'),
  man: program('man', 'man-db'),
  mount: { ...program('mount'), hindrance: whyNothingIsMounted },
  fish: program('fish'),
  zsh: program('zsh'),
};

/** A container without a program: whatever else is said, it had not even come to look for that. */
function whyNoContainers(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-runc-'));
  try {
    mkdirSync(join(folder, 'rootfs'));
    spawnSync('runc', ['spec', '--bundle', folder]);
    const file = join(folder, 'config.json');
    const spec = readFileSync(file, 'utf8').replace('"terminal": true', '"terminal": false');
    writeFileSync(file, spec);
    const id = `jetway-tools-${process.pid}`;
    const { stderr } = spawnSync('runc', ['run', '--bundle', folder, id], { encoding: 'utf8' });
    return stderr.includes('executable file not found') ? undefined : 'no container can run here';
  } catch {
    return 'no container can run here';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Set where everything is to be installed: a tool that is absent is an error there, not a skip. */
const mustHaveAll = (process.env['JETWAY_TESTS_SKIP_NOTHING'] ?? '') !== '';

const found = new Map<ToolName, string | false>();

/** Why tests that need these are skipped; false where they are not. */
export function without(...names: readonly ToolName[]): string | false {
  const reasons = names.map((name) => {
    const known = found.get(name) ?? reasonAgainst(name);
    found.set(name, known);
    return known;
  });
  return reasons.find((reason) => reason !== false) ?? false;
}

function reasonAgainst(name: ToolName): string | false {
  const tool = tools[name];
  if (tool.isThere()) return tool.hindrance?.() ?? false;
  const remedy =
    tool.packages.length === 0 ? 'npm ci' : `apt-get install ${tool.packages.join(' ')}`;
  const reason = `${name} is not installed: ${remedy}`;
  if (mustHaveAll) throw new Error(reason);
  return reason;
}

type TestBody = (t: TestContext) => Promise<void> | void;

/** `test`, for files all of whose tests need something. */
export function testNeeding(...names: readonly ToolName[]): (name: string, body: TestBody) => void {
  const skip = without(...names);
  return (name, body) => void test(name, { skip }, body);
}

if (import.meta.main) {
  const absent = Object.entries(tools).filter(([, { isThere }]) => !isThere());
  const packages = absent.flatMap((entry) => entry[1].packages).join(' ');
  if (process.argv.includes('--packages')) console.log(packages);
  else if (process.argv.includes('--hindrances')) {
    for (const [name, { isThere, hindrance }] of Object.entries(tools)) {
      const reason = isThere() ? hindrance?.() : undefined;
      if (reason !== undefined) console.log(`${name}: ${reason}`);
    }
  } else if (absent.length > 0) {
    const names = absent.map(([name]) => name).join(', ');
    console.log(
      `Absent here: ${names}. Tests that need them are skipped; with them: apt-get install ${packages}`,
    );
    process.exitCode = mustHaveAll ? 1 : 0;
  }
}
