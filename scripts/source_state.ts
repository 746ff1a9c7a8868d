// Owns the facts of an executable about its sources: their commit, and whether they were changed.
// Without a time: two builds of one commit are equal to the byte.

import { spawnSync } from 'node:child_process';

import type { SourceState } from '../src/server/version.ts';

/**
 * The commit of a checkout; undefined without git or without a commit.
 * @param inputs git patterns of the build's inputs: changes in other files do not count
 */
export function sourceState(root: string, inputs: readonly string[]): SourceState | undefined {
  const head = git(root, 'show', '--no-patch', '--format=%H %ct', 'HEAD');
  const [commit, seconds] = head?.trim().split(' ') ?? [];
  if (commit === undefined || seconds === undefined) return undefined;
  const changes = git(root, 'status', '--porcelain', '--', ...inputs);
  const committedAt = `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`;
  const tag = git(root, 'tag', '--points-at', commit, 'v[0-9]*')?.split('\n')[0];
  return { commit, committedAt, isChanged: changes !== '', ...(tag ? { tag } : {}) };
}

function git(root: string, ...args: readonly string[]): string | undefined {
  // In a container the checkout may belong to another user; the build trusts it anyway.
  const { status, stdout } = spawnSync('git', ['-c', 'safe.directory=*', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? stdout : undefined;
}
