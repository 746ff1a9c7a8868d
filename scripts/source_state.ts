// Owns what an executable tells of the sources that it was made of: their commit, and whether they
// were changed since. No wall time: two builds of one commit are the same to the byte.

import { spawnSync } from 'node:child_process';

import type { SourceState } from '../src/cli/version.ts';

/**
 * The commit of a checkout; undefined where there is no git, or no commit.
 * @param inputs what is built from, in git's patterns: other files may change as they like
 */
export function sourceState(root: string, inputs: readonly string[]): SourceState | undefined {
  const head = git(root, 'show', '--no-patch', '--format=%H %ct', 'HEAD');
  const [commit, seconds] = head?.trim().split(' ') ?? [];
  if (commit === undefined || seconds === undefined) return undefined;
  const changes = git(root, 'status', '--porcelain', '--', ...inputs);
  const committedAt = `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`;
  return { commit, committedAt, isChanged: changes !== '' };
}

function git(root: string, ...args: readonly string[]): string | undefined {
  // In a container the checkout may be another user's; what is built is trusted anyway.
  const { status, stdout } = spawnSync('git', ['-c', 'safe.directory=*', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? stdout : undefined;
}
