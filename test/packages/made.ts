// Owns the packages under test: those of this commit, and of a version before it, made by the same script.

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const root: string = join(import.meta.dirname, '../..');

/** Where `npm run package` has put them. */
export const packages: string = join(root, 'dist/packages');

/** The only file of a folder with this name. */
export function theOne(pattern: string, folder: string = packages): string {
  const [file, another] = globSync(pattern, { cwd: folder });
  if (file === undefined || another !== undefined)
    throw new Error(`which ${pattern} in ${folder}?`);
  return join(folder, file);
}

/** Debian's name of this machine. */
export const architecture: string = process.arch === 'x64' ? 'amd64' : process.arch;

/** Runs `scripts/package.ts` of a checkout. */
export function makeInto(
  folder: string,
  checkout: string = root,
  ...more: readonly string[]
): void {
  const args = [join(checkout, 'scripts/package.ts'), '--out', folder, ...more];
  execFileSync(process.execPath, args, { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * The .deb of version 0.0.1, made of this commit with that number and another comment in the
 * configuration.
 * @param folder an empty one
 */
export function formerDeb(folder: string): string {
  const checkout = join(folder, 'checkout');
  const git = (...args: readonly string[]): void => {
    const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com'];
    execFileSync('git', ['-c', 'safe.directory=*', ...who, ...args], { stdio: 'ignore' });
  };
  git('clone', '--shared', root, checkout);
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  const change = (file: string, from: RegExp, to: string): void => {
    const path = join(checkout, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  };
  change('package.json', /"version": "[^"]*"/, '"version": "0.0.1"');
  change('CHANGELOG.md', /^## /m, '## 0.0.1\n\n## ');
  change('config.example.yaml', /^/, '# As it was.\n');
  git('-C', checkout, 'commit', '--all', '-m', 'Go back');
  git('-C', checkout, 'tag', 'v0.0.1');
  makeInto(join(folder, 'former'), checkout, '--own');
  return theOne('*.deb', join(folder, 'former'));
}
