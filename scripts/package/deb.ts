// Owns making a .deb of a tree.

import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { filesFolder, root, run } from './tools.ts';
import { settle } from './tree.ts';

export interface DebFacts {
  readonly version: string;
  /** As Debian calls it. */
  readonly architecture: string;
  /** The program of binutils that tells which symbols the executable needs. */
  readonly objdump: string;
  readonly epoch: number;
}

/** A version before another one is marked by `~`: 0.2.0-dev.1 is 0.2.0~dev.1. */
export function debVersion(version: string): string {
  return version.replace('-', '~');
}

/** @param tree gets a folder DEBIAN */
export function makeDeb(path: string, tree: string, facts: DebFacts): void {
  const files = globSync('**', { cwd: tree })
    .filter((file) => statSync(join(tree, file)).isFile())
    .toSorted();
  const control = join(tree, 'DEBIAN');
  mkdirSync(control);
  for (const script of ['postinst', 'prerm', 'postrm']) {
    cpSync(join(filesFolder, script), join(control, script));
  }
  const put = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(control, name), lines.map((line) => `${line}\n`).join(''));
  put('control', controlLines(tree, files, facts));
  put(
    'conffiles',
    files.filter((file) => file.startsWith('etc/')).map((file) => `/${file}`),
  );
  put(
    'md5sums',
    files.map((file) => {
      const digest = createHash('md5')
        .update(readFileSync(join(tree, file)))
        .digest('hex');
      return `${digest}  ${file}`;
    }),
  );
  settle(tree, facts.epoch);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(facts.epoch) };
  // xz takes ten times as long for a third less.
  run('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z6', '--build', tree, path], { env });
}

function controlLines(
  tree: string,
  files: readonly string[],
  { version, architecture, objdump }: DebFacts,
): readonly string[] {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  const { author, description } = JSON.parse(manifest) as Readonly<Record<string, string>>;
  const bytes = files.reduce((sum, file) => sum + statSync(join(tree, file)).size, 0);
  const [summary = '', ...rest] = (description ?? '').replace(/^The /, '').split(': ');
  return [
    'Package: jetway',
    `Version: ${debVersion(version)}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${author}`,
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    `Depends: ${depends(join(tree, 'usr/bin/jetway'), objdump)}`,
    // It has systemd-notify, too.
    'Recommends: systemd',
    'Section: net',
    'Priority: optional',
    `Description: ${summary}`,
    ` ${rest.join(': ')}`,
  ];
}

/** What node is linked with; passwd has what makes the service's user. */
function depends(executable: string, objdump: string): string {
  const symbols = run(objdump, ['-T', executable]).matchAll(/GLIBC_2\.(\d+)/g);
  const libc = Math.max(...[...symbols].map(([, minor]) => Number(minor)));
  return `libatomic1, libc6 (>= 2.${libc}), libgcc-s1, libstdc++6, passwd`;
}
