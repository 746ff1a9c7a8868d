// Owns a Debian machine for tests that is thrown away: this one's files under a layer that takes what is
// written, without a network, at first without and then with systemd as its first process.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { until } from '../support/until.ts';

export interface Ended {
  readonly code: number | null;
  /** What was printed, on either stream. */
  readonly text: string;
}

export interface Machine {
  /** Copies a file into it; its path there. */
  readonly take: (path: string) => string;
  /** Runs a line of shell in it, as root. */
  readonly tries: (line: string) => Ended;
  /** The same for a line that must end with 0; what it printed. */
  readonly does: (line: string) => string;
  /** Starts systemd in it. */
  readonly boot: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export function openMachine(): Machine {
  const layer = mkdtempSync(join(tmpdir(), 'jetway-machine-'));
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', layer]);
  const [upper, work, root] = ['upper', 'work', 'root'].map((name) => join(layer, name));
  for (const folder of [upper, work, root]) mkdirSync(folder ?? '');
  const layers = `lowerdir=/,upperdir=${upper},workdir=${work}`;
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, root ?? '']);
  const container = ['--quiet', '--register=no', '--keep-unit', '--private-network'];
  const args = [...container, '--settings=no', `--directory=${root}`];
  let manager: ChildProcess | undefined;
  const enter = (): readonly string[] =>
    manager === undefined
      ? ['systemd-nspawn', ...args, '--pipe', '--', 'sh', '-c']
      : ['nsenter', '-a', '-t', String(childOf(manager)), 'sh', '-c'];
  const tries = (line: string): Ended => {
    const [command = '', ...before] = enter();
    const { status, stdout } = spawnSync(command, [...before, `exec 2>&1\n${line}`], {
      encoding: 'utf8',
      input: '',
      env: {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        LC_ALL: 'C.UTF-8',
        DEBIAN_FRONTEND: 'noninteractive',
      },
    });
    return { code: status, text: stdout };
  };
  return {
    take: (path) => {
      const place = join('/opt', basename(path));
      copyFileSync(path, join(root ?? '', place));
      return place;
    },
    tries,
    does: (line) => {
      const { code, text } = tries(line);
      if (code !== 0) throw new Error(`${line}: ${code}\n${text}`);
      return text;
    },
    boot: async () => {
      // What else this machine would start stays out.
      const boots = [...args, '--boot', '--console=pipe', 'systemd.unit=basic.target'];
      const started = spawn('systemd-nspawn', boots, { stdio: 'ignore' });
      await until(() => childOf(started) !== undefined, 'the machine never started');
      manager = started;
      await until(() => /^(?:running|degraded)/.test(tries('systemctl is-system-running').text));
    },
    close: async () => {
      if (manager !== undefined) {
        // Halts it as a power cut would: nothing of it is kept.
        process.kill(childOf(manager) ?? 0, 'SIGKILL');
        if (manager.exitCode === null) await once(manager, 'exit');
      }
      execFileSync('umount', [root ?? '']);
      execFileSync('umount', [layer]);
      rmSync(layer, { recursive: true });
    },
  };
}

/** The first process of a container, as this machine counts them. */
function childOf({ pid }: ChildProcess): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number(children.split(' ')[0]) || undefined;
}
